"""Loops whose iterations only insert parts into tensors, such as a pooling over patches: all iterations at once.

No iteration reads what another one writes, so iterations are evaluated as samples are: every array has a leading axis
over them, of extent 1 if it does not depend on the iteration. Loops that hand their tensors on to one inner loop form a
nest, whose iterations lie on one axis in the order in which they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl.indexed_arrays import insert_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

MOST_TOGETHER = 1 << 22
"""The most elements of a tensor over all iterations that are evaluated together."""


@dataclass(frozen=True)
class Nest:
    """Nested loops that can be evaluated together, the outermost first.

    taken: the range of each loop. elements: those of the largest tensor that an iteration of the innermost loop
    computes.
    """

    loops: Sequence[scf.ForOp]
    taken: Sequence[range]
    elements: int

    @property
    def iterations(self) -> int:
        return prod(map(len, self.taken))

    def together(self, samples: int) -> int:
        """The iterations of the outermost loop to evaluate together for each of some samples; 0 if memory is short."""
        each = samples * self.elements * prod(map(len, self.taken[1:]))
        return min(MOST_TOGETHER // each, len(self.taken[0]))

    @property
    def insertions(self) -> Sequence[tdsl.InsertSliceOp]:
        """The op that inserts into each carried tensor, in the order of the tensors."""
        last = self.loops[-1].body.block.last_op
        assert last is not None
        return [cast(tdsl.InsertSliceOp, value.owner) for value in last.operands]

    def stages(self, position: int) -> Sequence[SSAValue]:
        """The values that stand for a carried tensor within the loops."""
        arguments = [loop.body.block.args[1 + position] for loop in self.loops]
        return [*arguments, self.insertions[position].out, *(loop.results[position] for loop in self.loops[1:])]


def nest_of(loop: scf.ForOp) -> Nest | None:
    """The nest that begins at a loop; None for a loop that must run one iteration after the other."""
    bounds = [const_evaluate_operand(value) for value in (loop.lb, loop.ub, loop.step)]
    if None in bounds or not (taken := range(*cast("list[int]", bounds))) or not loop.iter_args:
        return None
    block = loop.body.block
    carried, last = block.args[1:], block.last_op
    assert last is not None
    if any(not value.has_one_use() for value in (*carried, *last.operands)):
        return None
    if all(_is_insertion(value, argument) for value, argument in zip(last.operands, carried, strict=True)):
        others = [value for op in loop.walk() for value in op.results if value not in (*last.operands, *loop.results)]
        sizes = [prod(tdsl.shape_of(value)) for value in others if isinstance(value.type, TensorType)]
        parts = [prod(tdsl.shape_of(cast(tdsl.InsertSliceOp, value.owner).part)) for value in last.operands]
        return Nest([loop], [taken], max(*sizes, *parts, 1))
    inner = last.operands[0].owner
    handed = isinstance(inner, scf.ForOp) and inner.parent is block and list(inner.results) == list(last.operands)
    if not handed or list(cast(scf.ForOp, inner).iter_args) != list(carried):
        return None
    below = nest_of(cast(scf.ForOp, inner))
    return below and Nest([loop, *below.loops], [taken, *below.taken], below.elements)


def _is_insertion(value: SSAValue, argument: SSAValue) -> bool:
    return isinstance(value.owner, tdsl.InsertSliceOp) and value.owner.input is argument


def captured(op: Operation) -> list[SSAValue]:
    """The values defined outside an op that its nested ops read."""
    nested = [inner for inner in op.walk() if inner is not op]
    inside = {value for inner in nested for value in inner.results}
    inside |= {argument for inner in op.walk() for region in inner.regions for argument in region.block.args}
    return [operand for inner in nested for operand in inner.operands if operand not in inside]


def counters(taken: Sequence[range]) -> list[Array]:
    """The counter of each loop of a nest in all iterations."""
    return [grid.reshape(-1) for grid in np.meshgrid(*(np.array(each) for each in taken), indexing="ij")]


def insert(op: tdsl.InsertSliceOp, whole: Array, part: Array, offsets: Sequence[Any], iterations: int) -> None:
    """Insert the parts of some iterations for each sample of an array, in the order of the iterations."""
    insert_parts(whole, part, offsets, op.order, np.arange(len(whole) * iterations) // iterations)


def beside(array: Array) -> Array:
    """The arrays of all iterations as one of a single sample, one beside the other along the last axis."""
    if len(array) == 1:
        return array
    moved = np.moveaxis(array, 0, -1)
    return moved.reshape(1, *moved.shape[:-2], -1)
