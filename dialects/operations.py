"""Construction of ops: the base class of the ops of tinyml's dialects, and integer constants of `arith`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from inspect import get_annotations
from itertools import chain
from typing import Any, ClassVar, NamedTuple, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, VariadicDef


class DialectOp(IRDLOperation, ABC):
    """An op whose constructor accepts operands, result types and regions in the order of their definitions.

    For an optional or variadic definition, the argument is a sequence or None. Properties that are None are omitted.
    Only the verifier checks the number of operands. xDSL's own constructor matches all operands with their definitions,
    which takes longer than the rest of the construction.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Permit a subclass to override a class constant of its base class.

        Without this method, xDSL would interpret the constant as the definition of an operand.
        """
        super().__init_subclass__(**options)
        declared = {name for base in cls.__mro__[1:] for name in get_annotations(base)}
        for name in cls.__dict__.keys() & declared:
            if name.isupper():
                cls.__annotations__.setdefault(name, ClassVar[Any])

    def __init__(
        self,
        *,
        operands: Sequence[Any] = (),
        result_types: Sequence[Any] = (),
        properties: Mapping[str, Attribute | None] | None = None,
        regions: Sequence[Any] = (),
    ):
        present = {} if properties is None else {name: given for name, given in properties.items() if given is not None}
        shape = _shape_of(type(self))
        if shape.varies:
            groups = list(map(_group, operands))
            if shape.states_groups:
                present[AttrSizedOperandSegments.attribute_name] = _segments(tuple(map(len, groups)))
            operands, result_types, regions = (
                list(chain.from_iterable(parts)) for parts in (groups, map(_group, result_types), map(_group, regions))
            )
        Operation.__init__(self, operands=operands, result_types=result_types, properties=present, regions=regions)


class ClockedMemory(ParametrizedAttribute, TypeAttribute, ABC):
    """The base class of types of memories with clocked ports, which replace memrefs in hardware."""

    name = "memory with ports"


class ClockedOp(DialectOp, ABC):
    """An op in a loop that is converted to hardware. It creates or accesses a clocked memory, or accesses a stream."""


class _Shape(NamedTuple):
    """The number and kind of the definitions of operands, results and regions in an op class.

    varies: true if some definitions are optional or variadic.
    states_groups: true if a property stores the number of operands per definition.
    """

    varies: bool
    states_groups: bool


@cache
def _shape_of(kind: type[IRDLOperation]) -> _Shape:
    definition = kind.get_irdl_definition()
    parts = (*definition.operands, *definition.results, *definition.regions)
    return _Shape(
        any(isinstance(part, VariadicDef) for _, part in parts),
        any(isinstance(option, AttrSizedOperandSegments) for option in definition.options),
    )


def _group(part: Any) -> Sequence[Any]:
    if part is None:
        return ()
    return cast("Sequence[Any]", part) if isinstance(part, list | tuple | Sequence) else (part,)


@cache
def _segments(sizes: tuple[int, ...]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i32, sizes)


MOST_KEPT = 1 << 12
"""The maximum number of cached integer attributes; a program has a few hundred different ones."""

INDEX = IndexType()


@lru_cache(MOST_KEPT)
def _integer_attribute(value: int, width: int | None) -> IntegerAttr[Any]:
    return IntegerAttr(int(value), INDEX if width is None else IntegerType(width))


def integer_constant(value: int, width: int | None) -> ConstantOp:
    """A constant of a signless integer type of `width` bits, or of type `index` if `width` is None."""
    attribute = _integer_attribute(value, width)
    return ConstantOp.create(result_types=(attribute.type,), properties={"value": attribute})


def index_constant(value: int) -> ConstantOp:
    return integer_constant(value, None)


def integer_width(type: Attribute) -> int:
    """The width of an integer type in bits."""
    return cast("IntegerType[int, Any]", type).width.data


def width_of(value: SSAValue) -> int:
    """The width of an integer value in bits."""
    return integer_width(value.type)
