"""The capacity of a program for forests with which its user may replace the forest of the model: the attribute
`tinyml.forest_room`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.dialects.discardable_attributes import UNIT, DiscardableAttribute, HolderKind, counts
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from tinyml.dialects.layouts.trees import ForestCode

FOREST_ROOM = DiscardableAttribute(
    "tinyml.forest_room",
    {HolderKind.FUNCTION: counts("three numbers of at least 1, or four", (3, 4))},
    "The greatest numbers of trees, inner nodes and leaves of a forest that is data, and the bits of a vote if known.",
)

FAR_FOREST = DiscardableAttribute(
    "tinyml.far_forest",
    {HolderKind.FUNCTION: UNIT},
    "The arrays of a forest that is data are far constants.",
)

_SHORT = 1 << 15
"""Indices of nodes and leaves have 16 bits below this number, otherwise 32 bits."""


def room_of(numbers: Sequence[int]) -> Attribute:
    return DenseArrayBase.from_list(i64, list(numbers))


def sizes_of(forest: tdsl.ForestOp) -> Sequence[int]:
    """The numbers of trees, inner nodes and leaves of a forest. A program has room for at least one inner node."""
    return len(forest.trees.roots), max(forest.trees.inner, 1), tdsl.shape_of(forest.votes)[0]


def known_room(function: FuncOp) -> Sequence[int] | None:
    """The numbers of `FOREST_ROOM`; None for a function without the attribute."""
    attribute = function.attributes.get(FOREST_ROOM)
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None


def tables_of(room: Sequence[int], forest: ForestCode, inputs: int) -> Mapping[str, tuple[np.dtype[Any], int]]:
    """The element type and the length of each array of a forest that is data.

    room: the greatest numbers of trees, inner nodes and leaves, and the bits of a vote.
    inputs: the number of features of the model.
    """
    trees, nodes, leaves, bits = room
    index = np.dtype(np.int16 if max(nodes, leaves) < _SHORT else np.int32)
    # The type of a feature's index is that of the greatest one, whichever of them the nodes compare.
    feature = np.dtype(np.int8 if inputs <= 1 << 8 else np.int16)
    vote = next(np.dtype(f"i{bytes}") for bytes in (1, 2, 4) if 8 * bytes >= bits)
    return {
        "features": (feature, nodes),
        "thresholds": (forest.trees.thresholds.dtype, nodes),
        "children": (index, 2 * nodes),
        "roots": (index, trees),
        "votes": (vote, leaves * forest.results),
        "trees": (np.dtype(np.int16), 1),
    }


def limits_of(room: Sequence[int], inputs: int) -> Mapping[str, Sequence[int]]:
    """The least and the greatest element of those arrays of a forest that is data in which not every element is valid:
    indices, counts, and votes whose sums do not overflow.

    room, inputs: as for `tables_of`.
    """
    trees, nodes, leaves, bits = room
    vote = (1 << bits - 1) - 1
    return {
        "features": (0, inputs - 1),
        "children": (-leaves, nodes - 1),
        "roots": (-leaves, nodes - 1),
        "votes": (-vote, vote),
        "trees": (0, trees),
    }
