"""`lower-tdsl-to-loops`: tensor ops on buffers become loops over scalars (L2 to L3).

Sums run in a register: a product of matrices has one accumulator per result element, and nothing of the length of
the sum is ever stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import xdsl.dialects.memref as upstream_memref
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i8, i16
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.layouts.csr import compress
from tinyml.dialects.locations import error_at
from tinyml.lowering.loops import movement
from tinyml.lowering.loops.movement import elements_from
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.lowering.loops.zero_points import Start, start_without_offsets
from tinyml.transforms.ir.loop_nest import Indices, LoopNest


@dataclass(frozen=True)
class LowerTdslToLoopsPass(ModulePass):
    """Replaces every tdsl op on memrefs; what takes an op's place has its name in the location.

    Raises `InputError` for an op that has no lowering yet.
    """

    name = "lower-tdsl-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        name_operations(op)
        for one in list(op.walk()):
            if (lower := _LOWERINGS.get(type(one))) is not None:
                lower(one, LoopNest(one))
                one.detach()
                one.erase()
            elif isinstance(one, tdsl.TensorOp):
                raise error_at(one, f"{one.name} is not supported yet: it has no lowering to loops")
        for one in list(op.walk()):
            if isinstance(one, scratch.ConstantOp) and not one.result.uses:
                one.detach()
                one.erase()


def _element(value: SSAValue) -> Attribute:
    return scratch.memref_type(value).element_type


def _broadcast(indices: Indices, value: SSAValue, nest: LoopNest) -> Indices:
    """The indices of a value that broadcasts to the shape that the indices run over."""
    shape = tdsl.shape_of(value)
    return [
        nest.index(0) if extent == 1 else index
        for index, extent in zip(indices[len(indices) - len(shape) :], shape, strict=True)
    ]


def _elementwise(op: tdsl.TensorOp, nest: LoopNest, compute: Callable[[Sequence[SSAValue]], SSAValue]) -> None:
    # A single element is loaded once, before the loops.
    single = {value: _single(value, nest) for value in op.inputs if prod(tdsl.shape_of(value)) == 1}

    def body(indices: Indices) -> None:
        loaded = [single.get(value) or nest.load(value, _broadcast(indices, value, nest)) for value in op.inputs]
        nest.store(compute(loaded), op.out, indices)

    nest.over(tdsl.shape_of(op.out), body)


def _unary(scalar: type[num.UnaryOp]) -> Callable[[Any, LoopNest], None]:
    def lower(op: tdsl.UnaryOp, nest: LoopNest) -> None:
        result = _element(op.out)
        _elementwise(op, nest, lambda x: nest.insert(scalar(x[0], result)))

    return lower


def _function(scalar: type[num.FunctionOp]) -> Callable[[Any, LoopNest], None]:
    def lower(op: tdsl.FunctionOp, nest: LoopNest) -> None:
        result = _element(op.out)
        _elementwise(op, nest, lambda x: nest.insert(scalar(x[0], result, op.scheme)))

    return lower


def _binary(scalar: type[num.BinaryOp]) -> Callable[[Any, LoopNest], None]:
    def lower(op: tdsl.BinaryOp, nest: LoopNest) -> None:
        result = _element(op.out)
        _elementwise(op, nest, lambda x: nest.insert(scalar(x[0], x[1], result)))

    return lower


def _clamp(low: float, high: float | None) -> Callable[[Any, LoopNest], None]:
    def lower(op: tdsl.UnaryOp, nest: LoopNest) -> None:
        _elementwise(op, nest, lambda x: nest.insert(num.ClampOp(x[0], low, high)))

    return lower


def _map(op: tdsl.MapOp, nest: LoopNest) -> None:
    def compute(loaded: Sequence[SSAValue]) -> SSAValue:
        block = op.body.block
        scalars: dict[SSAValue, SSAValue] = dict(zip(block.args, loaded, strict=True))
        for inner in block.ops:
            if isinstance(inner, tdsl.YieldOp):
                return scalars[inner.value]
            copy = inner.clone(value_mapper=scalars)
            nest.insert(copy)
            scalars.update(zip(inner.results, copy.results, strict=True))
        raise AssertionError("a map ends in tdsl.yield")

    _elementwise(op, nest, compute)


def _zero(op: tdsl.ZeroOp, nest: LoopNest) -> None:
    value = nest.insert(num.ZeroOp(_element(op.out)))
    nest.over(tdsl.shape_of(op.out), lambda indices: nest.store(value, op.out, indices))


def _mac(op: tdsl.MacOp, nest: LoopNest) -> None:
    length = prod(tdsl.shape_of(op.out))
    vectors = [value for value in (op.lhs, op.rhs) if prod(tdsl.shape_of(value)) == length]
    factors = [value for value in (op.lhs, op.rhs) if prod(tdsl.shape_of(value)) == 1]
    if op.sum is op.out and len(vectors) == len(factors) == 1:
        sums, vector = (elements_from(value, nest.index(0), length, nest) for value in (op.out, vectors[0]))
        nest.put(num.AxpyOp(sums, vector, _single(factors[0], nest)))
    else:
        _elementwise(op, nest, lambda x: nest.insert(num.MacOp(x[0], x[1], x[2])))


def _accumulate(op: tdsl.AccumulateOp, nest: LoopNest) -> None:
    rows, length = tdsl.shape_of(op.lhs)

    def body(indices: Indices) -> None:
        row = elements_from(op.lhs, nest.times(indices[0], length), length, nest)
        column = elements_from(op.rhs, nest.index(0), length, nest)
        nest.store(nest.insert(num.DotOp(nest.load(op.sum, indices), row, column)), op.out, indices)

    nest.over((rows, 1), body)


def _finish(op: tdsl.FinishOp, nest: LoopNest) -> None:
    result = _element(op.out)
    _elementwise(op, nest, lambda x: nest.insert(num.FinishOp(x[0], result, op.sum_bound)))


def _select(op: tdsl.SelectOp, nest: LoopNest) -> None:
    _elementwise(op, nest, lambda x: nest.insert(arith.SelectOp(op.condition, x[0], x[1])))


def _fill(op: tdsl.FillOp, nest: LoopNest) -> None:
    value = nest.insert(num.ConstantOp(op.value.value.data, _element(op.out)))
    nest.over(tdsl.shape_of(op.out), lambda indices: nest.store(value, op.out, indices))


def _row_shifts(op: tdsl.ContractionOp, nest: LoopNest) -> SSAValue | None:
    """A product's shifts as bytes in flash."""
    import numpy as np

    return None if op.shifts is None else _flash(nest, np.array(op.shifts, "i1"), i8, "row_shifts")


def _finished(
    op: tdsl.ContractionOp, sum: SSAValue, shifts: SSAValue | None, row: SSAValue, nest: LoopNest
) -> SSAValue:
    """One sum of a product in the result's format."""
    if shifts is not None:
        sum = nest.insert(num.ShiftOp(sum, nest.load(shifts, [row])))
    accumulator = num.accumulator_type(sum)
    if (levelled := accumulator.levelled(tdsl.format_of(op.out))).type != accumulator.type:
        sum = nest.insert(num.LevelOp(sum, row, levelled.type))
    return nest.insert(num.FinishOp(sum, _element(op.out), op.finished_bound))


def _dense_products(op: tdsl.MatmulOp | tdsl.MatmulSumOp, nest: LoopNest) -> None:
    accumulators, shape = op.accumulators, tdsl.shape_of(op.out)
    start = start_without_offsets(op.pairs, op.initial, accumulators[0])
    initial = _initial(op.initial, start, accumulators[0], nest)
    shifts = _row_shifts(op, nest)

    def body(indices: Indices) -> None:
        first = accumulators[0].type
        begun = num.ZeroOp(first) if initial is None else num.StartOp(nest.load(initial, indices), first)
        sum = nest.insert(begun)
        sum.name_hint = "sum"
        before = accumulators[0]
        for (lhs, rhs), accumulator in zip(op.pairs, accumulators, strict=True):
            if accumulator.type != before.type:
                sum = nest.insert(num.AlignOp(sum, accumulator.type))
            sum, before = _row_times_column(lhs, rhs, indices, sum, nest, start is not None), accumulator
        nest.store(_finished(op, sum, shifts, indices[0], nest), op.out, indices)

    nest.over(shape, body)


def _row_times_column(
    lhs: SSAValue, rhs: SSAValue, indices: Indices, start: SSAValue, nest: LoopNest, without_offsets: bool
) -> SSAValue:
    """A sum that goes on with the products of one row of a matrix and one column of another."""
    i, j = indices
    length, columns = tdsl.shape_of(rhs)
    elements = [tdsl.format_of(one).without_offset()[0].type if without_offsets else None for one in (lhs, rhs)]
    row = elements_from(lhs, nest.times(i, length), length, nest, elements[0])
    if columns == 1:
        return nest.insert(num.DotOp(start, row, elements_from(rhs, nest.index(0), length, nest, elements[1])))
    column = elements_from(rhs, j, (length - 1) * columns + 1, nest, elements[1])
    return nest.insert(num.StridedDotOp(start, row, column, columns))


def _initial(value: SSAValue | None, start: Start | None, accumulator: Accumulator, nest: LoopNest) -> SSAValue | None:
    """What sums start from; a constant in the accumulator's own units, so that nothing is left to do but to load it."""
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

    if start is not None:
        return _flash(nest, start.raws, start.format.type, "start" if value is None else value.name_hint or "start")
    if value is None:
        return None
    constant, format = value.owner, tdsl.format_of(value)
    if not isinstance(constant, scratch.ConstantOp):
        return value
    kept = accumulator.start_format(format)
    raws = kept.recode(NumpyMachine(), constant.raws, format)
    return _flash(nest, raws, kept.type, value.name_hint or "start")


def _squared_distance(op: tdsl.SquaredDistanceOp, nest: LoopNest) -> None:
    length = prod(tdsl.shape_of(op.lhs))
    zero = nest.insert(num.ZeroOp(op.acc))
    zero.name_hint = "sum"
    lhs, rhs = (elements_from(value, nest.index(0), length, nest) for value in (op.lhs, op.rhs))
    sum = nest.insert(num.DistanceOp(zero, lhs, rhs))
    nest.store(nest.insert(num.FinishOp(sum, _element(op.out), op.sum_bound)), op.out, [nest.index(0)] * 2)


def _spmv(op: tdsl.SpmvOp, nest: LoopNest) -> None:
    matrix = cast(scratch.ConstantOp, op.lhs.owner)
    rows, columns = tdsl.shape_of(op.lhs)
    stored = compress(matrix.raws)
    hint = op.lhs.name_hint or "sparse"
    values = _flash(nest, stored.values, _element(op.lhs), hint)
    gaps = _flash(nest, stored.gaps.view("i1"), i8, f"{hint}_gaps")
    wide = stored.lengths.itemsize == 2
    lengths = _flash(nest, stored.lengths.view("i2" if wide else "i1"), i16 if wide else i8, f"{hint}_lengths")
    start = start_without_offsets([(op.lhs, op.rhs)], None, op.accumulator)
    initial = _initial(None, start, op.accumulator, nest)
    element = None if start is None else tdsl.format_of(op.rhs).without_offset()[0].type
    vector = elements_from(op.rhs, nest.index(0), columns, nest, element)
    shifts = _row_shifts(op, nest)

    def row(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        [at] = carried
        first = op.accumulator.type
        here = [i, nest.index(0)]
        begun = nest.insert(num.ZeroOp(first) if initial is None else num.StartOp(nest.load(initial, here), first))
        begun.name_hint = "sum"
        sum = nest.insert(num.SparseDotOp(begun, values, gaps, lengths, vector, i, at))
        nest.store(_finished(op, sum, shifts, i, nest), op.out, here)
        return [nest.add(at, nest.unsigned(nest.load(lengths, [i])))]

    nest.fold(nest.index(rows), [nest.index(0)], row)


def _flash(nest: LoopNest, raws: Any, element: Attribute, hint: str) -> SSAValue:
    import numpy as np

    # A matrix of zeros has no entries, but C has no empty arrays.
    value = nest.insert(scratch.ConstantOp.of(raws if raws.size else np.zeros(1, raws.dtype), element))
    value.name_hint = hint
    return value


def _argmax(op: tdsl.ArgmaxOp, nest: LoopNest) -> None:
    count = prod(tdsl.shape_of(op.input))
    run = nest.insert(scratch.SliceOp(op.input, nest.index(0), (count,)))
    zero = nest.index(0)
    best = nest.load(run, [zero])
    best.name_hint = "best"

    def step(i: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        value = nest.load(run, [i])
        greater = nest.insert(num.GreaterOp(value, carried[0]))
        return [nest.insert(arith.SelectOp(greater, x, y)) for x, y in zip((value, i), carried, strict=True)]

    _, label = nest.fold(nest.index(count), [best, zero], step, start=1)
    label.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(label)


def _single(value: SSAValue, nest: LoopNest) -> SSAValue:
    """The only element; that of a constant is a constant."""
    if isinstance(constant := value.owner, scratch.ConstantOp):
        real = tdsl.format_of(value).decode(constant.raws).item()
        return nest.insert(num.ConstantOp(real, _element(value)))
    return nest.load(value, [nest.index(0)] * len(scratch.memref_type(value).get_shape()))


def _sign(op: tdsl.SignOp, nest: LoopNest) -> None:
    zero = nest.insert(num.ConstantOp(0.0, _element(op.input)))
    positive = nest.insert(num.GreaterOp(_single(op.input, nest), zero))
    op.result.replace_all_uses_with(nest.insert(arith.SelectOp(positive, nest.index(1), nest.index(0))))


def _at_least(op: tdsl.AtLeastOp, nest: LoopNest) -> None:
    result = nest.insert(num.AtLeastOp(_single(op.input, nest), op.threshold.value.data))
    op.result.replace_all_uses_with(result)


_LOWERINGS: dict[type[Operation], Callable[[Any, LoopNest], None]] = {
    tdsl.AddOp: _binary(num.AddOp),
    tdsl.SubOp: _binary(num.SubOp),
    tdsl.MulOp: _binary(num.MulOp),
    tdsl.NegOp: _unary(num.NegOp),
    tdsl.ExpOp: _function(num.ExpOp),
    tdsl.TanhOp: _function(num.TanhOp),
    tdsl.SigmoidOp: _function(num.SigmoidOp),
    tdsl.CastOp: _unary(num.ConvertOp),
    tdsl.ReluOp: _clamp(0.0, None),
    tdsl.Relu6Op: _clamp(0.0, 6.0),
    tdsl.ZeroOp: _zero,
    tdsl.MacOp: _mac,
    tdsl.AccumulateOp: _accumulate,
    tdsl.FinishOp: _finish,
    tdsl.MapOp: _map,
    tdsl.SelectOp: _select,
    tdsl.FillOp: _fill,
    scratch.MoveOp: movement.move_buffer,
    tdsl.TransposeOp: movement.transpose,
    tdsl.ReverseOp: movement.reverse,
    tdsl.SliceOp: movement.slice,
    tdsl.InsertSliceOp: movement.insert_slice,
    tdsl.MatmulOp: _dense_products,
    tdsl.MatmulSumOp: _dense_products,
    tdsl.SpmvOp: _spmv,
    tdsl.SquaredDistanceOp: _squared_distance,
    tdsl.ArgmaxOp: _argmax,
    tdsl.SignOp: _sign,
    tdsl.AtLeastOp: _at_least,
    upstream_memref.CopyOp: movement.copy,
}
