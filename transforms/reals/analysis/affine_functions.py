"""Affine functions `factors * u + addends` by element, and their absorption by the layers that read the results.

`W (a * u + b)` is `(W * a) u + W b`: the layer reads u itself, with other weights and another bias.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals


@dataclass(frozen=True)
class AffineFunction:
    """The function `factors * u + addends`, both arrays of the shape of u."""

    factors: Reals
    addends: Reals

    @staticmethod
    def identity(shape: tdsl.Shape) -> AffineFunction:
        return AffineFunction(np.ones(shape), np.zeros(shape))

    def reshaped(self, shape: tdsl.Shape) -> AffineFunction:
        return AffineFunction(self.factors.reshape(shape), self.addends.reshape(shape))

    def followed_by(self, factors: Reals | float, addends: Reals | float) -> AffineFunction:
        """The function, then another one with a factor and an addend."""
        return AffineFunction(self.factors * factors, self.addends * factors + addends)

    def thresholds(self, thresholds: Reals, features: NDArray[np.int64]) -> Reals | None:
        """The thresholds t' of u for which `u <= t'` where the function is at most t, in double precision.

        thresholds: t, of any shape. features: the element index, in row-major order, of each threshold. None if a
        factor of these elements is not positive, which would reverse comparisons. Trees absorb a function in this way.
        """
        factors, addends = self.factors.ravel()[features], self.addends.ravel()[features]
        return (thresholds - addends) / factors if (factors > 0).all() else None


def extended(op: Operation, value: SSAValue, function: AffineFunction) -> AffineFunction | None:
    """The function of a tensor that an op on reals computes if one operand is `function` of it; None for other ops.

    The op adds, subtracts or multiplies by a constant, negates, or changes the shape.
    """
    match op:
        case tdsl.ReshapeOp():
            return function.reshaped(tdsl.shape_of(op.out))
        case tdsl.NegOp():
            return function.followed_by(-1.0, 0.0)
        case tdsl.AddOp() | tdsl.SubOp() | tdsl.MulOp():
            other = (op.rhs if op.lhs is value else op.lhs).owner
            if not isinstance(other, tdsl.ConstOp) or tdsl.shape_of(op.out) != tdsl.shape_of(value):
                return None
            number = tdsl.format_of(other.result).decode(other.raws)
            if isinstance(op, tdsl.MulOp):
                return function.followed_by(number, 0.0)
            if isinstance(op, tdsl.AddOp):
                return function.followed_by(1.0, number)
            return function.followed_by(1.0, -number) if op.lhs is value else function.followed_by(-1.0, number)
        case _:
            return None


class _Carried(NamedTuple):
    """An op on an affine function of u, as an affine function of the same op on u.

    function: the affine function of the op's result on u. filling: the real at positions that no move writes; None for
    an op without filling.
    """

    function: AffineFunction
    filling: float | None = None

    def put(self, op: Operation) -> None:
        """Replace the filling of a pad whose operand is now u."""
        if isinstance(op, tdsl.PadOp) and self.filling is not None:
            op.properties.pop("value", None)
            if self.filling:
                op.properties["value"] = FloatAttr(self.filling, f64)


def carried(op: Operation, function: AffineFunction) -> _Carried | None:
    """An op whose operand is a function of u, as a function of the op on u; None for other ops and functions.

    With computed indices the function must be constant along their axes, before a padding it must be uniform, and
    before a max pool the same for all pixels, with positive factors.
    """
    parts = function.factors, function.addends
    match op:
        case tdsl.IndexOp() if all((part == part[:1]).all() for part in parts):
            return _Carried(AffineFunction(*(part[0] for part in parts)))
        case tdsl.SliceOp():
            return _sliced(op, parts)
        case tdsl.TransposeOp() | tdsl.ReverseOp():
            return _Carried(AffineFunction(*(op.moved([part[None]], 0)[0] for part in parts)))
        case tdsl.PadOp() if all((part == part.flat[0]).all() for part in parts):
            factor, addend = (float(part.flat[0]) for part in parts)
            shape = tdsl.shape_of(op.out)
            filling = ((op.filling or 0.0) - addend) / factor
            return _Carried(AffineFunction(np.full(shape, factor), np.full(shape, addend)), filling)
        case tdsl.MaxPoolOp() if (function.factors > 0).all() and _by_channel(parts):
            shape = tdsl.shape_of(op.out)
            return _Carried(AffineFunction(*(np.broadcast_to(part[:1, :1, :1], shape) for part in parts)))
        case _:
            return None


def _sliced(op: tdsl.SliceOp, parts: tuple[Reals, Reals]) -> _Carried | None:
    """The function of a slice, if it is constant along the sliced axes."""
    shape = tdsl.shape_of(op.out)
    for axis, extent in enumerate(shape):
        if extent < parts[0].shape[axis] or op.steps[axis] != 1:
            first = parts[0].take([0], axis), parts[1].take([0], axis)
            if any((part != one).any() for part, one in zip(parts, first, strict=True)):
                return None
            parts = first
    return _Carried(AffineFunction(*(np.broadcast_to(part, shape) for part in parts)))


def _by_channel(parts: tuple[Reals, Reals]) -> bool:
    """True for a function that is the same for all pixels of an image, whose last axis is the channels."""
    return all((part == part[:1, :1, :1]).all() for part in parts)


Edit: TypeAlias = Callable[[SSAValue], None]
"""A rewrite by which a layer reads a tensor, possibly of another shape, instead of a function of it."""

Product: TypeAlias = "tdsl.MatmulOp | tdsl.SpmvOp"


def absorb(value: SSAValue, function: AffineFunction, base: SSAValue) -> bool:
    """Make all readers of a value read `base` instead, of which the value is an affine function.

    Affine ops after the value become part of the function. Returns False, and changes nothing, unless all readers are
    layers that can absorb it.
    """
    edits = absorption(value, function)
    for edit in edits or ():
        edit(base)
    return edits is not None


def absorption(value: SSAValue, function: AffineFunction) -> list[Edit] | None:
    """The edits by which all readers of a function read its argument; None if a reader cannot absorb the function."""
    edits: list[Edit] = []
    for use in tuple(value.uses):
        if (further := extended(use.operation, value, function)) is not None:
            [result] = use.operation.results
            inner = absorption(result, further)
        elif (moved := carried(use.operation, function)) is not None:
            inner = _behind(use.operation, moved)
        else:
            inner = _by_layer(use.operation, use.index, function)
        if inner is None:
            return None
        edits += inner
    return edits or None


def _behind(op: Operation, moved: _Carried) -> list[Edit] | None:
    """The edits by which an op reads u instead of a function of it; the readers of its result compensate."""
    [result] = op.results
    if (inner := absorption(result, moved.function)) is None:
        return None

    def edit(base: SSAValue) -> None:
        op.operands[0] = in_shape(base, tdsl.shape_of(op.operands[0]), op)
        moved.put(op)
        for further in inner:
            further(result)

    return [edit]


def _by_layer(op: Operation, operand: int, function: AffineFunction) -> list[Edit] | None:
    match op:
        case tdsl.MatmulOp() | tdsl.SpmvOp() if op.acc is None and op.shifts is None:
            return _by_product(op, operand, function)
        case tdsl.Conv2dOp() if operand == 1 and op.acc is None and op.shifts is None and op.padding is None:
            return _by_convolution(op, function)
        case tdsl.ForestOp() if operand == 0:
            return _by_forest(op, function)
        case _:
            return None


def _by_product(op: Product, operand: int, function: AffineFunction) -> list[Edit] | None:
    """The edit that folds an affine function into the constant matrix that multiplies it.

    None if there is no such matrix, or if the factors vary along another axis than the summed one.
    """
    if (weights := _own_constant(op.operands[1 - operand])) is None:
        return None
    along = function.factors if operand == 1 else function.factors.T
    if (along != along[:, :1]).any():
        return None
    reals = weights.raws.astype(np.float64)
    scaled = reals * (along[:, 0] if operand == 1 else along[:, :1])
    bias = reals @ function.addends if operand == 1 else function.addends @ reals
    return [_edit(op, operand, weights, scaled, bias)]


def _by_convolution(op: tdsl.Conv2dOp, function: AffineFunction) -> list[Edit] | None:
    """The edit that folds an affine function into the filter of a convolution; None if it differs between pixels."""
    filter = _own_constant(op.lhs)
    pixels = [numbers.reshape(-1, numbers.shape[-1]) for numbers in (function.factors, function.addends)]
    if filter is None or any((numbers != numbers[:1]).any() for numbers in pixels):
        return None
    rows, groups = len(filter.raws), op.group_count
    group = np.arange(rows) // (rows // groups)
    factors, addends = (numbers[0].reshape(groups, -1)[group][:, None, None, :] for numbers in pixels)
    reals = filter.raws.astype(np.float64)
    bias = np.broadcast_to((reals * addends).sum((1, 2, 3)), tdsl.shape_of(op.out))
    return [_edit(op, 1, filter, reals * factors, bias)]


def _by_forest(op: tdsl.ForestOp, function: AffineFunction) -> list[Edit] | None:
    """The edit of a forest: its thresholds become thresholds on the argument."""
    trees = op.trees
    thresholds = function.thresholds(trees.thresholds.astype(np.float64), np.asarray(trees.features, np.int64))
    if thresholds is None:
        return None

    def edit(base: SSAValue) -> None:
        op.operands[0] = in_shape(base, tdsl.shape_of(op.input), op)
        op.properties |= replace(trees, thresholds=thresholds).attributes

    return [edit]


def _own_constant(value: SSAValue) -> tdsl.ConstOp | None:
    """The constant that defines a value on reals, if the value has no other uses."""
    constant = value.owner
    if isinstance(constant, tdsl.ConstOp) and value.has_one_use() and tdsl.format_of(value).type == f32:
        return constant
    return None


def _edit(op: Product | tdsl.Conv2dOp, operand: int, weights: tdsl.ConstOp, scaled: Reals, bias: Reals) -> Edit:
    def edit(base: SSAValue) -> None:
        shape = tdsl.shape_of(op.operands[operand])
        op.operands[operand] = in_shape(base, shape, op)
        Rewriter.replace_op(weights, weights.with_raws(scaled.astype(np.float32), F32_FORMAT))
        if bias.any():
            _add_to_result(op, bias)

    return edit


def in_shape(base: SSAValue, shape: tdsl.Shape, reader: Operation) -> SSAValue:
    """A tensor in a shape; a new op before its reader converts it if necessary."""
    if tdsl.shape_of(base) == shape:
        return base
    reshape = tdsl.ReshapeOp(base, shape)
    reshape.out.name_hint = base.name_hint
    Rewriter.insert_op(reshape, InsertPoint.before(reader))
    return reshape.out


def _add_to_result(op: tdsl.ContractionOp, bias: Reals) -> None:
    """Add a constant to a layer's result: to its existing bias, if the unbiased result has no other uses."""
    value: SSAValue = op.out
    while value.has_one_use():
        [use] = value.uses
        reader = use.operation
        if isinstance(reader, tdsl.ReshapeOp):
            value = reader.out
            continue
        if isinstance(reader, tdsl.AddOp) and tdsl.shape_of(reader.out) == tdsl.shape_of(value):
            other = reader.operands[1 - use.index].owner
            if isinstance(other, tdsl.ConstOp) and other.result.has_one_use():
                total = np.broadcast_to(other.raws, tdsl.shape_of(value)) + bias.reshape(tdsl.shape_of(value))
                Rewriter.replace_op(other, other.with_raws(_narrowed(total, other.raws.shape), F32_FORMAT))
                return
        break
    constant = tdsl.ConstOp(_narrowed(bias, _bias_shape(op)), F32_FORMAT)
    total = tdsl.AddOp(op.out, constant.result)
    constant.result.name_hint = "bias"
    total.out.name_hint = op.out.name_hint
    op.out.replace_uses_with_if(total.out, lambda use: use.operation is not total)
    Rewriter.insert_op((constant, total), InsertPoint.after(op))


def _bias_shape(op: tdsl.ContractionOp) -> tdsl.Shape:
    """The shape of a bias: one number for each channel of a convolution, the shape of the result for other ops."""
    return (op.rows,) if isinstance(op, tdsl.Conv2dOp) else tdsl.shape_of(op.out)


def _narrowed(numbers: Reals, shape: Sequence[int]) -> NDArray[np.float32]:
    """Numbers in single precision, in a smaller shape that broadcasts to theirs, if possible."""
    padded = (1,) * (numbers.ndim - len(shape)) + tuple(shape)
    few = numbers[tuple(slice(0, extent) for extent in padded)]
    whole = numbers if prod(padded) < numbers.size and (few != numbers).any() else few.reshape(shape)
    return whole.astype(np.float32)


def set_feature_map(function: func.FuncOp, features: tdsl.FeatureMap) -> None:
    """Record the scales and zeros of a function's features; a declared range becomes that of the argument."""
    declared = tdsl.read_input(function).range
    if declared is not None:
        ends = features.of_features(np.array(declared)[:, None])
        declared = float(ends.min()), float(ends.max())
    tdsl.update_input(function, range=declared, **features.fields)
