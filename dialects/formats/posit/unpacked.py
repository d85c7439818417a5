"""`!posit.unpacked<n, es, least, step>`: constant standard posits, stored as significand and place.

An element contains a significand in its upper half and a place in its lower half. The place is the exponent, counted in
steps from `least`. The significand is shifted left so that the exponent is a whole number of steps. NaR cannot be
represented. `decode-constants` converts weights to this format, so that the device does not decode them before each
multiplication.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.posit.arithmetic import Posit, of_reals
from tinyml.dialects.formats.posit.parts import Parts, parts_of, parts_of_posit, verify_standard
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.dialects.formats.posit.arithmetic import Posit

V = TypeVar("V")


@irdl_attr_definition
class UnpackedType(ParametrizedAttribute, TypeAttribute):
    """`!posit.unpacked<n, es, least, step>`: constant standard posits, stored as a significand and a place.

    The place is the exponent, counted from `least` in units of `step`.
    """

    name = "posit.unpacked"
    n: IntAttr
    es: IntAttr
    least: IntAttr
    step: IntAttr

    def __init__(self, n: int, es: int, least: int, step: int):
        super().__init__(*map(IntAttr, (n, es, least, step)))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, lambda: parser.parse_integer(allow_boolean=False)
            )
            if len(numbers) != 4:
                parser.raise_error("expected n and es of a posit, the least exponent and the step of its places")
        return [*map(IntAttr, numbers)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            numbers = self.n, self.es, self.least, self.step
            printer.print_string(", ".join(str(number.data) for number in numbers))

    def verify(self) -> None:
        verify_standard(self.n.data, self.es.data)
        if self.step.data < 1:
            raise VerifyException(f"posit.unpacked has places at least 1 apart, got {self.step.data}")


@dataclass(frozen=True)
class Unpacked(ExactFormat):
    """The format of elements of type `!posit.unpacked`. Such elements occur only as operands of sums of products."""

    unpacked: UnpackedType

    @property
    def type(self) -> Attribute:
        return self.unpacked

    @property
    def posit(self) -> Posit:
        return Posit(self.unpacked.n.data, self.unpacked.es.data)

    @property
    def packed(self) -> Parts:
        return parts_of_posit(self, self.posit)

    @property
    def half(self) -> int:
        """The width in bits of an element's significand, which is also that of its place."""
        return parts_of(self).half_at(self.unpacked.step.data, self.unpacked.least.data)

    @property
    def storage(self) -> Attribute:
        return IntegerType(self.bits)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"i{self.bits // 8}")

    @property
    def bits(self) -> int:
        return 2 * self.half

    @property
    def scale(self) -> int:
        return -self.unpacked.least.data

    @property
    def raw_limits(self) -> tuple[int, int]:
        most = 1 << self.bits - 1
        return -most, most - 1

    def encode(self, reals: Reals) -> Raws:
        raws = of_reals(reals, self.posit)
        return self.packed.packed(raws, self.half, self.unpacked.step.data, self.unpacked.least.data)

    def decode(self, raws: Raws) -> Reals:
        significands, exponents, _ = parts_of(self).split(np.asarray(raws))
        return np.ldexp(significands.astype(np.float64), exponents)

    @classmethod
    def of_width(cls, width: int | None) -> Unpacked:
        raise InputError("posits are unpacked for a quire, by decode-constants")

    def for_range(self, low: float, high: float) -> Unpacked:
        return self

    def narrowed(self, bits: int) -> Unpacked:
        return self

    def load(self, m: Machine[V], value: V) -> Int[V]:
        raise InputError(f"{self.type}: only sums in a quire read unpacked posits")

    def store(self, m: Machine[V], x: Int[V], scale: int) -> V:
        raise InputError(f"{self.type}: only constants are unpacked")


@number_format.register
def _(type: UnpackedType) -> Unpacked:
    return Unpacked(type)


@parts_of.register
def _(format: Unpacked) -> Parts:
    packed, step, least = format.packed, format.unpacked.step.data, format.unpacked.least.data
    greatest = least + step * packed.greatest_place(step, least)
    return Parts(format, packed.bits_at(step), least, greatest, unpacked=step)
