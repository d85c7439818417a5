"""How this project's dialects make ops: the base class of their own, and integer constants of `arith`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, VariadicDef


class DialectOp(IRDLOperation, ABC):
    """An op whose constructor takes operands, result types and regions in the order of their definitions.

    If none of these is optional or variadic, nothing has to be matched. xDSL matches them all the same, which takes
    longer than all else in the making of an op. Properties that are None are left out.
    """

    def __init__(
        self,
        *,
        operands: Sequence[Any] = (),
        result_types: Sequence[Any] = (),
        properties: Mapping[str, Attribute | None] | None = None,
        regions: Sequence[Any] = (),
    ):
        present = {} if properties is None else {name: given for name, given in properties.items() if given is not None}
        init = Operation.__init__ if _has_single_parts(type(self)) else IRDLOperation.__init__
        init(self, operands=operands, result_types=result_types, properties=present, regions=regions)


@cache
def _has_single_parts(kind: type[IRDLOperation]) -> bool:
    """True for ops without optional or variadic operands, results and regions."""
    definition = kind.get_irdl_definition()
    parts = (*definition.operands, *definition.results, *definition.regions)
    return not any(isinstance(part, VariadicDef) for _, part in parts)


MOST_KEPT = 1 << 12
"""The integers whose attributes are kept; a program has a few hundred different ones."""

INDEX = IndexType()


@lru_cache(MOST_KEPT)
def _integer_attribute(value: int, width: int | None) -> IntegerAttr[Any]:
    return IntegerAttr(int(value), INDEX if width is None else IntegerType(width))


def integer_constant(value: int, width: int | None) -> ConstantOp:
    """A constant of a signless type of `width` bits; without a width, of `index`."""
    attribute = _integer_attribute(value, width)
    return ConstantOp.create(result_types=(attribute.type,), properties={"value": attribute})


def index_constant(value: int) -> ConstantOp:
    """A constant of type `index`."""
    return integer_constant(value, None)
