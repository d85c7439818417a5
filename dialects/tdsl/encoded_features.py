"""Conversion of features with separate scales to raws in integer arithmetic, for the C function `NAME_set` and for the
evaluator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.formats.affine import affine_formula
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, width_for
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.tdsl.inputs import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FeatureEncoding", "feature_encoding"]

V = TypeVar("V")

_FACTOR_BITS = 15
"""The number of magnitude bits of a factor."""

_EXACT_INTEGERS = 1 << 24
"""Integers up to this magnitude are exact in single precision, in which chips with float hardware compare."""

_DIFFERENCE_BITS = 13
"""The minimum width of a difference before its multiplication, so that most features fit in 16 bits before it."""

_WIDTHS = (8, 16, 32)

_SHIFTS = range(-114, 127)
"""Scales that `tm_f32_to_sN` supports."""


@dataclass(frozen=True)
class FeatureEncoding:
    """The integers by which the value x of feature j is converted to a raw.

    The raw is `(round(x * 2^shifts[j]) - zeros[j]) * factors[j] / 2^right + zero`, rounded half up and clamped to [low,
    high]. The difference is clamped to [-span, span] before it is multiplied. `shifts`, `zeros` and `factors` are
    arrays of shape (elements,).

    If no scale requires a multiplication, `factors` is None. The raw is then the difference, clamped to [low, high].
    """

    shifts: NDArray[np.int8]
    zeros: NDArray[np.int32]
    factors: NDArray[np.int16] | None
    span: int
    right: int
    zero: int
    low: int
    high: int

    def raw(self, m: Machine[V], real: V, index: V) -> Int[V]:
        """The raw of a feature with the value `real`, which is a float.

        index: the index of the feature.

        NaN is converted to the least integer before the multiplication.
        """
        least, most = self.ends
        width = width_for(least, most, _WIDTHS)
        shift = _entry(m, "shift", self.shifts, index)
        limits = m.int_constant(least, width), m.int_constant(most, width)
        x = Int(m.call(f"tm_f32_to_s{width}", real, m.held(shift, 8), *limits), width, least, most)
        x = m.sub(x, _entry(m, "zero", self.zeros, index))
        if self.factors is None:
            return m.clamp(x, self.low, self.high)
        factor = _entry(m, "factor", self.factors, index)
        product = m.mul(m.narrowed(m.clamp(x, -self.span, self.span)), factor)
        low, high = self.low - self.zero, self.high - self.zero
        return m.add(m.rescale_to(product, self.right, low, high), m.const(self.zero))

    def raws(self, x: NDArray[Any]) -> NDArray[np.integer[Any]]:
        """The raws of the features of samples.

        x: shape (samples, elements), in single or double precision.
        """
        # Signalling NaN raises this.
        with np.errstate(invalid="ignore"):
            raws = self.raw(NumpyMachine(), x, np.arange(len(self.shifts)))
        return np.broadcast_to(raws.value, x.shape)

    def features(self, raws: NDArray[Any]) -> NDArray[np.float64]:
        """Features of shape (samples, elements) for which `raws` returns the given raws. They may need double
        precision.
        """
        integers = raws.astype(np.int64) - (0 if self.factors is None else self.zero)
        if self.factors is not None:
            integers = np.rint(np.ldexp(integers / self.factors.astype(np.float64), self.right))
        return np.ldexp(integers + self.zeros.astype(np.float64), -self.shifts.astype(np.int64))

    @property
    def ends(self) -> tuple[int, int]:
        low, high = (self.low, self.high) if self.factors is None else (-self.span, self.span)
        return min(int(self.zeros.min()) + low, 0), max(int(self.zeros.max()) + high, 0)


def feature_encoding(features: FeatureMap, format: NumberFormat) -> FeatureEncoding | None:
    """The encoding of features in a format whose numbers are affine in their raws. Returns None for other formats, for
    formats of published arithmetic, for extreme scales, and for features with points, which need single precision.

    If all scales are powers of two in units of the raws, conversions need only shifts. Otherwise they need products of
    two integers: one of 16 bits, and one with one bit more than the raws, but at least 13 bits and a sign. Formats of
    more than 16 bits have no encoding in this case.
    """
    if features.points is not None:
        return None
    if format.AS_PUBLISHED or format.dtype.kind != "i" or (formula := affine_formula(format)) is None:
        return None
    unit, zero = formula
    low, high = sorted(int(end) for end in format.ends())
    units = features.scales * unit
    mantissas, exponents = np.frexp(units)
    if (mantissas == 0.5).all():
        shifts = 1 - exponents.astype(np.int64)
        factors, span, right = None, 0, 0
        zeros = np.rint(np.ldexp(features.zeros, shifts)) - zero
    elif format.dtype.itemsize <= 2:
        reach = max(high - zero, zero - low)
        span = (1 << max(_DIFFERENCE_BITS, reach.bit_length() + 1)) - 1
        shifts = np.floor(np.log2(span / (reach * np.abs(units)))).astype(np.int64)
        quotients = 1 / np.ldexp(units, shifts)
        right = _FACTOR_BITS - math.frexp(float(np.abs(quotients).max()) * (1 + 2.0**-_FACTOR_BITS))[1]
        factors = np.rint(np.ldexp(quotients, right)).astype(np.int16)
        zeros = np.rint(np.ldexp(features.zeros, shifts))
    else:
        return None
    if not all(int(shift) in _SHIFTS for shift in shifts) or np.abs(zeros).max() >= _EXACT_INTEGERS:
        return None
    found = FeatureEncoding(shifts.astype(np.int8), zeros.astype(np.int32), factors, span, right, zero, low, high)
    least, most = found.ends
    exact = max(-least, most) <= _EXACT_INTEGERS or (not zeros.any() and factors is None)
    return found if exact else None


def _entry(m: Machine[V], name: str, table: NDArray[Any], index: V) -> Int[V]:
    """The entry of a table at an index. The table is stored in the narrowest type; if all entries are equal, the result
    is a constant.
    """
    if (table == table[0]).all():
        return m.const(int(table[0]))
    width = width_for(int(table.min()), int(table.max()), _WIDTHS)
    narrow = table.astype(f"i{width // 8}")
    return Int(m.lookup(f"feature_{name}s", narrow, index), width, int(table.min()), int(table.max()))
