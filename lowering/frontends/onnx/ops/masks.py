"""Constant masks of scores. A mask selects the elements that a softmax excludes, and does not affect the range of the
scores.

Exporters write a mask as an addition of, or a selection of, numbers far below all scores: minus infinity, the lowest
float, -1e9 or -1e4. If such numbers were computed, they would widen the number format of the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.masking import MaskedSoftmaxOp
from tinyml.lowering.frontends.layers.integers import MASKING
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import (
    Builder,
    Constant,
    Deferred,
    Inputs,
    Value,
    needed,
    special_case,
)
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary, chosen
from tinyml.lowering.frontends.onnx.ops.movement import axis_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class MaskedSum(Deferred):
    """The sum of a tensor and a constant that lowers some elements so far that their softmax is 0.

    The constant has at most the rank of the tensor. A softmax is computed from the tensor and the mask; every other
    node adds the constant.
    """

    tensor: OrderedTensor
    addend: Constant

    @property
    def shape(self) -> tdsl.Shape:
        return self.tensor.shape

    def emitted(self, to: Builder) -> OrderedTensor:
        return binary(to, tdsl.AddOp, self.tensor, self.addend)

    def read_by(self, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
        """The softmax of this sum if `node` is a softmax over the last axis. Returns None for any other node, and where
        `softmax_of` returns None.
        """
        if node.domain or node.op != "Softmax":
            return None
        rank = len(self.shape)
        last = axis_of(node, node.integer("axis", -1), rank) == rank - 1
        return softmax_of(to, node, self) if last else None


@dataclass(frozen=True)
class MaskedChoice(MaskedSum):
    """The selection between scores and a low number by a constant condition. A softmax reads it as a masked sum.

    condition, branches: the inputs of the node.
    """

    condition: Constant
    branches: Sequence[Value]

    def emitted(self, to: Builder) -> OrderedTensor:
        return chosen(to, self.condition, self.branches)


@special_case("Add")
def masked_sum(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    """Record a sum of scores and a constant mask as a `MaskedSum`. Returns None for other sums."""
    tensor, addend = needed(to, inputs, 0), needed(to, inputs, 1)
    if isinstance(tensor, Constant):
        tensor, addend = addend, tensor
    if not isinstance(tensor, OrderedTensor) or not isinstance(addend, Constant) or addend.array.dtype.kind != "f":
        return None
    low, other = addend.array <= MASKING, ~np.isfinite(addend.array) & ~np.isneginf(addend.array)
    return MaskedSum(tensor, addend) if low.any() and not other.any() and fits(tensor.shape, addend.array) else None


@special_case("Where")
def masked_choice(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    """Record a selection between scores and a low number by a constant condition. If the condition is the same for all
    elements, return the selected branch. Returns None for other inputs.
    """
    condition, *branches = (needed(to, inputs, i) for i in range(3))
    if not isinstance(condition, Constant) or condition.array.dtype != np.bool_:
        return None
    for masks, tensor, low in ((~condition.array, *branches), (condition.array, *branches[::-1])):
        if not isinstance(tensor, OrderedTensor) or not fits(tensor.shape, masks):
            continue
        if not isinstance(low, OrderedTensor | Constant) or not _is_broadcast(low.shape, tensor.shape):
            continue
        if not masks.any():
            return tensor
        if isinstance(low, Constant) and low.array.size == 1 and low.array.item() <= MASKING:
            addend = Constant(np.where(masks, np.float32(-np.inf), np.float32(0)), condition.name)
            return MaskedChoice(tensor, addend, condition, branches)
    return None


@special_case("IsNaN")
def is_nan(to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
    """Fold IsNaN of a softmax, PyTorch's test for completely masked rows, to false. Returns None for other inputs."""
    value = needed(to, inputs, 0)
    computed = isinstance(value, OrderedTensor) and isinstance(value.value.owner, tdsl.SoftmaxOp | MaskedSoftmaxOp)
    return Constant(np.zeros(value.shape, np.bool_)) if computed else None


def softmax_of(to: Builder, node: OnnxNode, scores: MaskedSum) -> OrderedTensor | None:
    """Emit the softmax of the masked sum `scores` over the last axis. Returns None if a finite mask covers a whole row.

    Raises `InputError` if an infinite mask covers a whole row, since the softmax of the row is NaN.
    """
    addend, tensor = scores.addend, scores.tensor
    kept = addend.array > MASKING
    if not kept.any(-1).all():
        if np.isneginf(addend.array).all(-1).any():
            raise node.error("a row of the mask keeps no element: expected at least one in each row")
        return None
    rest = np.where(kept, addend.array, addend.array.dtype.type(0))
    if rest.any():
        tensor = binary(to, tdsl.AddOp, tensor, Constant(rest, addend.name))
    mask = _of_last_axes(np.broadcast_to(kept, scores.shape))
    constant = to.constant(Constant(mask.astype(np.float32), addend.name))
    return OrderedTensor.plain(to.op(MaskedSoftmaxOp, to.plain(tensor), constant, to.element))


def _of_last_axes(mask: NDArray[Any]) -> NDArray[Any]:
    while mask.ndim > 1 and (mask == mask[:1]).all():
        mask = mask[0]
    return mask


def fits(shape: tdsl.Shape, mask: NDArray[Any]) -> bool:
    """Whether the sum of a mask and a tensor has the shape of the tensor, so that only the mask is broadcast."""
    return mask.ndim > 0 and _is_broadcast(mask.shape, shape)


def _is_broadcast(extents: tdsl.Shape, shape: tdsl.Shape) -> bool:
    try:
        return np.broadcast_shapes(shape, extents) == shape
    except ValueError:
        return False
