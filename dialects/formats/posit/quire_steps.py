"""The steps of computing a sum in a quire. Python integers execute a step on the host; ops of the `posit` dialect
execute it on devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tinyml.dialects.formats.exact.format import STICKY_BITS
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.posit.final_ops import JoinOp, RoundOp, ToOddOp
from tinyml.dialects.formats.posit.layout import LaidOut, Layout
from tinyml.dialects.formats.posit.numbers import PositNumbers
from tinyml.dialects.formats.posit.ops import AddOp, DecodeOp, MarkOp, MultiplyAddOp, StartOp
from tinyml.dialects.formats.posit.parts import Parts
from tinyml.dialects.formats.posit.quire_sums import integers, odd_integers, rounded
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Int, Machine, width_for

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import Attribute, SSAValue

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.dialects.machine.emitter import Emitter

V = TypeVar("V")


@dataclass(frozen=True)
class _Step:
    """One step of the computation of a sum in a quire of type `quire`."""

    quire: Attribute

    @property
    def layout(self) -> Layout:
        return cast(LaidOut, self.quire).layout


@dataclass(frozen=True)
class Start(_Step):
    """The step that sets the sum to zero or, if `parts` is not None, to a number.

    parts: the properties of the significand and the exponent of this number.
    """

    parts: Parts | None = None

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        return np.array(0, object) if self.parts is None else integers(self.parts, operands[0], -self.layout.frac)

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        quire = emitter.context.local(self.layout.storage, "quire")
        emitter.put(StartOp(quire, self.quire))
        if self.parts is not None:
            parts = _decoded(emitter, quire, self.quire, self.parts, operands[0], -self.layout.frac, 1)
            emitter.put(AddOp(quire, self.quire, *parts, self.parts.bits))
        return quire


@dataclass(frozen=True)
class Add(_Step):
    """The step that computes sum + x, or sum - x if `negative` is true, for a number x.

    parts: the properties of x's significand and exponent.
    """

    parts: Parts
    negative: bool = False

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        sum, value = operands
        number = integers(self.parts, value, -self.layout.frac)
        return sum - number if self.negative else sum + number

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        sum, value = operands
        significand, exponent = _decoded(emitter, sum, self.quire, self.parts, value, -self.layout.frac, 1)
        if self.negative:
            significand = _negated(emitter, significand, self.parts.bits)
        emitter.put(AddOp(sum, self.quire, significand, exponent, self.parts.bits))
        return sum


@dataclass(frozen=True)
class MultiplyAdd(_Step):
    """The step that computes sum + lhs * rhs, or sum - lhs * rhs if `negative` is true.

    lhs, rhs: the properties of the significand and the exponent of each factor.
    """

    lhs: Parts
    rhs: Parts
    negative: bool = False

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        sum, lhs, rhs = operands
        least, least_of_rhs = self.layout.leasts(self.lhs, self.rhs)
        product = integers(self.lhs, lhs, least) * integers(self.rhs, rhs, least_of_rhs)
        return sum - product if self.negative else sum + product

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        sum, *factors = operands
        least, least_of_rhs = self.layout.leasts(self.lhs, self.rhs)
        step = self.layout.unit(self.lhs, self.rhs)
        lhs = _decoded(emitter, sum, self.quire, self.lhs, factors[0], least, step)
        rhs = _decoded(emitter, sum, self.quire, self.rhs, factors[1], least_of_rhs, step)
        if self.negative:
            lhs = _negated(emitter, lhs[0], self.lhs.bits_at(step)), lhs[1]
        bits = self.lhs.bits_at(step) + self.rhs.bits_at(step)
        emitter.put(MultiplyAddOp(sum, self.quire, lhs, rhs, bits, step))
        return sum


@dataclass(frozen=True)
class Round(_Step):
    """The step that rounds a complete sum to the nearest posit.

    format: the format of the result.
    """

    format: PositNumbers

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        raws = rounded(operands[0], self.layout.frac - self.format.scaling, self.format.posit)
        return raws.astype(self.format.dtype)

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        # Sign and regime have at least three bits, and one more decides the rounding.
        joined = JoinOp(operands[0], self.quire, self.format.bits - 1)
        emitter.put(joined)
        return emitter.insert(RoundOp(joined.sum, joined.scale, joined.undefined, self.format))


@dataclass(frozen=True)
class ToOdd(_Step):
    """The step that converts a complete sum to an integer in units of 2^-scale, clamped to [`low`, `high`]. NaR becomes
    `low`.

    Before it is clamped, the integer is odd if any bit of the sum below the unit is 1.
    """

    scale: int
    low: int
    high: int

    def computed(self, *operands: NDArray[Any]) -> NDArray[Any]:
        return odd_integers(operands[0], self.scale - self.layout.frac, self.low, self.high)

    def emitted(self, emitter: Emitter, *operands: SSAValue) -> SSAValue:
        joined = JoinOp(operands[0], self.quire, self.high.bit_length())
        emitter.put(joined)
        return emitter.insert(ToOddOp(joined.sum, joined.scale, joined.undefined, self.scale, self.low, self.high))


def rounded_odd(m: Machine[V], to_odd: Callable[[int, int, int], Any], values: Sequence[V], result: NumberFormat) -> V:
    """A number, rounded once to the exact format `result`.

    to_odd: returns the step that converts the number to an integer with more bits than the result, for the integer's
        scale, least and greatest value. The integer is odd if any truncated bit is 1.
    values: the operands of the step.
    """
    exact: Any = exact_numbers(result)
    low, high = (end << STICKY_BITS for end in exact.integer_limits)
    scale = exact.scale + STICKY_BITS
    odd = m.perform(to_odd(scale, low, high), *values)
    return exact.store(m, Int(odd, width_for(low, high, (32, 64)), low, high), scale)


def _negated(e: Emitter, significand: Int[SSAValue], bits: int) -> Int[SSAValue]:
    value, width, most = significand.value, significand.width, (1 << bits) - 1
    # The least integer of a register has no negative in it.
    if bits >= width:
        width *= 2
        value = e.resize(value, width)
    return Int(e.subi(e.int_constant(0, width), value), width, -most, most)


def _decoded(
    e: Emitter, quire: SSAValue, type: Attribute, parts: Parts, value: SSAValue, least: int, step: int
) -> tuple[Int[SSAValue], Int[SSAValue]]:
    """The significand of a number with the properties `parts`, and its place in steps from `least`. Ops that set the
    NaR flag of the sum are emitted if the number can be NaR.
    """
    if parts.posit is None and parts.unpacked is None:
        return parts.format.load(e, value), e.const((parts.least - least) // step)
    decode = DecodeOp(value, parts, least, step)
    e.put(decode)
    if parts.posit is not None and ((known := e.known(value)) is None or known[0] <= parts.posit.nar):
        e.put(MarkOp(quire, type, decode.place))
    return decode.integers()
