"""IEEE single precision as a number format: builtin `f32`, computed by the FPU or in software (the papers' baseline).

Every operation rounds to nearest even. Sums are computed in ascending order of the summed index, and no multiplication
is fused with an addition. The results of the numpy evaluator and of every IEEE device are therefore equal in every bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import Float32Type, f32
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator, accumulator_of
from tinyml.dialects.formats.number_format import Bound, Factor, Function, NumberFormat, Product, number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals

V = TypeVar("V")


class F32(NumberFormat):
    """Builtin `f32` as a number format. It is also the base class of formats that are computed as `f32` and stored in
    another way.
    """

    FAMILY = "float"
    GOOD_FOR = "32-bit floats: the reference, and chips with an FPU"

    @property
    def type(self) -> Attribute:
        return f32

    @property
    def storage(self) -> Attribute:
        return f32

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32)

    @property
    def bits(self) -> int:
        return 32

    def encode(self, reals: Reals) -> Raws:
        return np.asarray(reals).astype(np.float32)

    def decode(self, raws: Raws) -> Reals:
        return raws.astype(np.float64)

    @classmethod
    def of_width(cls, width: int | None) -> F32:
        if width not in (None, 32):
            raise InputError(f"f32 is 32 bits wide, got width {width}")
        return F32_FORMAT

    def for_range(self, low: float, high: float) -> F32:
        return self

    def narrowed(self, bits: int) -> F32:
        return self

    def accumulator(self, lhs: NumberFormat, rhs: NumberFormat, bound: Bound | None) -> Accumulator:
        return F32_SUM

    def sum_bound(self, products: Sequence[Product], initial: Factor | None = None) -> Bound | None:
        return None

    def finish(self, m: Machine[V], sum: V, accumulator: Accumulator, bound: Bound | None) -> V:
        return self.from_f32(m, sum)

    def constant(self, m: Machine[V], real: float) -> V:
        return m.float_constant(real)

    def add(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self.from_f32(m, m.addf(lhs_format.to_f32(m, lhs), rhs_format.to_f32(m, rhs)))

    def sub(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self.from_f32(m, m.subf(lhs_format.to_f32(m, lhs), rhs_format.to_f32(m, rhs)))

    def mul(self, m: Machine[V], lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return self.from_f32(m, m.mulf(lhs_format.to_f32(m, lhs), rhs_format.to_f32(m, rhs)))

    def neg(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        return self.from_f32(m, m.subf(m.float_constant(0.0), value_format.to_f32(m, value)))

    def recode(self, m: Machine[V], value: V, value_format: NumberFormat) -> V:
        return self.from_f32(m, value_format.to_f32(m, value))

    def from_f32(self, m: Machine[V], value: V) -> V:
        return value

    def to_f32(self, m: Machine[V], value: V) -> V:
        return value

    def clamp(self, m: Machine[V], value: V, low: float, high: float | None) -> V:
        value, limit = self.to_f32(m, value), m.float_constant(low)
        value = m.select(m.cmp_oge(value, limit), value, limit)
        if high is not None:
            limit = m.float_constant(high)
            value = m.select(m.cmp_oge(value, limit), limit, value)
        return self.from_f32(m, value)

    def function(
        self, m: Machine[V], function: Function, value: V, value_format: NumberFormat, scheme: str | None = None
    ) -> V:
        return self.from_f32(m, m.call(f"tm_{function}f", value_format.to_f32(m, value)))

    def at_least(self, m: Machine[V], value: V, threshold: float) -> V:
        # Only infinity reaches a threshold above the greatest float.
        with np.errstate(over="ignore"):
            least = np.float32(threshold)
            if float(least) < threshold:
                least = np.nextafter(least, np.float32(np.inf))
        return m.cmp_oge(self.to_f32(m, value), m.float_constant(float(least)))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_ogt(self.to_f32(m, lhs), self.to_f32(m, rhs))


class F32Sum(Accumulator):
    """A sum of products in `f32`. Products are added one after another, and each addition rounds."""

    FAMILY = "float"
    SCALE_FREE = True

    @property
    def type(self) -> Attribute:
        return f32

    @property
    def storage(self) -> Attribute:
        return f32

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        return format.to_f32(m, value)

    def zero(self, m: Machine[V]) -> V:
        return m.float_constant(0.0)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        return m.addf(sum, m.mulf(lhs_format.to_f32(m, lhs), rhs_format.to_f32(m, rhs)))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_ogt(lhs, rhs)


F32_FORMAT = F32()
"""The number format of builtin `f32`, that of reals."""
F32_SUM = F32Sum()


@number_format.register
def _(type: Float32Type) -> NumberFormat:
    return F32_FORMAT


@accumulator_of.register
def _(type: Float32Type) -> Accumulator:
    return F32_SUM
