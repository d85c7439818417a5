"""The xDSL target `-t verilog`, which prints hardware modules as synthesisable Verilog-2005."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects import comb, hw, seq
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.target import Target

from tinyml.dialects import rtl
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import width_of

Name = Callable[[SSAValue], str]

INITIAL_WORDS = 64
"""The most words of a memory that one initial block sets: yosys reads a block in time that grows with its square."""

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_SIGNED_COMPARISONS = range(2, 6)


def literal(value: int, bits: int) -> str:
    return f"{bits}'h{value % (1 << bits):x}"


def expression(op: Operation, name: Name) -> str | None:
    """The Verilog expression that computes an op's result; None for an op that is not combinational.

    name: a function that returns the Verilog name of a value.
    """
    printed = _EXPRESSIONS.get(type(op))
    return None if printed is None else printed(op, name)


def _signed(text: str) -> str:
    return f"$signed({text})"


def _factor(value: SSAValue, name: Name) -> str:
    """The Verilog expression of a factor of a multiplication, without redundant copies of its sign bit.

    Synthesis then infers a multiplier of the actual width.
    """
    while (narrower := _extended(value)) is not None:
        value = narrower
    return _signed(name(value))


def _extended(value: SSAValue) -> SSAValue | None:
    if not isinstance(concat := value.owner, comb.ConcatOp) or len(concat.inputs) != 2:
        return None
    copies, x = concat.inputs
    bit = copies.owner.input if isinstance(copies.owner, comb.ReplicateOp) else copies
    extract = bit.owner
    if isinstance(extract, comb.ExtractOp) and width_of(bit) == 1 and extract.input is x:
        return x if extract.low_bit.value.data == width_of(x) - 1 else None
    return None


def _joined(sign: str) -> Callable[[Any, Name], str]:
    return lambda op, name: f" {sign} ".join(map(name, op.operands))


def _on_signed(sign: str) -> Callable[[Any, Name], str]:
    return lambda op, name: f" {sign} ".join(_signed(name(value)) for value in op.operands)


def _compared(op: comb.ICmpOp, name: Name) -> str:
    number = op.predicate.value.data
    sign = _COMPARISONS[number]
    return (_on_signed(sign) if number in _SIGNED_COMPARISONS else _joined(sign))(op, name)


def _extracted(op: comb.ExtractOp, name: Name) -> str:
    low, bits = op.low_bit.value.data, width_of(op.result)
    return f"{name(op.input)}[{low}]" if bits == 1 else f"{name(op.input)}[{low + bits - 1}:{low}]"


_EXPRESSIONS: Mapping[type[Operation], Callable[[Any, Name], str]] = {
    hw.ConstantOp: lambda op, _: literal(op.value.value.data, width_of(op.result)),
    comb.AddOp: _joined("+"),
    comb.SubOp: _joined("-"),
    comb.MulOp: lambda op, name: " * ".join(_factor(value, name) for value in op.inputs),
    comb.DivUOp: _joined("/"),
    comb.ModUOp: _joined("%"),
    comb.DivSOp: _on_signed("/"),
    comb.ModSOp: _on_signed("%"),
    comb.AndOp: _joined("&"),
    comb.OrOp: _joined("|"),
    comb.XorOp: _joined("^"),
    comb.ShlOp: _joined("<<"),
    comb.ShrUOp: _joined(">>"),
    comb.ShrSOp: lambda op, name: f"{_signed(name(op.lhs))} >>> {name(op.rhs)}",
    comb.ICmpOp: _compared,
    comb.MuxOp: lambda op, name: f"{name(op.cond)} ? {name(op.true_value)} : {name(op.false_value)}",
    comb.ExtractOp: _extracted,
    comb.ConcatOp: lambda op, name: "{" + ", ".join(map(name, op.inputs)) + "}",
    comb.ReplicateOp: lambda op, name: f"{{{width_of(op.result) // width_of(op.input)}{{{name(op.input)}}}}}",
    comb.ParityOp: lambda op, name: f"^{name(op.input)}",
}
"""For each combinational op, the function that spells its result."""


_RESERVED = re.compile(
    r"always|and|assign|begin|buf|case|deassign|default|disable|edge|else|end|endcase|endmodule|event|for|"
    r"force|function|if|initial|inout|input|integer|join|macromodule|module|nand|negedge|nor|not|or|output|"
    r"parameter|posedge|primitive|real|reg|release|repeat|scalared|signed|specify|supply0|supply1|table|"
    r"task|time|tri|unsigned|wait|wand|while|wire|wor|xnor|xor"
)
"""Reserved words of Verilog."""


@dataclass(frozen=True)
class VerilogTarget(Target):
    """Print every `hw.module` of a module.

    Raises `InputError` for any other op at the top level, and for an op inside an `hw.module` that has no equivalent in
    Verilog.
    """

    name = "verilog"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_verilog(module))


def print_verilog(module: ModuleOp) -> str:
    """The Verilog text of the hardware modules in a module. Raises `InputError` for the ops that `VerilogTarget`
    rejects.
    """
    texts: list[str] = []
    for op in module.ops:
        if not isinstance(op, hw.HWModuleOp):
            raise error_at(op, f"'{op.name}' has no spelling in Verilog")
        texts.append("\n".join(_Printer(op).lines()) + "\n")
    return "\n".join(texts)


def _owners(op: Operation) -> list[Operation]:
    return [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]


def _ordered(outputs: Operation) -> list[Operation]:
    """The ops on which outputs depend, in the order of a traversal from the outputs.

    Each op of logic comes after the ops that it reads. The ops that compute the inputs of registers and memories come
    after the logic. The result of synthesis depends on the order of the lines. The circuit alone determines this order;
    it does not depend on the order in which passes created the ops.
    """
    visited: dict[Operation, None] = {}
    entered = deque([outputs])
    while entered:
        path = _owners(entered.popleft())[::-1]
        while path:
            op = path[-1]
            clocked = isinstance(op, seq.CompRegOp | rtl.RamOp)
            rest = [] if clocked or op in visited else [owner for owner in _owners(op) if owner not in visited]
            path += reversed(rest)
            if not rest:
                path.pop()
                if clocked and op not in visited:
                    entered.append(op)
                visited[op] = None
    return list(visited)


class _Printer:
    def __init__(self, module: hw.HWModuleOp):
        self.module = module
        self.block = module.body.block
        assert self.block.last_op is not None
        self.ops = _ordered(self.block.last_op)
        self.names: dict[SSAValue, str] = {}
        self.numbers: dict[str, int] = {}
        self.taken = {port.port_name.data for port in module.module_type.ports.data}

    def lines(self) -> Iterator[str]:
        inputs = iter(self.block.args)
        output = self.block.last_op
        assert isinstance(output, hw.OutputOp)
        ports: list[str] = []
        driven: list[str] = []
        results = iter(output.operands)
        for port in self.module.module_type.ports.data:
            name = port.port_name.data
            if port.dir.data.is_input_like():
                value = next(inputs)
                self.names[value] = name
                ports.append(f"    input {self._range(value)}{name}")
            else:
                value = next(results)
                ports.append(f"    output {self._range(value)}{name}")
                driven.append(f"    assign {name} = {{}};")
        for op in self.ops:
            for result in op.results:
                self.names[result] = self._unique(result)
        yield f"module {self.module.sym_name.data}("
        yield ",\n".join(ports)
        yield ");"
        yield from self._declarations()
        yield from self._logic()
        yield from self._registers()
        for op in self.ops:
            if isinstance(op, rtl.RamOp):
                yield from self._ram(op)
        yield from (text.format(self._name(value)) for text, value in zip(driven, output.operands, strict=True))
        yield "endmodule"

    def _unique(self, value: SSAValue) -> str:
        base = re.sub(r"\W", "_", value.name_hint or "v")
        base = f"{base}_" if _RESERVED.fullmatch(base) else base
        name = base
        while name in self.taken:
            self.numbers[base] = self.numbers.get(base, 0) + 1
            name = f"{base}_{self.numbers[base]}"
        self.taken.add(name)
        return name

    def _declarations(self) -> Iterator[str]:
        for op in self.ops:
            if isinstance(op, hw.ConstantOp):
                continue
            kind = "reg" if isinstance(op, seq.CompRegOp | rtl.RamOp) else "wire"
            for result in op.results:
                yield f"    {kind} {self._range(result)}{self.names[result]};"

    def _logic(self) -> Iterator[str]:
        for op in self.ops:
            if isinstance(op, hw.ConstantOp | seq.CompRegOp | rtl.RamOp):
                continue
            if (text := expression(op, self._name)) is None:
                raise error_at(op, f"'{op.name}' has no spelling in Verilog")
            yield f"    assign {self.names[op.results[0]]} = {text};"

    def _registers(self) -> Iterator[str]:
        for op in self.ops:
            if isinstance(op, seq.CompRegOp):
                name, new = self.names[op.data], self._name(op.input)
                clocked = f"    always @(posedge {self._name(op.clk)})"
                if op.reset is None or op.reset_value is None:
                    yield f"{clocked} {name} <= {new};"
                else:
                    yield f"{clocked} if ({self._name(op.reset)}) {name} <= {self._name(op.reset_value)};"
                    yield f"        else {name} <= {new};"

    def _ram(self, op: rtl.RamOp) -> Iterator[str]:
        result = self.names[op.result]
        memory = f"{result}_words"
        depth, bits = op.depth.value.data, op.width
        # Simultaneous reads and writes of a word never occur, so block RAM is inferred without bypass logic.
        attribute = "" if op.data is None else "(* no_rw_check *) "
        yield f"    {attribute}reg [{bits - 1}:0] {memory} [0:{depth - 1}];"
        if (words := op.words) is not None:
            for first in range(0, depth, INITIAL_WORDS):
                yield "    initial begin"
                for i, word in enumerate(words[first : first + INITIAL_WORDS], first):
                    yield f"        {memory}[{i}] = {literal(word, bits)};"
                yield "    end"
        else:
            # Simulators start with defined numbers, as hardware does: values read from them are multiplied by 0.
            i, parts = f"{memory}_i", -(-bits // 32)
            yield "`ifndef SYNTHESIS"
            yield f"    integer {i};"
            yield f"    initial for ({i} = 0; {i} < {depth}; {i} = {i} + 1) {memory}[{i}] = {{{parts}{{$random}}}};"
            yield "`endif"
        yield f"    always @(posedge {self._name(op.clock)}) begin"
        yield f"        if ({self._name(op.enable)}) {result} <= {memory}[{self._name(op.address)}];"
        if op.data is not None and op.target is not None and op.mask is not None:
            lane = bits // op.lanes
            for i in range(op.lanes):
                bit = self._name(op.mask) if op.lanes == 1 else f"{self._name(op.mask)}[{i}]"
                part = "" if op.lanes == 1 else f"[{lane * (i + 1) - 1}:{lane * i}]"
                target = f"{memory}[{self._name(op.target)}]{part}"
                yield f"        if ({bit}) {target} <= {self._name(op.data)}{part};"
        yield "    end"

    def _name(self, value: SSAValue) -> str:
        owner = value.owner
        if isinstance(owner, hw.ConstantOp):
            return literal(owner.value.value.data, width_of(owner.result))
        return self.names[value]

    def _range(self, value: SSAValue) -> str:
        if isinstance(value.type, seq.ClockType) or width_of(value) == 1:
            return ""
        return f"[{width_of(value) - 1}:0] "
