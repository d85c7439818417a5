"""The proof that a sum does not overflow, in the IR: `bound = array<i64: least, greatest>`."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.product import Bound

__all__ = ["BOUND", "bound_of", "proof", "verify_bound", "verify_room"]

BOUND = DenseArrayBase.constr(i64)


def proof(bound: Bound | None) -> dict[str, Attribute]:
    """The property that states a bound; empty if there is nothing to prove."""
    return {} if bound is None else {"bound": DenseArrayBase.from_list(i64, bound)}


def bound_of(stated: DenseArrayBase[IntegerType] | None) -> Bound | None:
    """A stated bound; raises `VerifyException` unless it is an ordered pair of numbers."""
    if stated is None:
        return None
    values = stated.get_values()
    if len(values) != 2 or not values[0] <= values[1]:
        raise VerifyException(f"bound must be the least and the greatest of a sum, got {stated}")
    return cast(Bound, tuple(values))


def verify_bound(stated: Bound | None, derived: Bound | None) -> None:
    """Raise `VerifyException` if sums can exceed the bound stated for them."""
    if stated is not None and derived is not None and not stated[0] <= derived[0] <= derived[1] <= stated[1]:
        raise VerifyException(f"sums go from {derived[0]} to {derived[1]}, beyond the bound")


def verify_room(accumulator: Accumulator, bound: Bound | None, result: NumberFormat) -> None:
    """Raise `VerifyException` if sums can overflow their accumulator, or can when they are rounded."""
    if bound is not None and not accumulator.holds(bound, result):
        sums = f"sums from {bound[0]} to {bound[1]}"
        raise VerifyException(f"{accumulator.type} cannot hold {sums} and round them into {result.type}")
