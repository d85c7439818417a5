"""The numbers of a posit format and their raws."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import IntAttr, IntegerType, NoneAttr
from xdsl.ir import Attribute

from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.posit.arithmetic import Posit, of_reals, to_reals
from tinyml.dialects.formats.posit.bounded_posits import decoding_of, integer_limits_of, posit_of
from tinyml.dialects.formats.posit.functions import ALL
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Raws, Reals

V = TypeVar("V")


class PositNumbers(Attribute, ExactNumbers, ABC):
    """The numbers of the type `!posit.p`: its parameters, its raws, and their conversion. `PositType` adds arithmetic
    and the choice of a type.
    """

    # A type is compared by the parameters that its own class declares, so `PositType` declares them again.
    n: IntAttr
    es: IntAttr
    low: IntAttr | NoneAttr
    high: IntAttr | NoneAttr
    shift: IntAttr

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The pair (low, high); None for a type without limits, which has all posits of the standard."""
        if isinstance(self.low, IntAttr) and isinstance(self.high, IntAttr):
            return self.low.data, self.high.data
        return None

    @property
    def scaling(self) -> int:
        """The number s for which the numbers of the format are posits times 2^-s."""
        return self.shift.data

    @property
    def posit(self) -> Posit:
        return posit_of(self.n.data, self.es.data, self.bounds)

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.stored_width)

    @property
    def stored_width(self) -> int:
        return next(width for width in (8, 16, 32) if width >= self.n.data)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"i{self.stored_width // 8}")

    @property
    def bits(self) -> int:
        return self.n.data

    @property
    def scale(self) -> int:
        return self._unit + self.scaling

    @property
    def _unit(self) -> int:
        """The exponent u for which all numbers, before the scaling by 2^-s, are multiples of 2^-u."""
        return self.posit.reach if self.bounds is None else -self.bounds[0]

    @property
    def raw_limits(self) -> tuple[int, int]:
        posit = self.posit
        greatest = posit.maxpos if posit.greatest is None else posit.greatest
        return -greatest, greatest

    @property
    def integer_limits(self) -> tuple[int, int]:
        return integer_limits_of(self)

    def encode(self, reals: Reals) -> Raws:
        reals = np.asarray(reals, np.float64)
        if self.bounds is not None:
            with np.errstate(over="ignore"):
                reals = np.nan_to_num(np.ldexp(reals, self.scaling))
        return of_reals(reals, self.posit).astype(self.dtype)

    def decode(self, raws: Raws) -> Reals:
        return np.ldexp(to_reals(raws, self.posit), -self.scaling)

    @property
    def table(self) -> NDArray[np.signedinteger[Any]]:
        """The integers that all raws represent, in the order of the raws, for formats of at most `TABLE_BITS` bits.
        Entries for raws outside the bounds are unspecified.
        """
        return decoding_of(self)

    def runtime_parameters(self, m: Machine[V]) -> tuple[V, V, V, V]:
        """The arguments (n, es, low, greatest) of the runtime functions for this format, in the order of their
        parameters.
        """
        least = ALL if self.bounds is None else self.bounds[0]
        return (
            m.int_constant(self.n.data, 8),
            m.int_constant(self.es.data, 8),
            m.int_constant(least, 16),
            m.int_constant(self.raw_limits[1], 32),
        )

    @property
    def stored_limits(self) -> tuple[int, int]:
        low, high = self.raw_limits
        return (self.posit.nar if self.bounds is None else low), high

    @property
    def undefined(self) -> int:
        """The raw that is the result of converting NaR: NaR itself, or 0 for bounded posits, which have no NaR."""
        return self.posit.nar if self.bounds is None else 0

    def stored_raw(self, m: Machine[V], raw: V) -> V:
        """A 32-bit raw, which may be NaR, narrowed to the storage width."""
        return raw if self.stored_width == 32 else m.resize(raw, self.stored_width)
