"""Removal of groups of channels from programs."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i8, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.reals.channels.channel_groups import ChannelGroups, channel_axis

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]


def kept(grouping: ChannelGroups, value: SSAValue, removed: Collection[int]) -> Mask:
    """A mask of the channels of a tensor (channels,). It is true for channels that remain after the groups
    `removed` are removed.
    """
    return ~np.isin(grouping.groups(value), list(removed))


def remove_channels(grouping: ChannelGroups, removed: Collection[int]) -> None:
    """Remove groups of channels from tensors, and from the weights of all ops that read or define these tensors.

    At least one channel of each tensor must remain.
    """
    changed = [value for value in grouping.values if not kept(grouping, value, removed).all()]
    ops = [value.owner for value in changed] + [use.operation for value in changed for use in value.uses]
    for op in dict.fromkeys(ops):
        assert isinstance(op, Operation)
        _cut_constants(grouping, op, removed)
        if isinstance(op, tdsl.ContractionOp):
            _adapt(grouping, op, removed)
    for value in changed:
        shape = list(tdsl.shape_of(value))
        shape[channel_axis(tuple(shape))] = int(kept(grouping, value, removed).sum())
        element = cast("TensorType[Attribute]", value.type).element_type
        Rewriter.replace_value_with_new_type(value, TensorType(element, shape))


def _cut_constants(grouping: ChannelGroups, op: Operation, removed: Collection[int]) -> None:
    for index, value in enumerate(op.operands):
        masks = [(cut.axis, ~np.isin(cut.labels, list(removed))) for cut in grouping.cuts(op, index)]
        constant = value.owner
        if not isinstance(constant, tdsl.ConstOp) or all(mask.all() for _, mask in masks):
            continue
        raws = constant.raws
        for axis, mask in masks:
            raws = raws.compress(mask, axis)
        new = constant.with_raws(raws, tdsl.format_of(constant.result))
        Rewriter.insert_op(new, InsertPoint.before(constant))
        op.operands[index] = new.result
        if constant.result.first_use is None:
            Rewriter.erase_op(constant)


def _adapt(grouping: ChannelGroups, op: tdsl.ContractionOp, removed: Collection[int]) -> None:
    if op.shifts is not None:
        rows = kept(grouping, op.out, removed)
        op.row_shifts = DenseArrayBase.from_list(i8, list(np.array(op.shifts)[rows]))
    if isinstance(op, tdsl.MatmulSumOp):
        rows = kept(grouping, op.out, removed)
        op.set_left_shifts([None if left is None else list(np.array(left)[rows]) for left in op.left_shifts])
    if isinstance(op, tdsl.Conv2dOp) and op.group_count > 1:
        op.groups = IntegerAttr(int(kept(grouping, op.rhs, removed).sum()), i64)
