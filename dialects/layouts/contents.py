"""The constants that generated C functions embed, and the attributes that store them on declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute

from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, instance, read_by


class Content:
    """The base class of constants that a generated C function embeds, such as `CodedRows`."""

    DECLARED_AS: ClassVar[str]
    """The name of the declaration's attribute that stores the content or its name."""


CONTENTS: dict[str, Callable[[Attribute], Any]] = {}
"""For each attribute of a declaration, the function that parses the content that the attribute stores."""


def content_attribute(name: str, words: str, read: Callable[[Attribute], object]) -> DiscardableAttribute:
    """Declare the attribute `name`, from which `read` parses a content."""
    attribute = DiscardableAttribute(
        name, {HolderKind.DECLARATION: read_by(words, read)}, f"The content of a C function: {words}."
    )
    CONTENTS[attribute] = read
    return attribute


LANES = DiscardableAttribute(
    "tinyml.lanes",
    {HolderKind.DECLARATION: instance(SymbolRefAttr, "the name of a `num.lane_function`")},
    "The `num.lane_function` that a C function implements.",
)


def is_declared_as(content: object, name: str) -> bool:
    return isinstance(content, Content) and name == content.DECLARED_AS
