"""The choice of channels to remove by the growth of the loss. The weights that read the removed channels are refitted.

While the network exceeds its limits, the channel with the least cost per saving is removed. The cost is the growth of
the loss to second order, after the other weights of the layers that read the channel are refitted (`LayerCurvature`).
Layers are therefore compared by their effect on the loss. Redundant channels count once: if one of them is removed, the
cost of removing the other increases.

The curvature is the Fisher information. It is approximated as a Kronecker product of two second moments: of the layer's
input, and of the derivatives of the loss with respect to the layer's sums (K-FAC; Martens and Grosse 2015, for
convolutions Grosse and Martens 2016). In this metric, the least growth of the loss without some columns of the weights
has a closed form. The weights that attain it have a closed form as well. The remaining columns compensate for the
predictable part of the removed columns (Hassibi and Stork 1993; for whole channels Wang et al. 2019, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.index_maps import numbered
from tinyml.dialects.tdsl.matrix_factors import MatrixFactors
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.training.training import Trainer, by_class
from tinyml.runtime.training.weights import TrainedWeights, Weight
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP, ChannelGroups, Labels, channel_axis
from tinyml.transforms.reals.channels.resource_limits import ResourceLimits

if TYPE_CHECKING:
    from numpy.typing import NDArray


Array: TypeAlias = "NDArray[np.float64]"

SAMPLES, STAGES = 1536, 8
"""The number of samples for measurements of the curvature, and the number of measurements during pruning."""


class Refitting:
    """A program on reals whose channels are removed one group at a time. Removed channels stay in the program,
    without effect.

    x: samples (samples, elements) for the measurements.
    seed: for the choice of samples, and for classes drawn with their predicted probabilities.
    """

    def __init__(self, module: ModuleOp, grouping: ChannelGroups, x: Array, seed: int = 0):
        self.random = np.random.default_rng(seed)
        self.x = x[self.random.permutation(len(x))[:SAMPLES]]
        self.weights = TrainedWeights(module)
        self.trainer = Trainer(self.weights, Reals)
        by_constant = {weight.constant: weight for weight in self.weights.weights}
        self.layers: dict[SSAValue, LayerCurvature] = {}
        for op, operand in grouping.filters.items():
            constant, bias = tdsl.own_constant(op.operands[operand]), _bias(op)
            reads = any(cut.axis != grouping.row_axis(op) and cut.labels.any() for cut in grouping.cuts(op, operand))
            # Weights that several ops share are fixed: the best values for one op are not best for another.
            if reads and constant is not None:
                weights = by_constant[constant], None if bias is None else by_constant[bias]
                self.layers[op.out] = LayerCurvature(op, grouping, *weights)
        self.size = 1 + max(int(grouping.groups(value).max(initial=0)) for value in grouping.values)

    def measure(self) -> None:
        """Measure the curvature of the loss in each layer, at the current weights, on the samples."""
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
        """The derivatives of the cross-entropy with respect to the scores (samples, scores).

        The classes are drawn at random with their predicted probabilities.
        """
        outputs, logits = logits.shape[1], by_class(logits)
        exponentials = np.exp(logits - logits.max(1, keepdims=True))
        slope = exponentials / exponentials.sum(1, keepdims=True)
        drawn = (slope.cumsum(1) < self.random.random((len(slope), 1))).sum(1).clip(0, slope.shape[1] - 1)
        slope[np.arange(len(slope)), drawn] -= 1.0
        return slope[:, -outputs:]

    @property
    def growth(self) -> Array:
        """For each group of channels, the estimated growth of the loss if the group is removed."""
        found = np.zeros(self.size)
        for layer in self.layers.values():
            for group in layer.groups:
                found[group] += layer.growth(group)
        return found

    def remove(self, group: int) -> None:
        """Remove a group of channels, and refit the weights of all layers that read it."""
        for layer in self.layers.values():
            layer.remove(group)

    def write(self) -> None:
        """Store the refitted weights and biases in the constants of the program."""
        for layer in self.layers.values():
            layer.write()
        self.weights.write()


def prune_refitted(module: ModuleOp, limits: ResourceLimits, x: Array, seed: int = 0) -> None:
    """Choose the groups to remove, and refit the weights of a program on reals in place. No channels are removed
    from the program.

    The chosen groups are stored in `limits.removed`. Raises `InputError` for limits that cannot be met.

    x: samples (samples, elements).
    seed: as for `Refitting`.
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
        # The channels that are never removed are included from the beginning.
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
    bias = op.initial
    if bias is None and isinstance(sum := op.out.get_user_of_unique_use(), tdsl.AddOp):
        bias = sum.other(op.out)
    constant = None if bias is None else tdsl.own_constant(bias)
    return constant if constant is not None and constant.raws.size == op.rows else None


RIDGE = 1e-3
"""The share of their mean added to diagonal second moments, since elements may be linearly dependent."""


class LayerCurvature:
    """A convolution or dense layer with channels that can be removed, as a matrix of weights and its curvature.

    weight, bias: the constants of the layer. If the layer has no bias, the means of removed channels cannot be
    compensated for.
    """

    def __init__(self, op: tdsl.ContractionOp, grouping: ChannelGroups, weight: Weight, bias: Weight | None):
        self.op, self.weight, self.bias = op, weight, bias
        self.operand = grouping.filters[op]
        self.factors = MatrixFactors(op.terms[0], tdsl.shape_of(op.out))
        other = np.zeros((1, *tdsl.shape_of(self.read)), np.int64)
        # Of shape (rows, columns): the position in the constant of each element of the matrix.
        self.places = self._matrix(numbered(weight.real[None]), other, self.operand)[0]
        cut = next(cut for cut in grouping.cuts(op, self.operand) if cut.axis != grouping.row_axis(op))
        shape = [1] * weight.real.ndim
        shape[cut.axis] = -1
        along = np.broadcast_to(cut.labels.reshape(shape), weight.real.shape).reshape(-1)[self.places[0]]
        # The last column is the bias.
        self.columns: Labels = np.append(along, FIXED_GROUP)
        self.rows: Labels = grouping.groups(op.out)
        self.left = np.append(np.ones(len(along), bool), bias is not None)
        # The columns of each remaining group.
        self.groups = {int(group): np.flatnonzero(self.columns == group) for group in np.unique(along)}
        self.groups.pop(FIXED_GROUP, None)
        self.clear()

    @property
    def read(self) -> SSAValue:
        return self.op.operands[1 - self.operand]

    def clear(self) -> None:
        """Discard all moments that `collect` has added."""
        self.reads = np.zeros((len(self.columns),) * 2)
        self.slopes = np.zeros((len(self.rows),) * 2)
        self.samples = self.vectors = 0

    def collect(self, x: Array, slope: Array) -> None:
        """Add the moments of some samples.

        x: the operand of the layer.
        slope: the derivatives of the loss with respect to the layer's result.
        """
        vectors = self._matrix(self.weight.real[None], x, 1 - self.operand)
        vectors = vectors.reshape(-1, len(self.columns) - 1)
        vectors = np.append(vectors, np.ones((len(vectors), 1)), 1)
        by_row = np.moveaxis(slope, 1 + channel_axis(tdsl.shape_of(self.op.out)), -1).reshape(-1, len(self.rows))
        self.reads += vectors.T @ vectors
        self.slopes += by_row.T @ by_row
        self.samples += len(x)
        self.vectors += len(vectors)

    def solve(self) -> None:
        """Compute the curvature from the collected moments, and copy the weights from the constants."""
        self.matrix = np.zeros((len(self.rows), len(self.columns)))
        self.matrix[:, :-1] = self.weight.real.reshape(-1)[self.places]
        if self.bias is not None:
            self.matrix[:, -1] = self.bias.real.reshape(-1)
        # The sum over positions of a sample; their derivatives are assumed independent.
        slopes, reads = self.slopes / max(self.vectors, 1), self.reads / max(self.samples, 1)
        self.slopes = slopes
        own = reads[np.ix_(self.left, self.left)]
        self.inverse = np.zeros_like(reads)
        ridge = RIDGE * np.trace(own) / len(own)
        self.inverse[np.ix_(self.left, self.left)] = np.linalg.inv(own + (ridge or 1.0) * np.eye(len(own)))
        self.growths: dict[int, float] = {}

    def growth(self, group: int) -> float:
        """The estimated growth of the loss if the group is removed and the other weights of the layer are refitted.

        group: one of `groups`.
        """
        if group not in self.growths:
            columns = self.groups[group]
            part, block = self.matrix[:, columns], self.inverse[np.ix_(columns, columns)]
            curvature = part.T @ self.slopes @ part
            self.growths[group] = 0.5 * float(np.trace(np.linalg.solve(block, curvature)))
        return self.growths[group]

    def remove(self, group: int) -> None:
        """Remove a group of channels from the input and from the result, and refit the weights."""
        if (gone := self.rows == group).any():
            self.slopes[gone] = self.slopes[:, gone] = 0.0
            self.growths.clear()
        if (columns := self.groups.pop(group, None)) is not None:
            change = np.linalg.solve(self.inverse[np.ix_(columns, columns)], self.inverse[columns])
            self.matrix -= self.matrix[:, columns] @ change
            self.inverse -= self.inverse[:, columns] @ change
            self.left[columns] = False
            self.matrix[:, ~self.left] = 0.0
            self.inverse[~self.left] = self.inverse[:, ~self.left] = 0.0
            self.growths.clear()

    def write(self) -> None:
        """Store the refitted weights in the constant. Zeros of sparse matrices stay zero."""
        real = self.weight.real
        real.reshape(-1)[self.places] = self.matrix[:, :-1]
        real *= self.weight.dense
        if self.bias is not None:
            self.bias.real[...] = self.matrix[:, -1].reshape(self.bias.real.shape)

    def _matrix(self, weight: NDArray[Any], x: NDArray[Any], operand: int) -> NDArray[Any]:
        """One factor of the layer's product, of shape (samples, other axis, summed axis).

        weight, x: the values of the two factors.
        operand: the operand index of the factor to return.
        """
        pair = self.factors.matrices(*((weight, x) if self.operand == 0 else (x, weight)))
        # The left factor is (samples, stack, rows, summed), the right one (samples, stack, summed, columns).
        return pair[0][:, 0] if operand == 0 else pair[1][:, 0].swapaxes(-1, -2)
