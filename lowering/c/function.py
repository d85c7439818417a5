"""The lowering of a function to C, op by op: the builder of its expressions, and its loops, branches and calls.

Consecutive elements in flash are loaded through a pointer that the loop advances. On an AVR such a load costs no more
than a plain load, while recomputing each address costs 3 to 8 cycles per element. gcc does not derive this form from
indexed loads. A loop with more such loads than the chip has pointer registers uses an index instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from operator import add, mul, sub
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, SymbolRefAttr, UnknownLoc, i16
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c, scratch
from tinyml.dialects.c.declarations import PARTITION, PIPELINE, UNROLL
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import argument_attribute
from tinyml.dialects.locations import error_at, errors_at
from tinyml.dialects.scratch import in_flash, memref_type
from tinyml.lowering.c.program import ProgramBuilder
from tinyml.transforms.ir.indices import offset_of
from tinyml.transforms.ir.loop_nest import LocatedBuilder

MAX_POINTERS = 32
"""The maximum number of pointers for the loads of a loop; no chip has registers for more."""

_FOLDED: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul}
_NEUTRAL = {"+": 0, "-": 0, "*": 1, ">>": 0}


class ExpressionBuilder(LocatedBuilder):
    """A builder that inserts expressions and statements at the end of a block. All inserted ops have one source
    location.

    Integer arithmetic on literals is folded.
    """

    def __init__(self, block: Block):
        super().__init__(InsertPoint.at_end(block), UnknownLoc())

    def insert(self, op: Operation, hint: str | None = None) -> SSAValue:
        result = super().insert(op)
        result.name_hint = hint
        return result

    def literal(self, value: int, type: Attribute | None = None) -> SSAValue:
        """An integer literal, by default of type index."""
        type = cast(IndexType, type or IndexType())
        return self.insert(c.LiteralOp(IntegerAttr(value, type)))

    def binary(self, a: SSAValue, operator: str, b: SSAValue, hint: str | None = None) -> SSAValue:
        """The expression `a operator b`, simplified if an operand is a literal."""
        x, y = c.integer_of(a), c.integer_of(b)
        if x is not None and y is not None and operator in _FOLDED:
            return self.literal(_FOLDED[operator](x, y), a.type)
        if y is not None and y == _NEUTRAL.get(operator):
            return a
        if (operator == "+" and x == 0) or (operator == "*" and x == 1):
            return b
        if operator == "*" and 0 in (x, y):
            return self.literal(0, a.type)
        if operator == "*" and y is not None and isinstance(a.type, IndexType):
            a, b = b, a
        if operator == "-" and x == 0:
            return self.insert(c.UnaryOp("-", b), hint)
        return self.insert(c.BinaryOp(a, operator, b), hint)

    def linear(self, indices: Sequence[SSAValue], shape: Sequence[int]) -> SSAValue:
        """The row-major index of the element at `indices` of an array; axes of extent 1 are ignored."""
        terms: list[SSAValue] = []
        constant = 0
        stride = 1
        for index, extent in zip(reversed(indices), reversed(shape), strict=True):
            if extent != 1 and (value := c.integer_of(index)) is not None:
                constant += value * stride
            elif extent != 1:
                terms.append(self.binary(self.literal(stride), "*", index))
            stride *= extent
        position = terms.pop() if terms else self.literal(0)
        while terms:
            position = self.binary(position, "+", terms.pop())
        return self.binary(position, "+", self.literal(constant))

    def address(self, pointer: SSAValue, index: SSAValue, hint: str | None = None) -> SSAValue:
        """The expression `pointer + index`, or `pointer` itself for index 0."""
        if c.integer_of(index) == 0:
            return pointer
        return self.insert(c.AddressOp(pointer, index), hint)


def unsupported(op: Operation, why: str = "has no spelling in C") -> InputError:
    return error_at(op, f"'{op.name}' {why}")


class FunctionLowering:
    """The state of the lowering of one function to C.

    `values` maps each lowered value of the original function to a value of the `c` dialect.
    """

    def __init__(self, program: ProgramBuilder, body: Block, spellings: Spellings):
        self.program = program
        self.spellings = spellings
        self.body = body
        self.build = ExpressionBuilder(body)
        self.values: dict[SSAValue, SSAValue] = {}
        self.walking: dict[Operation, SSAValue] = {}
        """Pointer variables of loads that traverse an array element by element."""

    @property
    def instance(self) -> SSAValue | None:
        return self.program.signatures.instance_of(self.body)

    def lower_function(self, function: func.FuncOp) -> None:
        # An input that arrives row by row is not an argument.
        if self.program.row_length and any(
            not isinstance(use.operation, scratch.ReceiveOp) for argument in function.args for use in argument.uses
        ):
            raise error_at(function, "the input arrives row by row, but is read as a whole")
        arguments = self.program.signatures.arguments_of(self.body)
        self.values.update(zip(function.args, arguments, strict=not self.program.row_length))
        if arguments and (hint := argument_attribute(function, PARTITION)) is not None:
            self.partition(hint, argument=arguments[-1])
        self.lower_block(function.body.block)

    def lower_block(self, block: Block) -> None:
        for op in block.ops:
            if (lower := self.spellings.get(op.name)) is None:
                raise unsupported(op)
            self.build.location = op.location
            # The ops in a region locate their own errors.
            with nullcontext() if op.regions else errors_at(op):
                lower(self, op)

    def partition(self, hint: Attribute | None, symbol: str | None = None, argument: SSAValue | None = None) -> None:
        """Insert the HLS pragma that partitions an array cyclically over memories.

        hint: the number of memories, as an integer attribute. For any other attribute, and for None, nothing is
            inserted.
        symbol: the name of the array, if it is a global.
        argument: the array, if it is an argument of the function.
        """
        if isinstance(hint, IntegerAttr):
            text = f"HLS ARRAY_PARTITION cyclic factor={hint.value.data}"
            self.build.put(c.PragmaOp(text, None if symbol is None else SymbolRefAttr(symbol), argument))

    def nested(self, block: Block, write: Callable[[], None]) -> Region:
        """A region with the single block `block`, which `write` fills with ops."""
        with self.build.inside(block):
            write()
        return Region(block)

    def operands(self, op: Operation) -> list[SSAValue]:
        return [self.values[operand] for operand in op.operands]

    def expression(self, op: Operation, lowered: Operation) -> None:
        self.values[op.results[0]] = self.build.insert(lowered, op.results[0].name_hint)

    def variable(self, type: Attribute, init: SSAValue | None, hint: str | None) -> SSAValue:
        return self.build.insert(c.VariableOp(type, init), hint)

    def read(self, variable: SSAValue) -> SSAValue:
        return self.build.insert(c.ReadOp(variable), variable.name_hint)

    def assign_all(self, variables: list[SSAValue], end: Operation | None) -> None:
        """Assign the operands of the terminator `end` to variables. Operands that depend on these variables must have
        been evaluated before.
        """
        assert end is not None
        for variable, value in zip(variables, self.operands(end), strict=True):
            if not (isinstance(old := value.owner, c.ReadOp) and old.variable is variable):
                self.build.put(c.AssignOp(variable, value))


Spelling: TypeAlias = Callable[[FunctionLowering, Any], None]
Spellings: TypeAlias = Mapping[str, Spelling]
"""Functions that lower an op of each kind to C, by the name of the op."""
SpellingsOfClasses: TypeAlias = Mapping[type[Operation], Spelling]


class _Inductions:
    """The loop-carried values that increase by one in each iteration of a loop, and their initial values."""

    def __init__(self, loop: scf.ForOp):
        self.loop = loop
        self.start: dict[SSAValue, SSAValue] = {}
        body = loop.body.block
        if const_evaluate_operand(loop.step) == 1:
            self.start[body.args[0]] = loop.lb
        last = body.last_op
        assert last is not None
        for arg, first, next in zip(body.args[1:], loop.iter_args, last.operands, strict=True):
            if isinstance(add := next.owner, arith.AddiOp) and add.lhs is arg and const_evaluate_operand(add.rhs) == 1:
                self.start[arg] = first

    def consecutive_loads(self) -> list[memref.LoadOp]:
        """Loads from flash that every iteration executes at an address one element above that of the previous
        iteration. Empty for a loop that contains another loop, since a pointer would occupy a register throughout
        the inner loop.
        """
        if any(op is not self.loop and isinstance(op, scf.ForOp) for op in self.loop.walk()):
            # A pointer would occupy a register throughout the inner loop.
            return []
        return [op for op in self.loop.body.block.ops if isinstance(op, memref.LoadOp) and self._advances(op)]

    def nested_walks(self) -> list[tuple[memref.LoadOp, Sequence[SSAValue]]]:
        """Loads in inner loops that resume, in each iteration of this loop, at the address where they ended in
        the previous iteration.

        Each load is paired with its indices, expressed as iter_args of this loop.
        """
        walks: list[tuple[memref.LoadOp, Sequence[SSAValue]]] = []
        body = self.loop.body.block
        assert body.last_op is not None
        following: dict[SSAValue, SSAValue] = dict(zip(body.args[1:], body.last_op.operands, strict=True))
        first: dict[SSAValue, SSAValue] = dict(zip(body.args[1:], self.loop.iter_args, strict=True))
        for inner in body.ops:
            if not isinstance(inner, scf.ForOp):
                continue
            inductions = _Inductions(inner)
            ends: dict[SSAValue, SSAValue] = dict(zip(inner.body.block.args[1:], inner.results, strict=True))
            for load in inductions.consecutive_loads():
                [*_, index] = load.indices
                start = inductions.start.get(index)
                if (
                    len(load.indices) == 1
                    and start is not None
                    and start in first
                    and following[start] is ends.get(index)
                    and self._outside(load.memref)
                ):
                    self.start.setdefault(start, first[start])
                    walks.append((load, [start]))
        return walks

    def _advances(self, load: memref.LoadOp) -> bool:
        type = memref_type(load.memref)
        if not in_flash(type) or not self._outside(load.memref):
            return False
        factors = offset_of(load.indices, type.get_shape()).factors
        advance = sum(factor for value, factor in factors.items() if value in self.start)
        return advance == 1 and all(value in self.start or self._outside(value) for value in factors)

    def _outside(self, value: SSAValue) -> bool:
        at = value.owner.parent_op()
        while at is not None and at is not self.loop:
            at = at.parent_op()
        return at is None

    def at_first(self, value: SSAValue, build: ExpressionBuilder, lowered: Callable[[SSAValue], SSAValue]) -> SSAValue:
        """Emit, before the loop, the index that an advancing load has in the first iteration. Return the index.

        The index expression is emitted separately for each load, so that it uses the values of variables before
        the loop.
        """
        if value in self.start:
            return lowered(self.start[value])
        if (number := const_evaluate_operand(value)) is not None:
            return build.literal(number)
        if self._outside(value):
            return lowered(value)
        if not isinstance(op := value.owner, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            # The index adds this value and subtracts it again.
            return build.literal(0)
        operator = "+" if isinstance(op, arith.AddiOp) else "-" if isinstance(op, arith.SubiOp) else "*"
        left, right = (self.at_first(operand, build, lowered) for operand in (op.lhs, op.rhs))
        return build.binary(left, operator, right)


def _call(at: FunctionLowering, op: func.CallOp) -> None:
    if len(op.results) > 1:
        raise unsupported(op, "must return one value or none")
    name = op.callee.string_value()
    at.program.use_function(name)
    if op.results:
        at.expression(op, c.CallOp(name, at.operands(op), op.results[0].type))
    else:
        at.build.put(c.InvokeOp(name, at.operands(op)))


def _for(at: FunctionLowering, op: scf.ForOp) -> None:
    step = const_evaluate_operand(op.step)
    if step is None or not isinstance(op.lb.type, IndexType):
        raise unsupported(op, "needs a constant step and index bounds to become a loop of C")
    body = op.body.block
    inductions = _Inductions(op)
    walks = [(load, load.indices) for load in inductions.consecutive_loads()] + inductions.nested_walks()
    if len(walks) > MAX_POINTERS or any(PIPELINE in inner.attributes for inner in op.walk()):
        # High-level synthesis determines the memory of an element from its index.
        walks = []
    for load, indices in walks:
        if load not in at.walking:
            shape = memref_type(load.memref).get_shape()
            first = [inductions.at_first(index, at.build, at.values.__getitem__) for index in indices]
            pointer = at.build.address(at.values[load.memref], at.build.linear(first, shape))
            at.walking[load] = at.variable(pointer.type, pointer, f"{_source_hint(load.memref)}_at")
    hints = [arg.name_hint or result.name_hint for arg, result in zip(body.args[1:], op.results, strict=True)]
    variables = [
        at.variable(init.type, init, hint)
        for init, hint in zip((at.values[arg] for arg in op.iter_args), hints, strict=True)
    ]
    block = Block(arg_types=[IndexType()])
    at.values[body.args[0]] = block.args[0]
    block.args[0].name_hint = body.args[0].name_hint

    def write() -> None:
        if PIPELINE in op.attributes:
            at.build.put(c.PragmaOp("HLS PIPELINE"))
        if isinstance(factor := op.attributes.get(UNROLL), IntegerAttr):
            at.build.put(c.PragmaOp(f"HLS UNROLL factor={factor.value.data}"))
        for arg, variable in zip(body.args[1:], variables, strict=True):
            at.values[arg] = at.read(variable)
        at.lower_block(body)
        at.assign_all(variables, body.last_op)

    region = at.nested(block, write)
    at.build.put(c.ForOp(at.values[op.lb], at.values[op.ub], step, region))
    for result, variable in zip(op.results, variables, strict=True):
        at.values[result] = at.read(variable)


def _source_hint(value: SSAValue) -> str:
    while value.name_hint is None and isinstance(op := value.owner, scratch.SliceOp):
        value = op.source
    return value.name_hint or "p"


def _if(at: FunctionLowering, op: scf.IfOp) -> None:
    variables = [at.variable(result.type, None, result.name_hint) for result in op.results]

    def branch(region: Region) -> Region:
        if not region.blocks:
            return Region()

        def write() -> None:
            at.lower_block(region.block)
            at.assign_all(variables, region.block.last_op)

        return at.nested(Block(), write)

    then, otherwise = branch(op.true_region), branch(op.false_region)
    at.build.put(c.IfOp(at.values[op.cond], then, otherwise))
    for result, variable in zip(op.results, variables, strict=True):
        at.values[result] = at.read(variable)


def _while(at: FunctionLowering, op: scf.WhileOp) -> None:
    test, body = op.before_region.block, op.after_region.block
    end = test.last_op
    assert isinstance(end, scf.ConditionOp)
    if list(end.args) != list(test.args):
        raise unsupported(op, "must pass on its own arguments to become a loop of C")
    variables = [
        at.variable(init.type, init, argument.name_hint)
        for init, argument in zip(at.operands(op), body.args, strict=True)
    ]

    def read(arguments: Sequence[SSAValue]) -> None:
        for argument, variable in zip(arguments, variables, strict=True):
            at.values[argument] = at.read(variable)

    def write_test() -> None:
        read(test.args)
        at.lower_block(test)
        at.build.put(c.ConditionOp(at.values[end.condition]))

    def write_body() -> None:
        read(body.args)
        at.lower_block(body)
        at.assign_all(variables, body.last_op)

    at.build.put(c.WhileOp(at.nested(Block(), write_test), at.nested(Block(), write_body)))
    read(op.results)


def _return(at: FunctionLowering, op: func.ReturnOp) -> None:
    label = at.program.interpret_results(op)
    at.build.put(c.ReturnOp(None if label is None else at.build.insert(c.CastOp(at.values[label], i16))))


def _nothing(at: FunctionLowering, op: Operation) -> None:
    """Emit nothing for a terminator, since the parent op assigns the terminator's operands to variables."""


CONTROL_FLOW: SpellingsOfClasses = {
    func.CallOp: _call,
    func.ReturnOp: _return,
    scf.ForOp: _for,
    scf.IfOp: _if,
    scf.WhileOp: _while,
    scf.ConditionOp: _nothing,
    scf.YieldOp: _nothing,
}
