"""The constants that generated C functions embed: the attributes that store them on declarations, and the classes that
represent them.

The classes are imported only if a program has generated functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeGuard

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute

from tinyml.dialects.modules import on_call
from tinyml.dialects.own_attributes import HolderKind, OwnAttribute, instance, read_by

if TYPE_CHECKING:
    from tinyml.dialects.layouts.coded_rows import CodedRows, CodedTile
    from tinyml.dialects.layouts.trees import ForestCode
    from tinyml.dialects.num.kernels.lane_programs import LaneProgram

Content: TypeAlias = "CodedRows | CodedTile | LaneProgram | ForestCode"


class CodeContent:
    """The base class of constants that a generated C function embeds, such as `CodedRows`."""

    DECLARED_AS: ClassVar[str]
    """The name of the declaration's attribute that stores the content or its name."""


CONTENTS: dict[str, Callable[[Attribute], Content]] = {}
"""For each attribute of a declaration, the function that parses the content that the attribute stores."""


def _declared(name: str, words: str, where: str) -> OwnAttribute:
    read = on_call(f"tinyml.dialects.layouts.{where}.of")
    attribute = OwnAttribute(
        name, {HolderKind.DECLARATION: read_by(words, read)}, f"The content of a C function: {words}."
    )
    CONTENTS[attribute] = read
    return attribute


ROWS = _declared("tinyml.coded_rows", "rows of weights as code", "coded_rows:CodedRows")
TILE = _declared("tinyml.coded_tile", "a tile whose weights are code", "coded_rows:CodedTile")
FOREST = _declared("tinyml.forest", "a forest", "trees:ForestCode")

LANES = OwnAttribute(
    "tinyml.lanes",
    {HolderKind.DECLARATION: instance(SymbolRefAttr, "the name of a `num.lane_function`")},
    "The `num.lane_function` that a C function implements.",
)


def is_declared_as(content: object, name: str) -> bool:
    """True if an attribute named `name` on a function declaration can store the constants `content`."""
    return isinstance(content, CodeContent) and name == content.DECLARED_AS


def are_rows(content: object) -> TypeGuard[CodedRows]:
    return is_declared_as(content, ROWS)


def is_tile(content: object) -> TypeGuard[CodedTile]:
    return is_declared_as(content, TILE)
