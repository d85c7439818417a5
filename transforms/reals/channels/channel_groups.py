"""Groups of channels that can only be removed together.

A channel is an index along the last axis of an image, or along the only axis of a vector. Ops that process each channel
separately, such as elementwise ops, depthwise convolutions, pools, pads and sums of branches, couple channels of their
operands to channels of their results. Dense layers and ungrouped convolutions with constant weights couple no channels.
Coupled channels form a group, which is removed as a whole (Li et al. 2017, section 3.3, for residual sums; Fang et al.
2023, DepGraph, in general). Two kinds of channels are never removed: channels of the program's inputs and results, and
channels that all other ops read or define.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.disjoint_set import IntDisjointSet

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Labels: TypeAlias = "NDArray[np.int64]"

FIXED_GROUP = 0
"""The group of channels that are never removed."""


@dataclass(frozen=True)
class Cut:
    """An axis of a constant operand along which channels are removed, and for each index along this axis, the group
    of the channel.
    """

    axis: int
    labels: Labels


def channel_axis(shape: tdsl.Shape) -> int:
    """The axis of channels. It is the only axis with several elements if there is exactly one and the shape is not
    that of an image, and otherwise the last axis.
    """
    long = [axis for axis, extent in enumerate(shape) if extent > 1]
    return long[0] if len(long) == 1 and len(shape) != 4 else len(shape) - 1


class ChannelGroups:
    """The groups of channels of a function. Channels that loops and branches read or define are never removed."""

    def __init__(self, function: func.FuncOp) -> None:
        self._sets = IntDisjointSet(size=1)
        self._labels: dict[SSAValue, Labels] = {}
        self._cuts: dict[tuple[Operation, int], list[Cut]] = {}
        self._rows: dict[tdsl.ContractionOp, int] = {}
        for argument in function.args:
            self._labels[argument] = np.zeros(_count(argument), np.int64)
        for op in function.body.block.ops:
            if not isinstance(op, tdsl.ConstOp):
                self._visit(op)

    @property
    def values(self) -> Iterable[SSAValue]:
        return self._labels.keys()

    @property
    def filters(self) -> dict[tdsl.ContractionOp, int]:
        return self._rows

    def groups(self, value: SSAValue) -> Labels:
        """The group of each channel of a tensor. It is `FIXED_GROUP` for channels that are never removed."""
        return self._roots(self._labels[value])

    def cuts(self, op: Operation, operand: int) -> list[Cut]:
        return [Cut(cut.axis, self._roots(cut.labels)) for cut in self._cuts.get((op, operand), [])]

    def row_axis(self, op: tdsl.ContractionOp) -> int:
        """The axis of a filter that corresponds to the channels of the result."""
        rows = self._labels[op.out]
        return next(cut.axis for cut in self._cuts[op, self._rows[op]] if cut.labels is rows)

    def _roots(self, labels: Labels) -> Labels:
        staying = self._sets[FIXED_GROUP]
        roots = np.array([self._sets[int(label)] for label in labels.flat], np.int64).reshape(labels.shape)
        return np.where(roots == staying, FIXED_GROUP, roots)

    def _couple(self, a: Labels, b: Labels) -> None:
        for x, y in zip(*(labels.flat for labels in np.broadcast_arrays(a, b)), strict=True):
            self._sets.union(int(x), int(y))

    def _fresh(self, count: int) -> Labels:
        return np.array([self._sets.add() for _ in range(count)], np.int64)

    def _keep(self, op: Operation) -> None:
        # The body of a loop may read any tensor defined before it.
        read = [value for each in op.walk() for value in each.operands]
        for value in (*read, *op.results):
            if value in self._labels:
                self._couple(self._labels[value], np.array(FIXED_GROUP))
        for index in range(len(op.operands)):
            self._cuts.pop((op, index), None)
        if isinstance(op, tdsl.ContractionOp):
            self._rows.pop(op, None)
        for result in op.results:
            if isinstance(result.type, TensorType):
                self._labels[result] = np.zeros(_count(result), np.int64)

    def _visit(self, op: Operation) -> None:
        match op:
            case tdsl.Conv2dOp():
                done = self._convolution(op)
            case tdsl.MatrixProductsOp():
                done = self._product(op)
            case tdsl.PointwiseOp():
                done = self._pointwise(op)
            case tdsl.PoolOp() | tdsl.ResizeNearestOp():
                done = self._same(op, op.image)
            case tdsl.PadOp():
                axis = channel_axis(tdsl.shape_of(op.input))
                done = not any((*op.margins[axis], op.gaps[axis])) and self._same(op, op.input)
            case tdsl.MeanOp():
                axis = channel_axis(tdsl.shape_of(op.input))
                done = axis not in op.reduced and self._same(op, op.input)
            case tdsl.ConcatOp():
                done = self._concatenation(op)
            case tdsl.ReshapeOp() | tdsl.TransposeOp():
                done = self._movement(op, op.input)
            case _:
                done = False
        if not done:
            self._keep(op)

    def _same(self, op: tdsl.TensorOp, operand: SSAValue) -> bool:
        shapes = tdsl.shape_of(operand), tdsl.shape_of(op.out)
        if operand not in self._labels or len({channel_axis(shape) for shape in shapes}) > 1:
            return False
        self._labels[op.out] = self._labels[operand]
        return True

    def _convolution(self, op: tdsl.Conv2dOp) -> bool:
        rows, _, _, length = tdsl.shape_of(op.lhs)
        if not isinstance(op.lhs.owner, tdsl.ConstOp) or op.rhs not in self._labels:
            return False
        image = self._labels[op.rhs]
        depthwise = op.group_count == len(image) and length == 1 and len(image) > 1
        if op.group_count > 1 and not depthwise:
            return False
        self._labels[op.out] = np.repeat(image, rows // len(image)) if depthwise else self._fresh(rows)
        self._rows[op] = 0
        self._cuts[op, 0] = [Cut(0, self._labels[op.out])]
        if not depthwise:
            self._cuts[op, 0].append(Cut(3, image))
        return op.addend is None or self._broadcast(op, op.addend)

    def _product(self, op: tdsl.MatrixProductsOp) -> bool:
        constants = [isinstance(value.owner, tdsl.ConstOp) for value in op.operands[:2]]
        if sum(constants) != 1 or len(op.terms) > 1:
            return False
        weights = constants.index(True)
        data, rows = op.operands[1 - weights], weights
        if data not in self._labels or channel_axis(tdsl.shape_of(data)) != rows:
            return False
        if channel_axis(tdsl.shape_of(op.out)) != rows:
            return False
        self._labels[op.out] = self._fresh(tdsl.shape_of(op.out)[rows])
        self._rows[op] = weights
        self._cuts[op, weights] = [Cut(rows, self._labels[op.out]), Cut(1 - rows, self._labels[data])]
        return op.initial is None or self._broadcast(op, op.initial)

    def _pointwise(self, op: tdsl.PointwiseOp) -> bool:
        self._labels[op.out] = self._fresh(_count(op.out))
        return all([self._broadcast(op, value) for value in dict.fromkeys(op.inputs)])

    def _broadcast(self, op: tdsl.TensorOp, operand: SSAValue) -> bool:
        shape, result = tdsl.shape_of(operand), tdsl.shape_of(op.out)
        axis = channel_axis(result) - len(result) + len(shape)
        extent = shape[axis] if axis >= 0 else 1
        if isinstance(operand.owner, tdsl.ConstOp):
            if extent == len(self._labels[op.out]):
                for index, value in enumerate(op.operands):
                    if value is operand:
                        self._cuts.setdefault((op, index), []).append(Cut(axis, self._labels[op.out]))
            return True
        if operand not in self._labels or (extent > 1 and channel_axis(shape) != axis):
            return False
        if extent == len(self._labels[op.out]):
            self._couple(self._labels[op.out], self._labels[operand])
        return True

    def _movement(self, op: tdsl.MovementOp, operand: SSAValue) -> bool:
        if operand not in self._labels:
            return False
        shape, result = tdsl.shape_of(operand), tdsl.shape_of(op.out)
        along = [1] * len(shape)
        if shape:
            along[channel_axis(shape)] = -1
        moved = op.moved([np.broadcast_to(self._labels[operand].reshape(along), (1, *shape))], 0)[0]
        # Elements with the same channel in the result are removed together.
        by_channel = np.moveaxis(moved, channel_axis(result), 0) if result else moved
        by_channel = by_channel.reshape(_count(op.out), -1)
        labels = by_channel[:, 0].copy()
        self._couple(labels[:, None], by_channel)
        self._labels[op.out] = labels
        return True

    def _concatenation(self, op: tdsl.ConcatOp) -> bool:
        axes = {channel_axis(tdsl.shape_of(value)) for value in (op.out, *op.inputs)}
        if len(axes) > 1 or not all(value in self._labels for value in op.inputs):
            return False
        parts = [self._labels[value] for value in op.inputs]
        if op.axis.value.data in axes:
            self._labels[op.out] = np.concatenate(parts)
        else:
            self._labels[op.out] = parts[0]
            for part in parts[1:]:
                self._couple(parts[0], part)
        return True


def _count(value: SSAValue) -> int:
    shape = tdsl.shape_of(value)
    return shape[channel_axis(shape)] if shape else 1
