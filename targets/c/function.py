"""The C text of a function of the `c` dialect, with expressions nested into the statements that use them.

An expression with a single use in its own block is printed where it is used, unless a statement in between changes a
variable or memory that the expression reads. Every other expression becomes a C constant, whose name is derived from
its SSA value. No expression is evaluated more often than in the IR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tinyml.dialects import c
from tinyml.dialects.c.declarations import SUMS_IN_MEMORY
from tinyml.dialects.c.types import RAM, pointer_type, variable_type
from tinyml.dialects.locations import SourceNames
from tinyml.targets.c.expressions import Expressions, as_argument
from tinyml.targets.c.names import Names
from tinyml.targets.c.text import MEMORY, PRIMARY, Text, declare, prototype

NESTED_LENGTH = 72
"""Longer expressions, in characters without the program's name, are not nested into others."""

_ENDLESS = "for (;;) {"

COUNTERS = ("i", "j", "k", "l", "m", "n")


class FunctionPrinter:
    """A printer of one C function.

    expressions: the printer of the expressions in the function.
    taken: the names in use at file scope.
    """

    def __init__(self, expressions: Expressions, taken: Iterable[str]):
        self.expressions = expressions
        self.free = Names(taken)
        self.names: dict[SSAValue, str] = {}
        self.waiting: dict[SSAValue, Text] = {}
        """Expressions not yet printed, to be nested into their only user."""
        self.lines: list[str] = []
        self.sources: list[tuple[str, ...]] = []
        """For each line, the names of the source operations to which it belongs."""
        self.source: tuple[str, ...] = ()
        self.known = SourceNames()
        self.depth = 0
        self.outputs: Sequence[Attribute] = ()
        self.places: dict[Operation, int] = {}
        """The place of each statement in its block, for the blocks entered so far."""

    def print(self, function: c.FuncOp) -> list[str]:
        if SUMS_IN_MEMORY in function.attributes:
            for line in self.expressions.chip.sums_options.splitlines():
                self.line(line)
        self.line(self.signature(function))
        self.line("{")
        for argument in function.body.block.args:
            if argument.first_use is None:
                self.line(f"    (void){self.names[argument]};")
        self._block(function.body.block)
        self.line("}")
        return self.lines

    def signature(self, function: c.FuncOp) -> str:
        """The head of a function, such as `int16_t name(const int16_t *X)`."""
        self.outputs = function.function_type.outputs.data
        static = "" if function.local is None else "static "
        return f"{static}{prototype(function.sym_name.data, self.outputs, self.parameters(function))}"

    def parameters(self, function: c.FuncOp) -> dict[str, Attribute]:
        """The types of a function's parameters by name. The names remain in use."""
        found: dict[str, Attribute] = {}
        for argument in function.body.block.args:
            self.names[argument] = self.free.fresh(argument.name_hint or "argument")
            found[self.names[argument]] = argument.type
        return found

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)
        self.sources.append(self.source)

    def _block(self, *blocks: Block) -> None:
        self.depth += 1
        outer = self.source
        for block in blocks:
            self.places.update((op, place) for place, op in enumerate(block.ops))
        with self.free.scope():
            for op in (op for block in blocks for op in block.ops):
                self.source = self.known.of(op)
                self._operation(op)
        self.source = outer
        self.depth -= 1

    def _operation(self, op: Operation) -> None:
        match op:
            case c.LiteralOp() | c.SymbolOp():
                pass
            case c.ReadOp():
                if not self._reads_in_place(op):
                    self._name(op.result, self._text(op.variable))
            case c.NextOp():
                self._settle({op.variable})
                self._expression(op)
            case c.ExpressionOp():
                self._expression(op)
            case c.ArrayOp():
                name = self.names[op.result] = self.free.fresh(op.result.name_hint or "a")
                element = declare(pointer_type(op.result).element, name, constant=False)
                self.line(f"{element}[{op.length.value.data}];")
            case c.VariableOp():
                self._variable(op)
            case c.AssignOp():
                self._assign(op)
            case c.StoreOp():
                target = f"{self._base(op.pointer)}[{self._text(op.index).code}]"
                value = self._text(op.value).to(op.value.type)
                self._settle({MEMORY})
                self.line(f"{target} = {value.code};")
            case c.InvokeOp():
                arguments = [as_argument(self._text(value), value.type, RAM) for value in op.arguments]
                self._settle({MEMORY})
                self.line(f"{op.callee.string_value()}({', '.join(text.code for text in arguments)});")
            case c.PragmaOp():
                array = None if op.argument is None else self._text(op.argument).code
                if op.symbol is not None:
                    array = self.expressions.static(op.symbol)
                self.line(f"#pragma {op.text.data}" + ("" if array is None else f" variable={array}"))
            case c.ForOp():
                self._for(op)
            case c.IfOp():
                self._if(op)
            case c.WhileOp():
                self._while(op)
            case c.ConditionOp():
                self._condition(op)
            case c.ReturnOp():
                value = None if op.value is None else self._text(op.value).to(op.value.type)
                if value is not None:
                    self.line(f"return {value.code};")
            case _:
                raise AssertionError(f"{op.name} is not a statement")

    def _reads_in_place(self, op: c.ReadOp) -> bool:
        """True if the variable itself can be printed at all uses of a read, because it is not assigned between the read
        and the uses.
        """
        block = op.parent
        assert block is not None
        changing = {
            block.find_ancestor_op_in_block(use.operation)
            for use in op.variable.uses
            if op.variable in _changes(use.operation)
        }
        # Changes outside the block come before it, or after its end.
        after = [at for at in changing if at is not None and self.places[at] > self.places[op]]
        if not after:
            return True
        first = min(after, key=self.places.__getitem__)
        late = set[Operation]()
        for user in {use.operation for use in op.result.uses}:
            at = block.find_ancestor_op_in_block(user)
            assert at is not None
            if self.places[at] >= self.places[first]:
                late.add(user)
        return not late or (late == {first} and _evaluates_first(first, op.result))

    def _expression(self, op: c.ExpressionOp) -> None:
        result = op.results[0]
        for value in op.operands:
            # A subscripted pointer needs a name, and an arm of a conditional might never be evaluated.
            if value in self.waiting and (
                (isinstance(op, c.LoadOp | c.AddressOp) and value is op.pointer and self.waiting[value].level < PRIMARY)
                or (isinstance(op, c.ConditionalOp) and value is not op.condition and self.waiting[value].steps)
            ):
                self._name(value, self.waiting.pop(value))
        text = self.expressions.spell(op, self._text)
        uses = list(result.uses)
        if not uses:
            if text.steps:
                self.line(f"(void){text.within(PRIMARY)};")
            return
        user = uses[0].operation
        nests = (
            len(uses) == 1
            and user.parent is op.parent
            and not (isinstance(user, c.ForOp) and user.end is result)
            and len(text.code.replace(self.expressions.prefix, "")) <= NESTED_LENGTH
            # Each line is attributed to a single source operation.
            and self.known.of(op)[:1] == self.known.of(user)[:1]
        )
        if nests:
            self.waiting[result] = text
        else:
            self._name(result, text)

    def _text(self, value: SSAValue) -> Text:
        if value in self.waiting:
            return self.waiting.pop(value)
        if value in self.names:
            return Text(self.names[value], PRIMARY, value.type)
        owner = value.owner
        if isinstance(owner, c.ReadOp):
            return Text(self.names[owner.variable], PRIMARY, value.type, frozenset({owner.variable}))
        assert isinstance(owner, c.LiteralOp | c.SymbolOp)
        return self.expressions.spell(owner, self._text)

    def _base(self, pointer: SSAValue) -> str:
        if pointer in self.waiting and self.waiting[pointer].level < PRIMARY:
            self._name(pointer, self.waiting.pop(pointer))
        return self._text(pointer).code

    def _name(self, value: SSAValue, text: Text) -> None:
        default = "x" if value.type == f32 else "t"
        if isinstance(value.type, c.PointerType):
            default = "buffer" if isinstance(value.owner, c.ViewOp) else "p"
        self.names[value] = self.free.fresh(value.name_hint or default)
        outer = self.source
        if isinstance(value.owner, Operation):
            self.source = self.known.of(value.owner)
        self.line(f"{declare(value.type, self.names[value], constant=True)} = {text.to(value.type).code};")
        self.source = outer

    def _settle(self, changed: set[SSAValue | str]) -> None:
        """Print, as C constants, those pending expressions that read a variable or memory changed by the next
        statement.

        changed: the variables that the statement assigns, and MEMORY if it writes memory.
        """
        for value in [value for value, text in self.waiting.items() if text.reads & changed]:
            self._name(value, self.waiting.pop(value))

    def _variable(self, op: c.VariableOp) -> None:
        content = variable_type(op.result).content
        init = None if op.init is None else self._text(op.init).to(content)
        name = self.free.fresh(op.result.name_hint or "v")
        self.names[op.result] = name
        start = "" if init is None else f" = {init.code}"
        self.line(f"{declare(content, name, constant=False)}{start};")

    def _assign(self, op: c.AssignOp) -> None:
        text = self._text(op.value)
        self._settle({op.variable})
        name = self.names[op.variable]
        if text.update is not None and text.update[0] is op.variable:
            _, sign, rest = text.update
            step = f"{name}{sign}{sign}" if rest == "1" and sign in "+-" and op.value.type != f32 else None
            self.line(f"{step or f'{name} {sign}= {rest}'};")
        else:
            self.line(f"{name} = {text.to(op.value.type).code};")

    def _for(self, op: c.ForOp) -> None:
        start, end = self._text(op.start), self._text(op.end)
        self._settle(_changes(op))
        with self.free.scope():
            hint = op.counter.name_hint or COUNTERS[min(_loops_around(op), len(COUNTERS) - 1)]
            counter = self.names[op.counter] = self.free.fresh(hint)
            step = op.step.value.data
            type = self.expressions.chip.small_counter if _is_small(op) else "int"
            if not op.counter.uses and start.code == "0" and step == 1:
                # Counting down to zero saves the register for the bound.
                head = f"{type} {counter} = {end.code}; {counter} > 0; {counter}--"
            else:
                advance = f"{counter}++" if step == 1 else f"{counter} += {step}"
                head = f"{type} {counter} = {start.code}; {counter} < {end.code}; {advance}"
            self.line(f"for ({head}) {{")
            self._block(op.body.block)
            self.line("}")

    def _if(self, op: c.IfOp) -> None:
        condition = self._text(op.condition)
        self._settle(_changes(op))
        self.line(f"if ({condition.code}) {{")
        self._block(op.then.block)
        if op.otherwise.blocks and op.otherwise.block.ops:
            self.line("} else {")
            self._block(op.otherwise.block)
        self.line("}")

    def _while(self, op: c.WhileOp) -> None:
        self._settle(_changes(op))
        self.line(_ENDLESS)
        self._block(op.test.block, op.body.block)
        self.line("}")

    def _condition(self, op: c.ConditionOp) -> None:
        condition = self._text(op.condition)
        if (head := self.lines[-1]).endswith(_ENDLESS):
            # Nothing precedes the condition.
            self.lines[-1] = head.replace(_ENDLESS, f"while ({condition.code}) {{")
            return
        self.line(f"if (!{condition.within(PRIMARY)})")
        self.line("    break;")


def _is_small(op: c.ForOp) -> bool:
    start, end = map(c.integer_of, (op.start, op.end))
    return op.step.value.data == 1 and start is not None and end is not None and 0 <= start <= 255 and 0 <= end <= 255


def _loops_around(op: Operation) -> int:
    parent = op.parent_op()
    return 0 if parent is None else _loops_around(parent) + isinstance(parent, c.ForOp)


def _changes(op: Operation) -> set[SSAValue | str]:
    changed: set[SSAValue | str] = set()
    for inner in op.walk():
        if isinstance(inner, c.AssignOp | c.NextOp):
            changed.add(inner.variable)
        elif isinstance(inner, c.StoreOp | c.InvokeOp):
            changed.add(MEMORY)
    return changed


def _evaluates_first(op: Operation, value: SSAValue) -> bool:
    return isinstance(op, c.AssignOp | c.IfOp | c.NextOp) or (isinstance(op, c.ForOp) and op.end is not value)
