"""The choice of channels to remove by the growth of the loss, with a refit of the weights that read them.

Where the network is above its limits, the channel goes whose removal costs least for what it saves: cost is the growth
of the loss to second order, after the other weights of the layers that read it were refitted (`LayerCurvature`). So
layers are compared by what they do to the loss, and channels that say the same count once: when one of them goes, the
cost of the other grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.training.training import Trainer
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.transforms.reals.channels.channel_groups import ChannelGroups
from tinyml.transforms.reals.channels.layer_curvature import LayerCurvature
from tinyml.transforms.reals.channels.resource_limits import ResourceLimits

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"

SAMPLES, STAGES = 1536, 8
"""The samples that curvatures are measured on, and how often they are, while channels go."""


class Refitting:
    """A program on reals whose channels are removed.

    x: samples (samples, elements) to measure on. seed: of the samples, and of the classes that are drawn by the scores.
    Channels that are removed stay in the program, without effect.
    """

    def __init__(self, module: ModuleOp, grouping: ChannelGroups, x: Array, seed: int = 0):
        self.random = np.random.default_rng(seed)
        self.x = x[self.random.permutation(len(x))[:SAMPLES]]
        self.weights = TrainedWeights(module)
        self.trainer = Trainer(self.weights, Reals)
        by_constant = {weight.constant: weight for weight in self.weights.weights}
        self.layers: dict[SSAValue, LayerCurvature] = {}
        for op, operand in grouping.filters.items():
            constant, bias = op.operands[operand].owner, _bias(op)
            reads = any(cut.axis != grouping.row_axis(op) and cut.labels.any() for cut in grouping.cuts(op, operand))
            # Weights that several ops share keep their values: the best ones for one op are not best for another.
            if reads and isinstance(constant, tdsl.ConstOp) and constant.result.has_one_use():
                weights = by_constant[constant], None if bias is None else by_constant[bias]
                self.layers[op.out] = LayerCurvature(op, grouping, *weights)
        self.size = 1 + max(int(grouping.groups(value).max(initial=0)) for value in grouping.values)

    def measure(self) -> None:
        """Take the curvature at the present weights."""
        for layer in self.layers.values():
            layer.clear()
        inputs, together = self.trainer.inputs(self.x), self.trainer.together
        for start in range(0, len(inputs), together):
            trace = self.trainer.trace(inputs[start : start + together])
            for value, slope in trace.by_values(self._slope(trace.logits)):
                if (layer := self.layers.get(value)) is not None:
                    layer.collect(trace.values[trace.index[layer.read]], slope)
        for layer in self.layers.values():
            layer.solve()

    def _slope(self, logits: Array) -> Array:
        """The derivatives of the cross-entropy by the scores for classes that are drawn with their probabilities."""
        exponentials = np.exp(logits - logits.max(1, keepdims=True))
        slope = exponentials / exponentials.sum(1, keepdims=True)
        drawn = (slope.cumsum(1) < self.random.random((len(slope), 1))).sum(1).clip(0, slope.shape[1] - 1)
        slope[np.arange(len(slope)), drawn] -= 1.0
        return slope

    @property
    def growth(self) -> Array:
        """By how much the loss grows without each group of channels."""
        found = np.zeros(self.size)
        for layer in self.layers.values():
            for group in layer.groups:
                found[group] += layer.growth(group)
        return found

    def remove(self, group: int) -> None:
        """Remove a group of channels."""
        for layer in self.layers.values():
            layer.remove(group)

    def write(self) -> None:
        """Write the refitted weights into the program."""
        for layer in self.layers.values():
            layer.write()
        self.weights.write()


def prune_refitted(module: ModuleOp, limits: ResourceLimits, x: Array, seed: int = 0) -> None:
    """Choose `limits.removed` and refit the weights of a program on reals, in place, whose channels stay as they are.

    Raises `InputError` for limits that cannot be kept.
    """
    grouping = limits.channels.grouping
    network = Refitting(module, grouping, x, seed)
    start = network.weights.state()
    for stage in range(1, STAGES + 1):
        network.measure()
        while (group := limits.next_group(network.growth, stage / STAGES)) is not None:
            network.remove(group)
        network.write()
    if limits.regained():
        # Those that stay after all take part from the beginning.
        network.weights.restore(start)
        network = Refitting(module, grouping, x, seed)
        for groups in _parts(limits.removed, STAGES):
            network.measure()
            for group in groups:
                network.remove(group)
            network.write()


def _parts(groups: Sequence[int], count: int) -> Iterable[Sequence[int]]:
    size = max(-(-len(groups) // count), 1)
    return [groups[start : start + size] for start in range(0, len(groups), size)]


def _bias(op: tdsl.ContractionOp) -> tdsl.ConstOp | None:
    """The constant that a contraction starts its sums from, or that is added to them; None if there is none."""
    bias = op.initial
    if bias is None and op.out.has_one_use():
        [use] = op.out.uses
        if isinstance(use.operation, tdsl.AddOp):
            bias = use.operation.operands[1 - use.index]
    if bias is None or not isinstance(bias.owner, tdsl.ConstOp) or not bias.has_one_use():
        return None
    return bias.owner if bias.owner.raws.size == op.rows else None
