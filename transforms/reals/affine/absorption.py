"""Absorption of affine functions by the layers that read their results.

`W (a * u + b)` is `(W * a) u + W b`: the layer reads u itself, with other weights and another bias.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.reals.affine.affine_function import AffineFunction, extended
from tinyml.transforms.reals.affine.carried import Carried, carried

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

Edit: TypeAlias = Callable[[SSAValue], None]
"""Makes a layer read a tensor, which may have another shape than its operand, in place of a function of it."""

Product: TypeAlias = "tdsl.MatmulOp | tdsl.SpmvOp"


def absorb(value: SSAValue, function: AffineFunction, base: SSAValue) -> bool:
    """Make all readers of a value read `base` instead, of which the value is an affine function.

    Affine ops behind the value become part of the function. Returns False, and changes nothing, unless all readers are
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


def _behind(op: Operation, moved: Carried) -> list[Edit] | None:
    """The edits by which an op reads u in place of a function of it, and the readers of its result make up for that."""
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
    """The edit of a product of a constant matrix and a function whose factors depend on the summed index alone."""
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
    """The edit of a convolution of a function that is the same for all pixels."""
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
    """The edit of a forest, whose thresholds become those of the argument."""
    trees = op.trees
    thresholds = function.thresholds(trees.thresholds.astype(np.float64), np.asarray(trees.features, np.int64))
    if thresholds is None:
        return None

    def edit(base: SSAValue) -> None:
        op.operands[0] = in_shape(base, tdsl.shape_of(op.input), op)
        op.properties |= replace(trees, thresholds=thresholds).attributes

    return [edit]


def _own_constant(value: SSAValue) -> tdsl.ConstOp | None:
    """The constant that makes a value on reals, if nothing else reads it."""
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
    """A tensor in a shape, perhaps by a new op before its reader."""
    if tdsl.shape_of(base) == shape:
        return base
    reshape = tdsl.ReshapeOp(base, shape)
    reshape.out.name_hint = base.name_hint
    Rewriter.insert_op(reshape, InsertPoint.before(reader))
    return reshape.out


def _add_to_result(op: tdsl.ContractionOp, bias: Reals) -> None:
    """Add a constant to a layer's result: to the bias that is added already, if nothing else reads the result."""
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
    """The shape of a bias: of a convolution a number for each channel."""
    return (op.rows,) if isinstance(op, tdsl.Conv2dOp) else tdsl.shape_of(op.out)


def _narrowed(numbers: Reals, shape: Sequence[int]) -> NDArray[np.float32]:
    """Numbers in single precision, in a smaller shape that broadcasts to theirs if they allow it."""
    padded = (1,) * (numbers.ndim - len(shape)) + tuple(shape)
    few = numbers[tuple(slice(0, extent) for extent in padded)]
    whole = numbers if prod(padded) < numbers.size and (few != numbers).any() else few.reshape(shape)
    return whole.astype(np.float32)
