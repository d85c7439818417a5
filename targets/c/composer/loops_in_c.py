"""Lane functions (`num.lane_function`) in plain C. A loop computes the lanes one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith, func, memref
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.num import GREATEST, PLACE, SUM, NextOp, ReduceOp
from tinyml.dialects.num.kernels.lane_programs import (
    GREATER,
    REQUANTISING,
    Element,
    Entry,
    Join,
    LaneProgram,
    Operand,
    RowSum,
    Shared,
    called,
)

_OPERATORS: Mapping[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.AndIOp: "&",
    arith.ShRSIOp: ">>",
}


def loop_signature(symbol: str, program: LaneProgram) -> str:
    """The head of the C function of a lane function. Its parameters are the input runs, then the result."""
    *read, result = (f"int{width}_t" for width in program.widths)
    inputs = "".join(f"const {element} *x{number}, " for number, element in enumerate(read))
    return f"void {symbol}({inputs}{result} *out)"


def loop_in_c(program: LaneProgram) -> str:
    return _Function(program).body


class _Function:
    """The C statements of a lane function. The name of a value is derived from its position in the program."""

    def __init__(self, program: LaneProgram):
        self.program = program

    @property
    def body(self) -> str:
        program, indent = self.program, 2
        lines = [f"    for (int i = 0; i < {program.count}; i++) {{"]
        if program.lines > 1:
            runs = [*(f"x{number}" for number in range(len(program.widths) - 1)), "out"]
            moves = "".join(f", {run} += {pitch}" for run, pitch in zip(runs, program.pitches, strict=True) if pitch)
            lines.insert(0, f"    for (int line = 0; line < {program.lines}; line++{moves})")
        for op in program.ops:
            for line in self._statements(op):
                indent -= line == "}" and isinstance(op, NextOp)
                lines.append(f"{'    ' * indent}{line}")
                indent += line.endswith("{") and program.is_inner(op)
        return "\n".join([*self._started(), *lines, "    }", *self._ended()])

    def _started(self) -> Iterator[str]:
        if (join := self.program.join) is not None:
            yield f"    int32_t all = {self._value(join.start)};"
            if join.kind == PLACE:
                yield f"    int32_t place = {join.other};"

    def _ended(self) -> Iterator[str]:
        if (join := self.program.join) is not None:
            yield f"    out[0] = (int{self.program.widths[-1]}_t){'place' if join.kind == PLACE else 'all'};"

    def _value(self, operand: Operand) -> str:
        if isinstance(operand, int):
            # The least integer has no literal.
            return str(operand) if operand > -(1 << 31) else f"({operand + 1} - 1)"
        access = self.program.accesses.get(operand.owner) if isinstance(operand.owner, Operation) else None
        return f"x{access.run}[0]" if isinstance(access, Shared) else self._name(operand)

    def _name(self, value: SSAValue) -> str:
        return f"v{self.program.defined[value]}"

    def _statements(self, op: Operation) -> Iterator[str]:
        program, values = self.program, [self._value(one) for one in self.program.operands(op)]
        match op:
            case arith.MinSIOp() | arith.MaxSIOp():
                a, b = values
                yield self._defined(op, f"{a} {'<' if isinstance(op, arith.MinSIOp) else '>'} {b} ? {a} : {b}")
            case arith.SelectOp():
                yield self._defined(op, f"{values[0]} ? {values[1]} : {values[2]}")
            case arith.CmpiOp():
                sign = ">" if op.predicate.value.data == GREATER else ">="
                yield self._defined(op, f"{values[0]} {sign} {values[1]}")
            case arith.ShLIOp():
                yield self._defined(op, f"(int32_t)((uint32_t){values[0]} << {program.amount(op)})")
            case arith.ShRSIOp():
                yield self._defined(op, f"{values[0]} >> {program.amount(op)}")
            case func.CallOp():
                yield self._defined(op, f"{called(op)}({', '.join(self._arguments(op, values))})")
            case memref.StoreOp():
                yield f"out[i] = (int{program.widths[-1]}_t){values[0]};"
            case memref.LoadOp():
                yield from self._load(op, program.accesses[op])
            case ReduceOp() if (sum := program.sums.get(op)) is not None:
                yield from self._sum(op, sum)
            case ReduceOp() if program.is_inner(op):
                for value, start in zip(program.carried(op), values, strict=True):
                    yield f"int32_t {self._name(value)} = {start};"
                number = self._number(op)
                yield f"for (int {number} = 0; {number} < {len(op.numbers)}; {number}++) {{"
            case ReduceOp():
                yield from self._joined(program.join)
            case NextOp():
                for value, following in zip(program.carried(op), values, strict=True):
                    yield f"{self._name(value)} = {following};"
                yield "}"
            case _:
                yield self._defined(op, f"{values[0]} {_OPERATORS[type(op)]} {values[1]}")

    def _defined(self, op: Operation, text: str) -> str:
        return f"const int32_t {self._name(op.results[0])} = {text};"

    def _arguments(self, op: func.CallOp, values: Sequence[str]) -> Sequence[str]:
        if called(op) not in REQUANTISING:
            return values
        if (factors := self.program.factors(op, *REQUANTISING)) is not None:
            return [*values, *map(str, factors)]
        x, multiplier, shift = values
        return [x, multiplier, f"(int8_t){shift}"]

    def _number(self, loop: ReduceOp) -> str:
        return f"i{self.program.own_place(loop)}"

    def _load(self, op: memref.LoadOp, access: Element | Shared | Entry) -> Iterator[str]:
        match access:
            case Element(run, offset, strides):
                loops = zip(strides, self.program.around(op), strict=True)
                terms = [f" + {stride} * {self._number(loop)}" for stride, loop in loops if stride]
                yield self._defined(op, f"x{run}[i{f' + {offset}' if offset else ''}{''.join(terms)}]")
            case Entry(run, index):
                yield self._defined(op, f"x{run}[{self._value(index)}]")
            case Shared():
                # Ops that read it use the element's name.
                pass

    def _sum(self, op: ReduceOp, sum: RowSum) -> Iterator[str]:
        factors = f"x{sum.rows}[{sum.pitch} * i + k]", f"x{sum.vector}[k]"
        product = "({0} - {1}) * ({0} - {1})" if sum.differs else "{0} * {1}"
        name = self._name(op.results[0])
        yield f"int32_t {name} = 0;"
        yield f"for (int k = 0; k < {sum.length}; k++)"
        yield f"    {name} += {product.format(*factors)};"

    def _joined(self, join: Join | None) -> Iterator[str]:
        assert join is not None
        value = self._value(join.value)
        if join.kind == SUM:
            yield f"all += {value};"
        elif join.kind == GREATEST:
            yield f"all = {value} > all ? {value} : all;"
        else:
            yield f"if ({value} > all) {{"
            yield f"    all = {value};"
            yield f"    place = {join.first} + i;"
            yield "}"
