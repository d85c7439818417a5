"""Functions that the ops of StableHLO share: they read extents, which may be dynamic, and verify them."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntElementsAttr,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

Integers: TypeAlias = DenseArrayBase[Any]
Shape: TypeAlias = tuple[int, ...]


def shape_of(value: SSAValue) -> Shape:
    """The extents of a tensor; -1 for a dynamic extent."""
    return cast("TensorType[Attribute]", value.type).get_shape()


def numbers(attribute: Attribute | None, otherwise: Iterable[int] = ()) -> tuple[int, ...]:
    """The integers of an attribute as a flat tuple; `otherwise` if `attribute` is None."""
    if attribute is None:
        return tuple(otherwise)
    return tuple(int(each) for each in cast("DenseArrayBase[Any] | DenseIntElementsAttr", attribute).get_values())


def expect(condition: object, message: str) -> None:
    if not condition:
        raise VerifyException(message)


def expect_shape(value: SSAValue, expected: Sequence[int]) -> None:
    """Raise `VerifyException` unless a result has the rank of `expected`, and its extents equal those of `expected`
    wherever both are static.
    """
    shape = shape_of(value)
    fits = len(shape) == len(expected) and all(
        DYNAMIC_INDEX in pair or pair[0] == pair[1] for pair in zip(shape, expected, strict=True)
    )
    expect(fits, f"its result has the shape {list(shape)}, not {list(expected)}")


def expect_axes(axes: Sequence[int], rank: int, name: str) -> None:
    distinct = len(set(axes)) == len(axes) and all(0 <= axis < rank for axis in axes)
    expect(distinct, f"{name} {list(axes)} are not different axes of a tensor of rank {rank}")


class PureOp(IRDLOperation, ABC):
    traits = traits_def(Pure())
