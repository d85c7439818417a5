"""Learned gates: channels are weighed by factors that are trained with the weights, under limits on resources.

Each group of channels has a gate, by which the weights that read the group are multiplied; a closed gate is the group's
removal. The limits on RAM, flash and multiply-accumulates tighten step by step from what the whole network takes; where
it is above one, the gate closes whose loss of accuracy for each part of the excess is estimated as least: the square of
gate times derivative, which is the change of the loss to second order, with the Fisher information as curvature
(Molchanov et al. 2019), averaged over the steps. Unlike pruning by norms, layers are compared by what they do to the
loss, and the others adapt while channels go (Liberis and Lane 2021).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.runtime.training.weights import Slopes, TrainedWeights, Weight
from tinyml.transforms.reals.channels.channel_groups import STAYING, ChannelGroups
from tinyml.transforms.reals.channels.resource_limits import ResourceLimits

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

KEPT = 0.98
"""The part of the averaged squares that is kept in a step."""


class GatedWeights(TrainedWeights):
    """Weights of a program on reals; those that read groups of channels are multiplied by the gates of these.

    gates: a factor for each group, the last variable of the optimiser.
    """

    def __init__(self, module: ModuleOp, grouping: ChannelGroups):
        super().__init__(module)
        self.read: dict[tdsl.ConstOp, tuple[int, NDArray[np.int64]]] = {}
        for op, operand in grouping.filters.items():
            constant = op.operands[operand].owner
            for cut in grouping.cuts(op, operand):
                if cut.axis != grouping.row_axis(op) and isinstance(constant, tdsl.ConstOp):
                    self.read[constant] = cut.axis, cut.labels
        size = 1 + max((int(labels.max()) for _, labels in self.read.values()), default=STAYING)
        self.gates, self.open, self.squares = np.ones(size), np.ones(size, bool), np.zeros(size)

    @property
    def variables(self) -> list[Array]:
        return [*super().variables, self.gates]

    def derivatives(self, slopes: Slopes) -> list[Array]:
        by_gate = np.zeros_like(self.gates)
        found = super().derivatives(slopes)
        for number, weight in enumerate(self.weights):
            if (gate := self._gate(weight.constant)) is not None:
                axis, labels = self.read[weight.constant]
                others = tuple(each for each in range(weight.real.ndim) if each != axis)
                np.add.at(by_gate, labels, (found[number] * weight.real).sum(others))
                found[number] = found[number] * gate
        by_gate[STAYING] = 0.0
        by_gate[~self.open] = 0.0
        self.squares += (1 - KEPT) * ((self.gates * by_gate) ** 2 - self.squares)
        return [*found, by_gate]

    def effective(self, weight: Weight) -> Array:
        gate = self._gate(weight.constant)
        return weight.real if gate is None else weight.real * gate

    def close(self, group: int) -> None:
        """Remove a group of channels, as far as results go."""
        self.open[group] = False

    def reopen(self, group: int) -> None:
        """Take a group of channels back with the weights that it had."""
        self.open[group] = True

    def _gate(self, constant: tdsl.ConstOp) -> Array | None:
        """The factors of a constant's elements along the axis of its operand's channels."""
        if constant not in self.read:
            return None
        axis, labels = self.read[constant]
        shape = [1] * len(tdsl.shape_of(constant.result))
        shape[axis] = -1
        return np.where(self.open, self.gates, 0.0)[labels].reshape(shape)


WARM, CLOSED = 0.02, 0.25
"""The parts of the steps after which the first gate may close, and after which the limits are kept."""


def closing(weights: GatedWeights, limits: ResourceLimits) -> Callable[[float], bool]:
    """A function that closes gates during a training, given the part of it that is done.

    `limits.removed` are the gates closed so far. Once the limits are kept, gates open again as far as these have room.
    The function returns True if a gate changed, and raises `InputError` for limits that cannot be kept.
    """
    last = False

    def change(done: float) -> bool:
        nonlocal last
        if last or done < WARM:
            return False
        before = list(limits.removed)
        share = min((done - WARM) / (CLOSED - WARM), 1.0)
        while (group := limits.next_group(weights.squares, share)) is not None:
            weights.close(group)
        if last := share == 1.0:
            for group in limits.regained():
                weights.reopen(group)
        return limits.removed != before

    return change
