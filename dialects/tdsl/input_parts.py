"""The inputs of a model that has several, which a program takes in one array."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from tinyml.dialects.own_attributes import NAME, Holder, OwnAttribute, Value, array, integer, text_of
from tinyml.dialects.tdsl.attributes import of_input

__all__ = ["PARTS", "InputPart", "input_parts", "parts_attribute"]


class InputPart(NamedTuple):
    """An input of a model: its name, its length in elements, and the index of its first element in the array."""

    name: str
    length: int
    start: int


def parts_attribute(lengths: Sequence[tuple[str, int]]) -> ArrayAttr[ArrayAttr[Attribute]]:
    """The attribute for inputs of these names and lengths."""
    return ArrayAttr([ArrayAttr([StringAttr(name), IntegerAttr(length, i64)]) for name, length in lengths])


def input_parts(attribute: Attribute | None) -> tuple[InputPart, ...]:
    """The parts that an attribute `tdsl.parts` lists; none without one."""
    if not isinstance(attribute, ArrayAttr):
        return ()
    listed = [cast("ArrayAttr[Any]", part).data for part in cast("ArrayAttr[Attribute]", attribute)]
    starts = accumulate((length.value.data for _, length in listed), initial=0)
    return tuple(
        InputPart(text_of(name), length.value.data, start)
        for (name, length), start in zip(listed, starts, strict=False)
    )


def _is_part(part: Attribute, _: Holder | None) -> bool:
    return (
        isa(part, ArrayAttr[Attribute])
        and len(part) == 2
        and NAME.accepts(part.data[0], None)
        and integer(1).accepts(part.data[1], None)
    )


PARTS = OwnAttribute(
    "tdsl.parts",
    of_input(array(Value("a pair", _is_part), "pairs of a name and a length from 1")),
    "The name and the length of each input of a model that has several, in their order in the array.",
)
