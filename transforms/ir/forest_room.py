"""The room that a program has for forests that its user puts in the place of the first one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.dialects.own_attributes import HolderKind, OwnAttribute, counts

FOREST_ROOM = OwnAttribute(
    "tinyml.forest_room",
    {HolderKind.FUNCTION: counts("three numbers of at least 1, or four", (3, 4))},
    "The greatest numbers of trees, inner nodes and leaves of a forest that is data, and the bits of a vote if known.",
)


def room_of(numbers: Sequence[int]) -> Attribute:
    """The attribute `FOREST_ROOM` with these numbers."""
    return DenseArrayBase.from_list(i64, list(numbers))


def sizes_of(forest: tdsl.ForestOp) -> Sequence[int]:
    """The numbers of trees, inner nodes and leaves of a forest. A program has room for at least one inner node."""
    return len(forest.trees.roots), max(forest.trees.inner, 1), tdsl.shape_of(forest.votes)[0]


def known_room(function: FuncOp) -> Sequence[int] | None:
    """The numbers of `FOREST_ROOM`; None for a function without the attribute."""
    attribute = function.attributes.get(FOREST_ROOM)
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None
