"""`!zeroskew.acc<width, scale>`: sums of products of zero-skew integers, 32 or 64 bits wide, in units of a scale.

`!zeroskew.acc<width, [scale, scale, ...]>` has a scale per row of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from xdsl.dialects.builtin import ArrayAttr, FloatData, IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator, Requantisation
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.zeroskew.numbers import (
    START_LIMITS,
    parse_scales,
    requantisation,
    single,
    skewed,
    spell_scales,
)
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws

V = TypeVar("V")


class SkewedSum(ParametrizedAttribute, TypeAttribute, Accumulator):
    """The scale of products is the product of their scales, computed as in TensorFlow Lite: in single precision, and in
    double precision per channel. Products of 16-bit numbers have sums of 64 bits."""

    INTEGER: ClassVar[bool] = True
    FAMILY = "zeroskew"
    width: IntAttr
    scales: ArrayAttr[FloatData]
    NUMBERS: ClassVar[Callable[[int, float | Sequence[float]], NumberFormat]]
    """The format of a width and scales. `type.py` sets it, since it is defined after its accumulator."""

    def __init__(self, width: int, scales: Sequence[float]):
        super().__init__(IntAttr(width), ArrayAttr(map(FloatData, scales)))

    @classmethod
    def of_products(cls, lhs: NumberFormat, rhs: NumberFormat) -> Self:
        a, b = skewed(lhs), skewed(rhs)
        width = 32 if max(a.bits, b.bits) <= 8 else 64
        if not a.per_channel:
            return cls(width, [single(a.scale * b.scale)])
        return cls(width, [scale * b.scale for scale in a.scale_values])

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            width = parser.parse_integer(allow_boolean=False, allow_negative=False)
            parser.parse_punctuation(",")
            scales = parse_scales(parser)
        return [IntAttr(width), ArrayAttr([scales]) if isinstance(scales, FloatData) else scales]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            scales = self.scales.data[0] if len(self.scales) == 1 else self.scales
            printer.print_string(f"{self.bits}, {spell_scales(scales)}")

    def verify(self) -> None:
        if self.bits not in START_LIMITS:
            raise VerifyException(f"{self.name} width must be 32 or 64, got {self.bits}")
        if not self.scales.data or not all(scale.data > 0 for scale in self.scales):
            raise VerifyException(f"{self.name} scales must be positive")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.bits)

    @property
    def bits(self) -> int:
        return self.width.data

    @property
    def has_row_scales(self) -> bool:
        return len(self.scales) > 1

    @property
    def scale(self) -> float:
        """The single scale."""
        [scale] = self.scales.data
        return scale.data

    def of(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> Self:
        return self.of_products(lhs_format, rhs_format)

    def starts(self, format: NumberFormat) -> bool:
        return format.type == self.start_format(format).type

    def start_format(self, format: NumberFormat) -> NumberFormat:
        scales = [scale.data for scale in self.scales]
        return SkewedSum.NUMBERS(self.bits, scales if len(scales) > 1 else scales[0])

    def start_constant(self, format: NumberFormat) -> NumberFormat:
        return self.start_format(format)

    def start(self, m: Machine[V], value: V, format: NumberFormat) -> V:
        return value

    def sums(self, lhs_format: NumberFormat, rhs_format: NumberFormat) -> bool:
        return super().sums(lhs_format, rhs_format) and not skewed(rhs_format).per_channel

    def zero(self, m: Machine[V]) -> V:
        return m.int_constant(0, self.bits)

    def mac(self, m: Machine[V], sum: V, lhs: V, lhs_format: NumberFormat, rhs: V, rhs_format: NumberFormat) -> V:
        product = m.mul(skewed(lhs_format).load(m, lhs), skewed(rhs_format).load(m, rhs))
        return m.addi(sum, m.held(product, self.bits))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)

    def levelled(self, result: NumberFormat) -> Self:
        """The accumulator in units of the result, if rows have scales of their own."""
        return self if len(self.scales) == 1 else type(self)(32, [skewed(result).scale])

    def matmul(
        self, lhs: Raws, lhs_format: NumberFormat, rhs: Raws, rhs_format: NumberFormat, start: Raws | None = None
    ) -> Raws:
        """Compute in double precision, which is exact: every partial sum has less than 53 bits."""
        from tinyml.dialects.machine.numpy_machine import stacked_matmul

        zeros = (skewed(format).zero_point.data for format in (lhs_format, rhs_format))
        factors = (raws.astype(np.float64) - zero for raws, zero in zip((lhs, rhs), zeros, strict=True))
        sums = stacked_matmul(*factors).astype(f"i{self.bits // 8}")
        return sums if start is None else sums + start


@irdl_attr_definition
class ZeroSkewSum(SkewedSum):
    """Sums that are brought to the scale of a result by a multiplication of integers."""

    name = "zeroskew.acc"
    width: IntAttr
    scales: ArrayAttr[FloatData]

    def level_row(self, m: Machine[V], sum: V, row: V, levelled: Accumulator) -> V:
        assert isinstance(levelled, ZeroSkewSum)
        multipliers, shifts = self._factors([scale.data for scale in self.scales], levelled.scale)
        multiplier = m.lookup("multipliers", multipliers, row)
        shift = m.lookup("shifts", shifts, row)
        return m.call(f"tm_requantize_s{self.bits}", sum, multiplier, shift)

    def requantisation(self, result: NumberFormat, rows: int) -> Requantisation | None:
        format, scales = skewed(result), [scale.data for scale in self.scales]
        if self.bits != 32 or scales == [format.scale]:
            return None
        multipliers, shifts = self._factors(scales * (rows // len(scales)), format.scale)
        return Requantisation(multipliers, shifts, format.zero_point.data, *format.raw_limits)

    def _factors(self, scales: Sequence[float], unit: float) -> tuple[Raws, Raws]:
        """Multipliers and shifts that bring sums of several scales to a unit."""
        multipliers, shifts = zip(*(requantisation(self.bits, scale / unit) for scale in scales), strict=True)
        return np.array(multipliers, np.int32), np.array(shifts, np.int8)
