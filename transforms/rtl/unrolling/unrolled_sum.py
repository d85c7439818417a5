"""Sums along an axis, unrolled to process several elements in each iteration from memories with wider words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import num, rtl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.loop_nest import LoopBuilder
from tinyml.transforms.rtl.scheduling.operators import factor, type_width
from tinyml.transforms.rtl.scheduling.regions import LOGIC, reads_index, set_lanes
from tinyml.transforms.rtl.unrolling.words import element_of_word, rises_from, word_address


class UnrolledSum:
    """A `num.reduce` that adds a term to each value that it carries, and contains no other reduction.

    reduction: the op.
    loads: the loads in its body.
    """

    def __init__(self, reduction: num.ReduceOp):
        self.reduction = reduction
        self.loads = [op for op in reduction.body.block.ops if isinstance(op, rtl.LoadOp)]

    @property
    def trips(self) -> int:
        return len(self.reduction.numbers)

    @property
    def sums(self) -> Sequence[arith.AddiOp]:
        """The additions to the carried values, in the order of these values."""
        *_, end = self.reduction.body.block.ops
        return [cast(arith.AddiOp, value.owner) for value in end.operands]

    @property
    def terms(self) -> Sequence[SSAValue]:
        """The added values, in the order of the carried values."""
        pairs = zip(self.sums, self.reduction.body.block.args[1:], strict=True)
        return [sum.rhs if sum.lhs is before else sum.lhs for sum, before in pairs]

    def computing(self) -> list[Operation]:
        """The ops of the body except the additions to the sums: those that compute the terms."""
        *ops, _ = self.reduction.body.block.ops
        return [op for op in ops if op not in self.sums]

    def takes(self, lanes: int) -> bool:
        """Whether an iteration can process `lanes` elements, a power of two. In the last iteration, excess
        elements are masked.
        """
        computed = (op for op in self.computing() if op not in self.loads)
        counts = self.reduction.numbers.start == 0 and not any(map(reads_index, computed))
        return lanes < 2 * self.trips and counts and self._aligned(lanes)

    def iterations(self, lanes: int) -> int:
        return -(-self.trips // lanes)

    def _aligned(self, lanes: int) -> bool:
        for load in self.loads:
            unit = self.trips if self._is_padded(load, lanes) else lanes
            if not load.accesses_word or not rises_from(load.address, self.reduction.body.block.args[0], unit):
                return False
        return True

    def _is_padded(self, load: rtl.LoadOp, lanes: int) -> bool:
        return self.trips % lanes != 0 and _reads_rows_alone(load, self.trips)

    def _ends_in_zeros(self, padded: Sequence[rtl.LoadOp]) -> bool:
        return all(
            isinstance(product := factor(term).owner, arith.MuliOp)
            and any(factor(operand).owner in padded for operand in product.operands)
            for term in self.terms
        )

    def unroll(self, lanes: int, in_dsps: int | None = None) -> None:
        """Process `lanes` elements in each iteration.

        in_dsps: the number of first elements that are multiplied in DSPs; all others are multiplied in logic. None if
        synthesis decides.
        """
        count = self.iterations(lanes)
        length = count * lanes
        rest = self.trips - (count - 1) * lanes
        padded = [load for load in self.loads if self._is_padded(load, lanes)]
        for load in padded:
            _pad_rows(load.memory.owner, self.trips, length)
        body = self.reduction.body.block
        end, old = body.last_op, list(body.ops)
        assert end is not None
        nest = LoopBuilder(end)
        words = {load: self._word(nest, load, lanes, length if load in padded else self.trips) for load in self.loads}
        each: list[list[SSAValue]] = []
        further = None
        if rest < lanes and count > 1 and not self._ends_in_zeros(padded):
            further = nest.insert(arith.CmpiOp(body.args[0], nest.index(count - 1), "ne"))
        for lane in range(lanes if count > 1 else rest):
            values: dict[SSAValue, SSAValue] = {}
            for op in old[:-1]:
                if isinstance(op, rtl.LoadOp):
                    values[op.results[0]] = element_of_word(nest, words[op], lane, type_width(op.results[0]))
                elif any(operand in values for operand in op.operands):
                    if any(operand in body.args[1:] for operand in op.operands):
                        continue
                    nest.put(copy := op.clone(values))
                    if isinstance(copy, arith.MuliOp) and in_dsps is not None and lane >= in_dsps:
                        copy.attributes[LOGIC] = UnitAttr()
                    values[op.results[0]] = copy.results[0]
            added = [values.get(term, term) for term in self.terms]
            each.append(added if further is None or lane < rest else [_only(nest, further, term) for term in added])
        sums = [adder_tree(nest, [lane[i] for lane in each]) for i in range(len(self.terms))]
        end.operands = [nest.add(*pair) for pair in zip(body.args[1:], sums, strict=True)]
        for op in reversed(old[:-1]):
            if not any(result.uses.get_length() for result in op.results):
                Rewriter.erase_op(op)
        self.reduction.extent = IntegerAttr(count, i64)
        set_lanes(self.reduction, len(each))

    def _word(self, nest: LoopBuilder, load: rtl.LoadOp, lanes: int, length: int) -> SSAValue:
        counter = self.reduction.body.block.args[0]
        address = word_address(nest, load.address, counter, lanes, (length, self.trips))
        # The memory is widened to the word later; its type is verified after the pass.
        return nest.insert(rtl.LoadOp(load.memory, address, IntegerType(lanes * type_width(load.result))))


def sums_of(function: func.FuncOp) -> Sequence[UnrolledSum]:
    """The innermost reductions of a function whose values are all sums, in the order of the program. No term depends on
    another sum.
    """
    reductions = [op for op in function.walk() if isinstance(op, num.ReduceOp) and not any(_reductions_in(op))]
    found = [UnrolledSum(op) for op in reductions if {kind.data for kind in op.kinds} == {num.SUM}]
    return [each for each in found if all(sum.result.has_one_use() for sum in each.sums)]


def _reductions_in(op: num.ReduceOp) -> Iterator[Operation]:
    return (inner for inner in op.body.block.ops if inner.regions)


def _reads_rows_alone(load: rtl.LoadOp, length: int) -> bool:
    memory = load.memory.owner
    if not isinstance(memory, rtl.MemoryOp) or memory.result.type.depth.data % length:
        return False
    return memory.is_table and memory.result.uses.get_length() == 1


def _pad_rows(memory: Operation | Block, trips: int, length: int) -> None:
    """Pad each row of a constant matrix with zeros.

    trips: the length of a row before padding.
    length: the length after padding.
    """
    assert isinstance(memory, rtl.MemoryOp)
    assert memory.content is not None
    element = memory.content.get_element_type()
    rows = np.frombuffer(memory.content.data.data, f"<i{memory.result.type.width.data // 8}").reshape(-1, trips)
    longer = np.pad(rows, ((0, 0), (0, length - trips)))
    type = TensorType(element, [longer.size])
    content = DenseIntOrFPElementsAttr(type, BytesAttr(np.ascontiguousarray(longer).tobytes()))
    wider = rtl.MemoryOp(rtl.MemoryType(longer.size, memory.result.type.width.data), content)
    wider.result.name_hint = memory.result.name_hint
    Rewriter.replace_op(memory, wider)


def _only(nest: LoopBuilder, condition: SSAValue, term: SSAValue) -> SSAValue:
    return nest.insert(arith.SelectOp(condition, term, nest.constant(0, term.type)))


def adder_tree(nest: LoopBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """Insert a balanced tree of additions, and return the sum of the values."""
    while len(values) > 1:
        sums = [nest.add(*pair) for pair in zip(values[::2], values[1::2], strict=False)]
        values = [*sums, *values[len(sums) * 2 :]]
    return values[0]
