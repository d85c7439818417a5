"""Records of the sums of a contraction. Bodies are generated from random plans of sums, and the records that are parsed
from the op must equal these plans.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, ModuleOp, i8
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import num
from tinyml.dialects.context import context
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.transforms.loops.block_rows import BlockRowsPass
from tinyml.transforms.loops.select_kernels import SelectKernelsPass

ROWS, LENGTH = 5, 4
"""A block of four rows, and one more."""

BYTES, FINER_BYTES = ExactNumbers.INTEGERS(8, 4).type, ExactNumbers.INTEGERS(8, 6).type
START = ExactNumbers.INTEGERS(32, 8).type
COARSE, FINE = AccumulatorType(32, 8).type, AccumulatorType(32, 10).type


@dataclass(frozen=True)
class Plan:
    """A sum to generate.

    begin: its initial value: "zero", "start" for a converted number, "memory" for a stored sum, or "before" for the sum
        before.
    terms: the number of its terms.
    align: the index of the term before which the sum is aligned; None for no alignment.
    shifted: whether the complete sum is shifted.
    finishes: the number of ops that round it; 0 for a sum that is stored.
    """

    begin: str
    terms: int
    align: int | None
    shifted: bool
    finishes: int


PLANS = st.builds(
    Plan,
    st.sampled_from(["zero", "start", "memory", "before"]),
    st.integers(1, 3),
    st.none() | st.integers(0, 2),
    st.booleans(),
    st.integers(0, 3),
)


class Body:
    """The body of a contraction, and the expected record of each sum in it."""

    def __init__(self) -> None:
        rows = [MemRefType(element, [ROWS]) for element in (BYTES, START, COARSE, FINE, i8)]
        vectors = [MemRefType(element, [LENGTH]) for element in (BYTES, FINER_BYTES)]
        self.outside = Block(arg_types=[MemRefType(BYTES, [ROWS, LENGTH]), *vectors, *rows])
        self.weights, self.vector, self.finer, self.bytes, self.starts, *self.sums, self.places = self.outside.args
        self.block = Block(arg_types=[IndexType()])
        self.wanted: list[num.Sum] = []
        self.stores: list[memref.StoreOp] = []

    @classmethod
    def of(cls, *plans: Plan) -> Body:
        body = cls()
        for plan in plans:
            body.add(plan)
        return body

    def module(self) -> ModuleOp:
        """A function that consists of the contraction."""
        self.outside.add_ops([num.ContractOp([ROWS], Region(self.block)), func.ReturnOp()])
        return ModuleOp([func.FuncOp("rows", (self.outside.arg_types, []), Region(self.outside))])

    def put(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def load(self, memory: SSAValue) -> SSAValue:
        return self.put(memref.LoadOp.get(memory, [self.block.args[0]]))

    def store(self, value: SSAValue, memory: SSAValue) -> None:
        self.stores.append(memref.StoreOp.get(value, memory, [self.block.args[0]]))
        self.block.add_op(self.stores[-1])

    def begin(self, plan: Plan) -> SSAValue:
        if plan.begin == "before" and self.wanted and not self.wanted[-1].conversions:
            return self.wanted[-1].links[-1].result
        if plan.begin == "start":
            return self.put(num.StartOp(self.load(self.starts), COARSE))
        return self.put(num.ZeroOp(COARSE)) if plan.begin == "zero" else self.load(self.sums[0])

    def add(self, plan: Plan) -> None:
        start = sum = self.begin(plan)
        terms: list[num.Term] = []
        for number in range(plan.terms):
            align = num.AlignOp(sum, FINE) if number == plan.align and sum.type == COARSE else None
            aligned = sum if align is None else self.put(align)
            vector = self.vector if aligned.type == COARSE else self.finer
            products = num.ProductsOp(aligned, self.weights, vector)
            terms.append(num.Term(products, align))
            sum = self.put(products)
        shifts = [num.ShiftOp(sum, self.load(self.places))] if plan.shifted else []
        for shift in shifts:
            sum = self.put(shift)
        for _ in range(plan.finishes):
            self.store(self.put(num.FinishOp(sum, BYTES)), self.bytes)
        if not plan.finishes:
            self.store(sum, self.sums[sum.type == FINE])
        self.wanted.append(num.Sum(start, terms, shifts))


@given(st.lists(PLANS, max_size=4))
def test_records_are_what_was_generated(plans: list[Plan]):
    body = Body.of(*plans)
    op = num.ContractOp([ROWS], Region(body.block))
    op.verify()
    assert op.sums == body.wanted
    assert op.stores == body.stores
    assert [len(sum.finishes) for sum in op.sums] == [plan.finishes for plan in plans]
    for sum in body.wanted:
        # Each of its ops but the last leads to the same record.
        assert all(num.Sum.of(products) == sum for products, _ in sum.terms)
        loads = isinstance(start := sum.start.owner, num.StartOp) and start.value.owner
        assert sum.start_load is (loads or None)


@pytest.mark.long
@given(st.lists(PLANS, max_size=4))
@settings(max_examples=40)
def test_what_the_verifier_admits_becomes_loops_and_calls_of_kernels(plans: list[Plan]):
    module = Body.of(*plans).module()
    module.verify()
    stores = sum(isinstance(op, memref.StoreOp) for op in module.walk())
    for step in (BlockRowsPass("cortex-m4"), SelectKernelsPass("cortex-m4")):
        step.apply(context(), module)
        module.verify()
    assert not any(isinstance(op, num.ContractOp) for op in module.walk())
    assert sum(isinstance(op, memref.StoreOp) for op in module.walk()) >= stores


def of_one(begin: str = "zero", finishes: int = 1, bits: int = 16) -> num.Sum:
    """The record of a sum of two terms in an accumulator.

    begin, finishes: the fields of its `Plan`.
    bits: the width of the accumulator.
    """
    [sum] = Body.of(Plan(begin, 2, None, True, finishes)).wanted
    for value in (sum.start, *(link.result for link in sum.links)):
        Rewriter.replace_value_with_new_type(value, AccumulatorType(bits, 8).type)
    return num.Sum.of(sum.terms[0].products)


def test_a_sum_that_begins_and_ends_here_moves_to_wider_accumulators():
    for begin, finishes in (("zero", 1), ("start", 3)):
        sum = of_one(begin, finishes)
        assert [accumulator.bits for accumulator in sum.accumulators(sum.start)] == [16, 24, 32, 64]


def test_a_sum_in_memory_keeps_its_accumulator():
    for begin, finishes in (("memory", 1), ("zero", 0)):
        sum = of_one(begin, finishes)
        assert [accumulator.bits for accumulator in sum.accumulators(sum.start)] == [16]


def test_the_store_of_a_sum_is_the_only_one_and_in_order():
    body = Body.of(Plan("zero", 1, None, False, 1))
    op = num.ContractOp([ROWS], Region(body.block))
    assert op.store_of(op.sums[0]) is body.stores[0]
    body.store(body.load(body.bytes), body.bytes)
    assert op.store_of(op.sums[0]) is None
    body.stores[1].detach()
    body.block.insert_op_before(zero := arith.ConstantOp(IntegerAttr(0, IndexType())), body.stores[0])
    body.stores[0].operands[2] = zero.result
    assert op.store_of(op.sums[0]) is None
