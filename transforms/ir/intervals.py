"""Intervals of indices and integers. The interval of a value determines how many bits the value needs in hardware."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, rtl
from tinyml.dialects.rtl.ops import raws_of

Interval: TypeAlias = "tuple[int, int]"

INDEX = (-(1 << 31), (1 << 31) - 1)
"""The interval of an unconstrained index."""

_SIGNED_LESS = 2
"""The predicate `slt` of comparisons."""

_ROUNDS = 4
"""Passes over a program before the intervals of loop variables that still grow are widened."""


def type_interval(value: SSAValue) -> Interval:
    """The least and the greatest signed integer that a value's type represents."""
    if isinstance(value.type, IndexType):
        return INDEX
    width = cast("IntegerType[int, Any]", value.type).width.data
    return -(1 << width - 1), (1 << width - 1) - 1


def intervals(function: func.FuncOp) -> Mapping[SSAValue, Interval]:
    return Intervals(function).known


class Intervals:
    """The intervals of a function, which can be extended by those of loops that are inserted later.

    known: for each integer and index, an interval that contains it as a signed number.
    """

    def __init__(self, function: func.FuncOp):
        self.known: dict[SSAValue, Interval] = {}
        self._contents = dict(_contents(function))
        self._analyse(function)

    def add(self, loop: scf.ForOp) -> None:
        """Analyse a loop that computes from constants and from values with known intervals."""
        for value in (value for op in loop.walk() for value in op.operands):
            if isinstance(value.owner, arith.ConstantOp):
                self.known[value] = _computed(value.owner, [])
        self._analyse(loop)

    def _analyse(self, top: func.FuncOp | scf.ForOp) -> None:
        known, loaded = self.known, dict(self._loaded(top))

        def visit(widen: bool, shrinks: bool = False) -> bool:
            before = dict(known)
            _Pass(known, loaded, widen, shrinks).top(top)
            return known == before

        if any(visit(widen=last >= _ROUNDS - 2) for last in range(_ROUNDS)):
            return
        # Loop variables whose intervals still grow are widened to nearly all integers; dependent values follow.
        while not visit(widen=True):
            pass
        # If a comparison limits them, they shrink again.
        for _ in range(_ROUNDS):
            visit(widen=False, shrinks=True)

    def _loaded(self, top: Operation) -> Iterator[tuple[SSAValue, Interval]]:
        """Yield the elements that are loaded from constant memories, singly or as parts of words, with their
        intervals.
        """
        for op in top.walk():
            for memory in op.operands:
                if (content := self._contents.get(memory)) is not None:
                    bits, interval = content
                    for element in _elements(op.results, bits):
                        yield element, interval


def width_for(interval: Interval) -> int:
    """The least number of bits of signed integers that represent an interval."""
    low, high = interval
    return max(high.bit_length(), (-low - 1).bit_length() if low < 0 else 0) + 1


def _contents(function: func.FuncOp) -> Iterator[tuple[SSAValue, tuple[int, Interval]]]:
    """Yield the constant memories of a function, with the bits of their elements and an interval of all elements."""
    for op in function.walk():
        if isinstance(op, rtl.MemoryOp) and op.content is not None:
            bits, raws = raws_of(op.content, op.result.type)
            signed = raws.astype("i8") << 64 - bits >> 64 - bits
            # Padding after the elements is 0.
            yield op.result, (bits, (min(int(signed.min(initial=0)), 0), max(int(signed.max(initial=0)), 0)))


def _elements(words: Iterable[SSAValue], bits: int) -> Iterator[SSAValue]:
    for word in words:
        if cast("IntegerType[int, Any]", word.type).width.data == bits:
            yield word
            continue
        for op in [use.operation for use in word.uses]:
            lane = const_evaluate_operand(op.rhs) if isinstance(op, arith.ShRUIOp) else None
            if isinstance(op, arith.TruncIOp) or (lane is not None and lane % bits == 0):
                yield from _elements(op.results, bits)


class _Pass:
    """One pass of the interval analysis over a program.

    known: the intervals found so far, which the pass updates.
    loaded: the intervals of loaded values.
    widen: whether to extend growing intervals to nearly all integers, so that the analysis terminates.
    shrinks: whether to narrow intervals that are already valid.
    """

    def __init__(
        self, known: dict[SSAValue, Interval], loaded: Mapping[SSAValue, Interval], widen: bool, shrinks: bool = False
    ):
        self.known = known
        self.loaded = loaded
        self.widen = widen
        self.shrinks = shrinks

    def of(self, value: SSAValue) -> Interval:
        return self.known.get(value) or type_interval(value)

    def top(self, op: func.FuncOp | scf.ForOp) -> None:
        if isinstance(op, scf.ForOp):
            self._loop(op)
        else:
            self.block(op.body.block)

    def block(self, block: Block) -> None:
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                self._loop(op)
            elif isinstance(op, num.ReduceOp):
                self.known[op.body.block.args[0]] = op.numbers.start, max(op.numbers.stop - 1, op.numbers.start)
                self._carry(op.body.block, op.starts, op.joined)
            elif op.regions:
                if isinstance(op, num.NestOp):
                    self.known |= {axis: (0, size - 1) for axis, size in zip(op.body.block.args, op.shape, strict=True)}
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner)
            elif len(op.results) == 1 and isinstance(op.results[0].type, IntegerType | IndexType):
                if (interval := self.loaded.get(op.results[0])) is not None:
                    self.known[op.results[0]] = interval
                    continue
                low, high = _computed(op, [self.of(operand) for operand in op.operands])
                low, high = self._limited(op, (low, high))
                least, most = type_interval(op.results[0])
                wraps = low < least or high > most
                self.known[op.results[0]] = (least, most) if wraps else (low, high)

    def _loop(self, op: scf.ForOp) -> None:
        body = op.body.block
        (first, _), (_, end), (step, _) = self.of(op.lb), self.of(op.ub), self.of(op.step)
        low, high = self.of(op.lb)
        last = end - 1
        if low == high and op.ub.owner and step > 0 and self.of(op.step)[0] == self.of(op.step)[1]:
            last = first + (max(end - first - 1, 0)) // step * step
        self.known[body.args[0]] = first, max(last, high)
        self._carry(body, op.iter_args, op.results)

    def _carry(self, body: Block, inits: Sequence[SSAValue], results: Sequence[SSAValue]) -> None:
        for argument, init in zip(body.args[1:], inits, strict=True):
            if not self.shrinks:
                self._join(argument, init)
        self.block(body)
        assert body.last_op is not None
        carried = zip(body.args[1:], inits, body.last_op.operands, results, strict=True)
        for argument, init, yielded, result in carried:
            if self.shrinks:
                (a, b), (c, d), old = self.of(init), self.of(yielded), self.of(argument)
                self.known[argument] = max(old[0], min(a, c)), min(old[1], max(b, d))
            else:
                self._join(argument, yielded)
            self.known[result] = self.of(argument)

    def _limited(self, op: Operation, interval: Interval) -> Interval:
        if not isinstance(op, arith.SelectOp) or not isinstance(test := op.cond.owner, arith.CmpiOp):
            return interval
        if test.predicate.value.data != _SIGNED_LESS or test.lhs is not op.lhs:
            return interval
        (low, high), (other_low, other_high) = self.of(op.lhs), self.of(op.rhs)
        return min(low, other_low), max(min(high, self.of(test.rhs)[1] - 1), other_high)

    def _join(self, argument: SSAValue, value: SSAValue) -> None:
        low, high = self.of(value)
        if (old := self.known.get(argument)) is None:
            self.known[argument] = low, high
        elif low < old[0] or high > old[1]:
            low, high = min(low, old[0]), max(high, old[1])
            if self.widen:
                least, most = type_interval(argument)
                # Half of the range at first, so that a step beyond it does not wrap around.
                low = low if low == old[0] else least // 2 if old[0] > least // 2 else least
                high = high if high == old[1] else most // 2 if old[1] < most // 2 else most
            self.known[argument] = low, high


def _computed(op: Operation, operands: list[Interval]) -> Interval:
    match op:
        case arith.ConstantOp(value=IntegerAttr(value=value)):
            return value.data, value.data
        case arith.AddiOp():
            (a, b), (c, d) = operands
            return a + c, b + d
        case arith.SubiOp():
            (a, b), (c, d) = operands
            return a - d, b - c
        case arith.MuliOp():
            corners = [x * y for x in operands[0] for y in operands[1]]
            return min(corners), max(corners)
        case arith.MinSIOp():
            (a, b), (c, d) = operands
            return min(a, c), min(b, d)
        case arith.MaxSIOp():
            (a, b), (c, d) = operands
            return max(a, c), max(b, d)
        case arith.SelectOp():
            (a, b), (c, d) = operands[1:]
            return min(a, c), max(b, d)
        case arith.ShRSIOp() if operands[1][0] == operands[1][1] >= 0:
            return operands[0][0] >> operands[1][0], operands[0][1] >> operands[1][0]
        case arith.AndIOp() if operands[1][0] >= 0:
            return 0, operands[1][1]
        case arith.ExtSIOp() | arith.IndexCastOp() | arith.TruncIOp():
            return operands[0]
        case arith.ExtUIOp():
            width = cast("IntegerType[int, Any]", op.operands[0].type).width.data
            return operands[0] if operands[0][0] >= 0 else (0, (1 << width) - 1)
        case arith.DivSIOp() | arith.FloorDivSIOp() if operands[0][0] >= 0 and operands[1][0] > 0:
            return operands[0][0] // operands[1][1], operands[0][1] // operands[1][0]
        case arith.RemSIOp() | arith.RemUIOp() if operands[0][0] >= 0 and operands[1][0] > 0:
            return 0, min(operands[0][1], operands[1][1] - 1)
        case _:
            return type_interval(op.results[0])
