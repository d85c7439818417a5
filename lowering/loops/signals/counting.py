"""Lowering of histogram and counting ops to loops (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i16
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import integer_constant
from tinyml.dialects.tdsl import signals
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, elements_from, flash_array
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder, function_around, local_array


@lowers(signals.HistogramOp)
def lower_histogram(op: signals.HistogramOp, nest: LoopBuilder) -> None:
    """Emit the counts column by column. A branch-free binary search finds the bin of each element."""
    columns, bins = tdsl.shape_of(op.out)
    raws, missing = op.raw_edges
    edges = flash_array(nest, raws, element_of(op.input), "edges")
    first = flash_array(nest, missing.astype(np.int16), i16, "first") if missing.any() else None
    counts = local_array(function_around(op), i16, bins, "counts")
    store = _stored(op, nest)
    zero = nest.insert(integer_constant(0, 16))
    one = nest.insert(integer_constant(1, 16))

    def histogram(indices: Indices) -> None:
        [column] = indices
        start = nest.index(0) if first is None else nest.unsigned(nest.load(first, [column]))
        nest.over((bins,), lambda at: nest.store(zero, counts, at))

        def count(at: Indices) -> None:
            x, bin = nest.load(op.input, [*at, column]), nest.index(0)
            for step in _steps(bins - 1):
                edge = nest.load(edges, [column, nest.add(bin, nest.index(step - 1))])
                above = nest.insert(num.GreaterOp(x, edge))
                bin = nest.insert(arith.SelectOp(above, nest.add(bin, nest.index(step)), bin))
            bin = bin if first is None else nest.add(bin, start)
            nest.store(nest.insert(arith.AddiOp(nest.load(counts, [bin]), one)), counts, [bin])

        nest.over((op.most,), count)
        nest.over((bins,), lambda at: store(nest.unsigned(nest.load(counts, at)), [column, *at]))

    nest.over((columns,), histogram)


@lowers(signals.LongestRunOp)
def lower_longest_run(op: signals.LongestRunOp, nest: LoopBuilder) -> None:
    run = elements_from(op.input, nest.index(0), op.most, nest)
    least, zero, one = op.least.value.data, nest.index(0), nest.index(1)

    def step(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        end, length, now = carried
        reached = nest.insert(num.AtLeastOp(nest.load(run, [i]), op.threshold.value.data))
        ends = (nest.add(now, one), zero) if op.below is None else (zero, nest.add(now, one))
        now = nest.insert(arith.SelectOp(reached, *ends))
        longer = nest.insert(arith.CmpiOp(now, length, "sgt"))
        after = nest.add(i, one)
        pairs = (after, end), (now, length)
        return [*(nest.insert(arith.SelectOp(longer, *pair)) for pair in pairs), now]

    # Numbers relative to `LEAST`: -1 for no start, and 0 for no length.
    end, length, _ = nest.fold(nest.index(op.most), [zero, nest.index(least - 1), zero], step)
    is_run = nest.insert(arith.CmpiOp(length, nest.index(least), "sge"))
    start = nest.add(nest.insert(arith.SubiOp(end, length)), one)
    results = (start, zero), (nest.add(length, one), one)
    store = _stored(op, nest)
    for at, pair in enumerate(results):
        store(nest.insert(arith.SelectOp(is_run, *pair)), [zero, nest.index(at)])


def _steps(count: int) -> list[int]:
    """The step sizes, in descending order, of a binary search among `count` ascending numbers."""
    steps: list[int] = []
    while count:
        steps.append(count - count // 2)
        count //= 2
    return steps


def _stored(op: signals.CountOp, nest: LoopBuilder) -> Callable[[SSAValue, Indices], None]:
    """A function that stores a count as a raw. The raw is computed by a multiplication or loaded from a table.

    The function receives the count minus `LEAST`.
    """
    raws, shape = op.raws, tdsl.shape_of(op.out)
    step = int(raws[1]) - int(raws[0]) if raws.dtype.kind == "i" else 0
    even = step and (raws.astype(np.int64) == int(raws[0]) + step * np.arange(len(raws))).all()
    if not even or scratch.packed_bits(scratch.memref_type(op.out)) is not None:
        table = flash_array(nest, raws, element_of(op.out), "numbers")
        return lambda number, at: nest.store(nest.load(table, [number]), op.out, at)
    integer = IntegerType(8 * raws.dtype.itemsize)
    target = nest.insert(scratch.SliceOp(op.out, nest.index(0), shape, integer))
    least = nest.insert(arith.ConstantOp(IntegerAttr(int(raws[0]), integer)))

    def store(number: SSAValue, at: Indices) -> None:
        raw = nest.insert(arith.IndexCastOp(nest.times(number, step), integer))
        nest.store(nest.insert(arith.AddiOp(raw, least)), target, at)

    return store
