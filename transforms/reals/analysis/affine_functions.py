"""Affine functions `factors * u + addends` by element, and the ways in which layers absorb such a function of their
operand.

`W (a * u + b)` equals `(W * a) u + W b`. The layer can therefore read u directly, with other weights and another bias.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator import arithmetics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals


@dataclass(frozen=True)
class AffineFunction:
    """The function `factors * u + addends`. Both arrays have the shape of u."""

    factors: Reals
    addends: Reals

    @staticmethod
    def identity(shape: tdsl.Shape) -> AffineFunction:
        return AffineFunction(np.ones(shape), np.zeros(shape))

    def reshaped(self, shape: tdsl.Shape) -> AffineFunction:
        return AffineFunction(self.factors.reshape(shape), self.addends.reshape(shape))

    def followed_by(self, factors: Reals | float, addends: Reals | float) -> AffineFunction:
        return AffineFunction(self.factors * factors, self.addends * factors + addends)

    def thresholds(self, thresholds: Reals, features: NDArray[np.int64]) -> Reals | None:
        """The thresholds on u that are equivalent to thresholds on the result of the function, in double
        precision. Decision trees absorb the function in this way.

        None if the factor of a compared element is not positive, because comparisons would be reversed.

        thresholds: of any shape.
        features: for each threshold, the row-major index of the element that is compared with it.
        """
        factors, addends = self.factors.ravel()[features], self.addends.ravel()[features]
        return (thresholds - addends) / factors if (factors > 0).all() else None


def extended(op: Operation, value: SSAValue, function: AffineFunction) -> AffineFunction | None:
    """The affine function that computes the result of an op, given that `function` computes the operand `value` from
    the same tensor.

    None unless the op changes the shape, or computes an affine function of each element from constants.
    """
    if isinstance(op, tdsl.ReshapeOp):
        return function.reshaped(tdsl.shape_of(op.out))
    if not isinstance(op, tdsl.ElementwiseOp) or not op.is_affine or tdsl.shape_of(op.out) != tdsl.shape_of(value):
        return None
    others = [each.owner for each in op.inputs if each is not value]
    constants = [other.real([]) for other in others if isinstance(other, tdsl.ConstOp)]
    if len(constants) < len(op.inputs) - 1:
        return None
    at, zero = op.inputs.index(value), np.zeros((1, *tdsl.shape_of(value)))
    x = [*constants[:at], zero, *constants[at:]]
    addends = op.compute(arithmetics.Reals(), x)
    factors = op.derivative(arithmetics.Reals(), x, addends, zero + 1)[at]
    assert factors is not None
    return function.followed_by(factors[0], addends[0])


class _Carried(NamedTuple):
    """The result of exchanging an op with the affine function that computes its operand. The op then reads the
    argument u of the function directly.

    function: the affine function that follows the op.
    filling: the real with which u must be padded; None for an op without padding.
    """

    function: AffineFunction
    filling: float | None = None

    def put(self, op: Operation) -> None:
        if isinstance(op, tdsl.PadOp) and self.filling is not None:
            op.properties.pop("value", None)
            if self.filling:
                op.properties["value"] = FloatAttr(self.filling, f64)


def carried(op: Operation, function: AffineFunction) -> _Carried | None:
    """Exchange an op with the affine function of its operand. None if the two cannot be exchanged.

    For an index or a slice, the function must be the same for all indices along each axis of which only a part is
    selected, or whose stride is not 1. For a padding, the function must be the same for all elements. For a max pool,
    the function must be the same for all pixels and have positive factors.
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
    shape = tdsl.shape_of(op.out)
    for axis, extent in enumerate(shape):
        if extent < parts[0].shape[axis] or op.steps[axis] != 1:
            first = parts[0].take([0], axis), parts[1].take([0], axis)
            if any((part != one).any() for part, one in zip(parts, first, strict=True)):
                return None
            parts = first
    return _Carried(AffineFunction(*(np.broadcast_to(part, shape) for part in parts)))


def _by_channel(parts: tuple[Reals, Reals]) -> bool:
    """Whether the factors and the addends (`parts`) of a function are each equal for all elements of a channel. The
    channels are the last axis.
    """
    return all((part == part[:1, :1, :1]).all() for part in parts)


Edit: TypeAlias = Callable[[SSAValue], None]
"""A rewrite by which a layer reads a tensor, possibly of another shape, instead of a function of it."""

Product: TypeAlias = "tdsl.MatmulOp | tdsl.SpmvOp"


def absorb(value: SSAValue, function: AffineFunction, base: SSAValue) -> bool:
    """Let all readers of a value read `base` instead, where the value is an affine function of `base`. Return
    whether this was possible.

    Affine ops after the value become part of the function. Nothing is changed unless all readers are layers that
    can absorb the function.
    """
    edits = absorption(value, function)
    for edit in edits or ():
        edit(base)
    return edits is not None


def absorption(value: SSAValue, function: AffineFunction) -> list[Edit] | None:
    """The edits after which all readers of `value` read u instead, where `value` is the affine function of u.

    None if some reader cannot absorb the function, or if there is no reader.
    """
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
    """The edits after which an op reads u instead of a function of u, and the readers of the op's result absorb the
    function. None if they cannot.
    """
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
    weights = tdsl.own_constant(op.operands[1 - operand])
    if weights is None or not tdsl.is_real(weights.result):
        return None
    along = function.factors if operand == 1 else function.factors.T
    if (along != along[:, :1]).any():
        return None
    reals = weights.raws.astype(np.float64)
    scaled = reals * (along[:, 0] if operand == 1 else along[:, :1])
    bias = reals @ function.addends if operand == 1 else function.addends @ reals
    return [_edit(op, operand, weights, scaled, bias)]


def _by_convolution(op: tdsl.Conv2dOp, function: AffineFunction) -> list[Edit] | None:
    """The edits that fold an affine function into the filter of a convolution. None if the filter is not a constant
    without other uses, or if the function differs between pixels.
    """
    filter = tdsl.own_constant(op.lhs)
    pixels = [numbers.reshape(-1, numbers.shape[-1]) for numbers in (function.factors, function.addends)]
    if filter is None or not tdsl.is_real(op.lhs) or any((numbers != numbers[:1]).any() for numbers in pixels):
        return None
    rows, groups = len(filter.raws), op.group_count
    group = np.arange(rows) // (rows // groups)
    factors, addends = (numbers[0].reshape(groups, -1)[group][:, None, None, :] for numbers in pixels)
    reals = filter.raws.astype(np.float64)
    bias = np.broadcast_to((reals * addends).sum((1, 2, 3)), tdsl.shape_of(op.out))
    return [_edit(op, 1, filter, reals * factors, bias)]


def _by_forest(op: tdsl.ForestOp, function: AffineFunction) -> list[Edit] | None:
    trees = op.trees
    thresholds = function.thresholds(trees.thresholds.astype(np.float64), np.asarray(trees.features, np.int64))
    if thresholds is None:
        return None

    def edit(base: SSAValue) -> None:
        op.operands[0] = in_shape(base, tdsl.shape_of(op.input), op)
        op.properties |= replace(trees, thresholds=thresholds).attributes

    return [edit]


def _edit(op: Product | tdsl.Conv2dOp, operand: int, weights: tdsl.ConstOp, scaled: Reals, bias: Reals) -> Edit:
    def edit(base: SSAValue) -> None:
        shape = tdsl.shape_of(op.operands[operand])
        op.operands[operand] = in_shape(base, shape, op)
        Rewriter.replace_op(weights, weights.with_raws(scaled.astype(np.float32), F32_FORMAT))
        if bias.any():
            _add_to_result(op, bias)

    return edit


def in_shape(base: SSAValue, shape: tdsl.Shape, reader: Operation) -> SSAValue:
    """Reshape a tensor to a given shape, and return the result. If necessary, a reshape op is inserted before
    `reader`.
    """
    if tdsl.shape_of(base) == shape:
        return base
    reshape = tdsl.ReshapeOp(base, shape)
    reshape.out.name_hint = base.name_hint
    Rewriter.insert_op(reshape, InsertPoint.before(reader))
    return reshape.out


def _add_to_result(op: tdsl.ContractionOp, bias: Reals) -> None:
    """Add a constant to a layer's result. If the layer has a bias, and its result without the bias has no other
    uses, the constant is added to the bias.
    """
    value: SSAValue = op.out
    while isinstance(reader := value.get_user_of_unique_use(), tdsl.ReshapeOp):
        value = reader.out
    if isinstance(reader, tdsl.AddOp) and tdsl.shape_of(reader.out) == tdsl.shape_of(value):
        constant = tdsl.own_constant(reader.other(value))
        if constant is not None:
            total = np.broadcast_to(constant.raws, tdsl.shape_of(value)) + bias.reshape(tdsl.shape_of(value))
            Rewriter.replace_op(constant, constant.with_raws(_narrowed(total, constant.raws.shape), F32_FORMAT))
            return
    constant = tdsl.ConstOp(_narrowed(bias, _bias_shape(op)), F32_FORMAT)
    total = tdsl.AddOp(op.out, constant.result)
    constant.result.name_hint = "bias"
    total.out.name_hint = op.out.name_hint
    op.out.replace_uses_with_if(total.out, lambda use: use.operation is not total)
    Rewriter.insert_op((constant, total), InsertPoint.after(op))


def _bias_shape(op: tdsl.ContractionOp) -> tdsl.Shape:
    """The shape of a bias: one number for each channel of a convolution, and the shape of the result for any other
    op.
    """
    return (op.rows,) if isinstance(op, tdsl.Conv2dOp) else tdsl.shape_of(op.out)


def _narrowed(numbers: Reals, shape: Sequence[int]) -> NDArray[np.float32]:
    """Convert numbers to single precision. If equal numbers permit it, return them in a smaller shape that
    broadcasts to `shape`.
    """
    padded = (1,) * (numbers.ndim - len(shape)) + tuple(shape)
    few = numbers[tuple(slice(0, extent) for extent in padded)]
    whole = numbers if prod(padded) < numbers.size and (few != numbers).any() else few.reshape(shape)
    return whole.astype(np.float32)


def set_feature_map(function: func.FuncOp, features: tdsl.FeatureMap) -> None:
    """Record the scales and zeros of a function's features. A declared range of the features is converted to the
    range of the argument.
    """
    declared = tdsl.read_input(function).range
    if declared is not None:
        ends = features.of_features(np.array(declared)[:, None])
        declared = float(ends.min()), float(ends.max())
    tdsl.update_input(function, range=declared, **features.fields)
