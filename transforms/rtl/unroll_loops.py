"""`unroll-loops`: sums of products take several elements in each iteration, from memories with wider words.

SeeDot (section 6.2.2) gives its hardware hints to unroll loops. Here an iteration reads words of as many elements as
it adds, so that each memory keeps its one port, and the terms of an iteration are added as a tree before they join the
sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError
from tinyml.transforms.rtl.scheduling.dependences import terms, trips_of
from tinyml.transforms.rtl.scheduling.regions import is_pipelined, is_pure


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """Unrolls innermost loops that only add, by the greatest power of two that divides the addresses and the length.

    factor: the most elements that an iteration takes; raises `InputError` unless it is positive.
    """

    name = "unroll-loops"
    factor: int = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.factor < 1:
            raise InputError(f"unroll-loops: a factor of {self.factor}")
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                _widen(function, self.factor)


def _widen(function: func.FuncOp, factor: int) -> None:
    """Unrolls the loops of a function, then gives their memories the words that they read."""
    sums = [UnrolledSum.of(op) for op in function.walk() if isinstance(op, scf.ForOp)]
    for sum in sums:
        if sum is not None and (lanes := sum.lanes(factor)) > 1:
            sum.unroll(lanes)
    for op in list(function.walk()):
        if isinstance(op, rtl.MemoryOp):
            type = op.result.type
            loads = [use.operation.result for use in op.result.uses if isinstance(use.operation, rtl.LoadOp)]
            width = max([type.width.data, *(_width(load) for load in loads)])
            if width > type.width.data:
                depth = -(-type.depth.data * type.width.data // width)
                wider = rtl.MemoryOp(rtl.MemoryType(depth, width), op.content)
                wider.result.name_hint = op.result.name_hint
                Rewriter.replace_op(op, wider)


def _width(value: SSAValue) -> int:
    return cast("IntegerType[int, Any]", value.type).width.data


@dataclass
class UnrolledSum:
    """A loop that adds a term to each carried value; terms: those, in order."""

    loop: scf.ForOp
    trips: int
    loads: Sequence[rtl.LoadOp]
    terms: Sequence[SSAValue]

    @staticmethod
    def of(loop: scf.ForOp) -> UnrolledSum | None:
        """A loop as a sum; None if it does anything else."""
        body, trips = loop.body.block, trips_of(loop)
        end = body.last_op
        bounds = const_evaluate_operand(loop.lb), const_evaluate_operand(loop.step)
        if not is_pipelined(loop) or trips is None or bounds != (0, 1) or end is None or len(body.args) < 2:
            return None
        added: list[SSAValue] = []
        for carried, yielded in zip(body.args[1:], end.operands, strict=True):
            sum = yielded.owner
            if not isinstance(sum, arith.AddiOp) or carried not in sum.operands or carried.uses.get_length() != 1:
                return None
            added.append(sum.rhs if sum.lhs is carried else sum.lhs)
        loads = [op for op in body.ops if isinstance(op, rtl.LoadOp)]
        others = [op for op in body.ops if op not in loads and op is not end]
        if any(not is_pure(op) for op in others) or _counts(loop, loads):
            return None
        return UnrolledSum(loop, trips, loads, added)

    def computing(self) -> list[Operation]:
        """The ops that compute the terms."""
        body = self.loop.body.block
        sums = {yielded.owner for yielded in (body.last_op.operands if body.last_op is not None else ())}
        return [op for op in body.ops if op not in sums and op is not body.last_op]

    def lanes(self, factor: int) -> int:
        """The elements that an iteration can take, at most `factor`."""
        lanes = 1
        while 2 * lanes <= factor and self.trips % (2 * lanes) == 0 and self._aligned(2 * lanes):
            lanes *= 2
        return lanes

    def _aligned(self, lanes: int) -> bool:
        for load in self.loads:
            parts = terms(load.address)
            word = cast("rtl.MemoryType", load.memory.type)
            if parts.pop(self.loop.body.block.args[0], 0) != 1 or word.width.data != _width(load.result):
                return False
            if any(part % lanes for part in parts.values()):
                return False
        return True

    def unroll(self, lanes: int) -> None:
        """Takes `lanes` elements in each iteration."""
        body = self.loop.body.block
        end, old = body.last_op, list(body.ops)
        assert end is not None
        builder = Builder(InsertPoint.before(end))
        words = {load: self._word(builder, load, lanes) for load in self.loads}
        each: list[list[SSAValue]] = []
        for lane in range(lanes):
            values: dict[SSAValue, SSAValue] = {}
            for op in old[:-1]:
                if isinstance(op, rtl.LoadOp):
                    values[op.results[0]] = _element(builder, words[op], lane, _width(op.results[0]))
                elif any(operand in values for operand in op.operands):
                    if any(operand in body.args[1:] for operand in op.operands):
                        continue
                    values[op.results[0]] = builder.insert(op.clone(values)).results[0]
            each.append([values.get(term, term) for term in self.terms])
        sums = [_tree(builder, [lane[i] for lane in each]) for i in range(len(self.terms))]
        totals = [builder.insert(arith.AddiOp(c, s)).result for c, s in zip(body.args[1:], sums, strict=True)]
        end.operands = totals
        for op in reversed(old[:-1]):
            if not any(result.uses.get_length() for result in op.results):
                Rewriter.erase_op(op)
        trips = arith.ConstantOp(IntegerAttr(self.trips // lanes, IndexType()))
        Builder(InsertPoint.before(self.loop)).insert(trips)
        self.loop.operands[1] = trips.result

    def _word(self, builder: Builder, load: rtl.LoadOp, lanes: int) -> SSAValue:
        """The word of the elements that an iteration reads at a load."""
        counter = self.loop.body.block.args[0]
        address: SSAValue = counter
        parts: Mapping[SSAValue | None, int] = terms(load.address)
        for value, part in parts.items():
            if value is counter or part == 0:
                continue
            factor = builder.insert(arith.ConstantOp(IntegerAttr(part // lanes, IndexType()))).result
            scaled = factor if value is None else builder.insert(arith.MuliOp(value, factor)).result
            address = builder.insert(arith.AddiOp(address, scaled)).result
        width = lanes * _width(load.result)
        # The memory becomes as wide as the word later; its type is checked after the pass.
        return builder.insert(rtl.LoadOp(load.memory, address, IntegerType(width))).result


def _element(builder: Builder, word: SSAValue, lane: int, width: int) -> SSAValue:
    if lane:
        type = IntegerType(_width(word))
        amount = builder.insert(arith.ConstantOp(IntegerAttr(lane * width, type))).result
        word = builder.insert(arith.ShRUIOp(word, amount)).result
    return builder.insert(arith.TruncIOp(word, IntegerType(width))).result


def _tree(builder: Builder, values: list[SSAValue]) -> SSAValue:
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [builder.insert(arith.AddiOp(a, b)).result for a, b in pairs]
    return values[0]


def _counts(loop: scf.ForOp, loads: Sequence[rtl.LoadOp]) -> bool:
    """True if a loop uses its counter for more than the addresses of its loads."""
    seen: set[SSAValue] = set()
    queue: list[SSAValue] = [loop.body.block.args[0]]
    while queue:
        value = queue.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            if use.operation in loads:
                continue
            if not isinstance(use.operation, arith.AddiOp | arith.MuliOp):
                return True
            queue.append(use.operation.results[0])
    return False
