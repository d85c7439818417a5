"""The hints for high-level synthesis in a program's loops and arrays: pipelining, unrolling and partitioning."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import num, scratch
from tinyml.dialects.c.declarations import PARTITION, PIPELINE, UNROLL
from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, integer
from tinyml.dialects.functions import set_argument_attribute
from tinyml.transforms.ir.pipeline_names import BITS_TO_LANES, LoweringPasses
from tinyml.transforms.rtl.scheduling.regions import lanes_of

_LOOPS = scf.ForOp | num.EntriesOp | num.NestOp | num.ReduceOp

_ORIGIN = DiscardableAttribute(
    "rtl.origin",
    {HolderKind.OPERATION: integer(0)},
    "The index of the loop that contains a term, on a copy of the program that is lowered to hardware.",
)


def hint_loops(op: ModuleOp, cells: int) -> None:
    """Set the hints of all innermost loops and of the arrays that they load.

    cells: the budget of logic cells in percent.
    """
    loops = [loop for loop in op.walk() if isinstance(loop, _LOOPS) and not any(_loops_in(loop))]
    partitions: dict[SSAValue, int] = {}
    factors = _factors(op, loops, cells)
    for number, loop in enumerate(loops):
        loop.attributes[PIPELINE] = UnitAttr()
        if (factor := factors.get(number)) is not None and factor > 1:
            loop.attributes[UNROLL] = IntegerAttr(factor, i64)
            for array in _read_in(loop):
                partitions[array] = max(partitions.get(array, factor), factor)
    for array, factor in partitions.items():
        hint = IntegerAttr(factor, i64)
        if isinstance(array.owner, Operation):
            array.owner.attributes[PARTITION] = hint
        elif isinstance(function := array.owner.parent_op(), func.FuncOp) and [*function.args] == [array]:
            set_argument_attribute(function, PARTITION, hint)


def _loops_in(loop: _LOOPS) -> Iterator[Operation]:
    return (op for op in loop.walk() if op is not loop and op.regions)


def _factors(module: ModuleOp, loops: list[_LOOPS], cells: int) -> dict[int, int]:
    """For each loop that adds terms to sums, by its position in `loops`, the number of elements that hardware from the
    same program would process at once.

    cells: the budget of logic cells in percent.
    """
    copy, factors = module.clone(), dict[int, int]()
    twins = dict(zip(module.walk(), copy.walk(), strict=True))
    for number, loop in enumerate(loops):
        for term in _terms(loop):
            twins[term].attributes[_ORIGIN] = IntegerAttr(number, i64)
    LoweringPasses((BITS_TO_LANES,), cells=cells).apply(copy)
    for op in copy.walk():
        if isinstance(origin := op.attributes.get(_ORIGIN), IntegerAttr) and isinstance(
            loop := op.parent_op(), scf.ForOp
        ):
            number, lanes = origin.value.data, lanes_of(loop)
            factors[number] = max(factors.get(number, lanes), lanes)
    return factors


def _terms(loop: _LOOPS) -> list[Operation]:
    *_, end = loop.body.block.ops
    sums = [value.owner for value in (() if isinstance(loop, num.NestOp) else end.operands)]
    return [
        term
        for sum in sums
        if isinstance(sum, arith.AddiOp)
        for operand in sum.operands
        if not isinstance(term := operand.owner, Block) and term.parent is loop.body.block
    ]


def _read_in(loop: _LOOPS) -> list[SSAValue]:
    found = [loop.gaps] if isinstance(loop, num.EntriesOp) else []
    for op in loop.body.block.ops:
        if isinstance(op, memref.LoadOp):
            array: SSAValue = op.memref
            while isinstance(view := array.owner, scratch.SliceOp | scratch.ViewOp | memref.CastOp):
                array = view.operands[0]
            found.append(array)
    return found
