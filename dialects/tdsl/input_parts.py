"""The inputs of a model that has several, which a program takes in one array."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

__all__ = ["PARTS", "InputPart", "input_parts", "parts_attribute"]

PARTS = "tdsl.parts"
"""Argument attribute of the predict function: name and length of each input of the model, in their order in the array.

Programs of models with a single input do not have it.
"""


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
    if not isa(attribute, ArrayAttr[ArrayAttr[Attribute]]):
        return ()
    listed = [(name.data, length.value.data) for name, length in map(_pair, attribute)]
    starts = accumulate((length for _, length in listed), initial=0)
    return tuple(InputPart(name, length, start) for (name, length), start in zip(listed, starts, strict=False))


def _pair(part: ArrayAttr[Attribute]) -> tuple[StringAttr, IntegerAttr[IntegerType]]:
    name, length = part
    assert isinstance(name, StringAttr)
    assert isa(length, IntegerAttr[IntegerType])
    return name, length
