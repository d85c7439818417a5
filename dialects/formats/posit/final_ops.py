"""The ops of the `posit` dialect that convert the bins of a quire to one integer, and round an exact sum or product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, i1, i16, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure

from tinyml.dialects.formats.posit.layout import ROUNDING_BITS, LaidOut
from tinyml.dialects.formats.posit.numbers import PositNumbers
from tinyml.dialects.formats.posit.quire_op import FLAG, QuireOp, constant_index, flags_of, load, loop, store
from tinyml.dialects.machine.emitter import EmittedOp, Emitter
from tinyml.dialects.machine.machine import width_for
from tinyml.dialects.operations import width_of

WORD = 32
"""The width in bits of a register in which the digits of a sum are combined."""


@irdl_op_definition
class JoinOp(QuireOp):
    """Convert a complete sum in a quire to one integer and a NaR flag. The sum is integer * 2^-scale.

    If the sum consists of several bins, it is truncated to the bits that rounding to a posit needs. The last bit of the
    result is set if any truncated bit is 1. `type` is as in `posit.start`.
    """

    name = "posit.join"
    sum = result_def(IntegerType)
    scale = result_def(i16)
    undefined = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$quire `as` $type attr-dict `:` type($quire) `->` type($sum)"

    def __init__(self, quire: SSAValue, type: Attribute, bits: int):
        """Create an op that returns the most significant bits of the sum, at least `bits` of them."""
        layout = cast(LaidOut, type).layout
        short = bits <= ROUNDING_BITS[WORD] - layout.digit + 1
        width = layout.bin if layout.is_single else WORD if short else 2 * WORD
        super().__init__(operands=[quire], properties={"type": type}, result_types=[IntegerType(width), i16, i1])

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        layout = self.layout
        flag = load(e, flags_of(e, self.quire), constant_index(e, 0))
        undefined = e.cmp_sgt(e.int_constant(0, FLAG), flag)
        if layout.is_single:
            return [load(e, self.quire, constant_index(e, 0)), e.int_constant(layout.frac, 16), undefined]
        width = width_of(self.sum)
        words, rest, left = self._highest(e, self._digits(e))
        sum = words[-1]
        if width == 64:
            low = e.andi(e.resize(words[0], 64), e.int_constant((1 << WORD) - 1, 64))
            sum = e.addi(e.shli(e.resize(sum, 64), e.int_constant(WORD, 64)), low)
        lost = e.insert(arith.CmpiOp(rest, e.int_constant(0, WORD), "ne"))
        doubled = e.shli(sum, e.int_constant(1, width))
        rounded = e.select(lost, e.addi(doubled, e.int_constant(1, width)), doubled)
        return [rounded, e.subi(e.int_constant(layout.frac + 1, 16), left), undefined]

    def _digits(self, e: Emitter) -> SSAValue:
        """Replace the contents of the first bins by the unsigned digits of the sum. Return the carry of the last
        digit.
        """
        bin, step, digit = self.layout.bin, self.layout.step, self.layout.digit
        zero = e.int_constant(0, bin)

        def carry(e: Emitter, k: SSAValue, carried: SSAValue) -> Sequence[SSAValue]:
            total = e.addi(load(e, self.quire, k), carried)
            return e.andi(total, e.int_constant((1 << step) - 1, bin)), e.shrsi(total, e.int_constant(step, bin))

        def one(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            low, above = carry(e, k, carried[0])
            store(e, low, self.quire, k)
            return [above]

        def several(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            first = e.insert(arith.MuliOp(k, constant_index(e, digit // step)))

            def append(e: Emitter, j: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
                low, above = carry(e, e.insert(arith.AddiOp(first, j)), carried[0])
                raised = e.shli(low, e.int_constant(digit - step, bin))
                return [above, e.addi(e.shrsi(carried[1], e.int_constant(step, bin)), raised)]

            above, whole = loop(e, digit // step, [carried[0], zero], append)
            store(e, whole, self.quire, k)
            return [above]

        [sign] = loop(e, self._digit_count, [zero], one if step == digit else several)
        return sign

    @property
    def _digit_count(self) -> int:
        return self.layout.count * self.layout.step // self.layout.digit

    def _highest(self, e: Emitter, sign: SSAValue) -> tuple[Sequence[SSAValue], SSAValue, SSAValue]:
        """The words of the sum's highest bits, an integer that is 0 if all lower bits are 0, and the number of lower
        bits.
        """
        digit, last, count = self.layout.digit, self._digit_count - 1, width_of(self.sum) // WORD
        limit = 1 << ROUNDING_BITS[WORD * count] - WORD * (count - 1) - digit

        def append(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            *words, rest, left = carried
            below = _word(e, load(e, self.quire, e.insert(arith.SubiOp(constant_index(e, last), k))))
            top = words[-1]
            room = e.select(
                e.cmp_sge(top, e.int_constant(0, WORD)),
                e.cmp_sgt(e.int_constant(limit, WORD), top),
                e.cmp_sge(top, e.int_constant(-limit, WORD)),
            )
            given, longer = below, list[SSAValue]()
            for value in words:
                longer.append(e.addi(e.shli(value, e.int_constant(digit, WORD)), given))
                given = e.shrsi(value, e.int_constant(WORD - digit, WORD))
                given = e.andi(given, e.int_constant((1 << digit) - 1, WORD))
            return [
                *(e.select(room, new, old) for new, old in zip(longer, words, strict=True)),
                e.select(room, rest, e.addi(rest, below)),
                e.select(room, left, e.addi(left, e.int_constant(digit, 16))),
            ]

        none = e.int_constant(0, WORD)
        initial = [*[_word(e, sign)] * count, none, e.int_constant(0, 16)]
        *words, rest, left = loop(e, last + 1, initial, append)
        return words, rest, left


@irdl_op_definition
class RoundOp(EmittedOp):
    """The posit nearest to `sum * 2^-scale`; NaR if `undefined` is true."""

    name = "posit.round"
    sum = operand_def(IntegerType)
    scale = operand_def(i16)
    undefined = operand_def(i1)
    format = prop_def(AnyAttr())
    result = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = "$sum `scale` $scale `,` $undefined `to` $format attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, scale: SSAValue, undefined: SSAValue, format: PositNumbers):
        super().__init__(operands=[sum, scale, undefined], properties={"format": format}, result_types=[format.storage])

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        format = cast(PositNumbers, self.format)
        scale = self.scale
        if format.scaling:
            scale = e.subi(scale, e.int_constant(format.scaling, 16))
        raw = e.call(f"tm_posit_of_s{e.width_of(self.sum)}", self.sum, scale, *format.runtime_parameters(e))
        raw = format.stored_raw(e, raw)
        return [e.select(self.undefined, e.int_constant(format.undefined, format.stored_width), raw)]


@irdl_op_definition
class ToOddOp(EmittedOp):
    """`sum * 2^-scale` truncated to an integer in units of 2^-unit, and clamped to [low, high]. The result is `low` if
    `undefined` is true, as for NaR.

    The integer is odd if a bit that truncation removes is 1. Rounding the integer at a position at least two bits
    higher therefore returns the number nearest to the exact sum.
    """

    name = "posit.to_odd"
    sum = operand_def(IntegerType)
    scale = operand_def(i16)
    undefined = operand_def(i1)
    unit = prop_def(IntegerAttr[I64])
    low = prop_def(IntegerAttr[I64])
    high = prop_def(IntegerAttr[I64])
    result = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = (
        "$sum `scale` $scale `,` $undefined `unit` $unit `from` $low `to` $high attr-dict"
        " `:` type($sum) `->` type($result)"
    )

    def __init__(self, sum: SSAValue, scale: SSAValue, undefined: SSAValue, unit: int, low: int, high: int):
        numbers = {"unit": unit, "low": low, "high": high}
        super().__init__(
            operands=[sum, scale, undefined],
            properties={name: IntegerAttr(number, i64) for name, number in numbers.items()},
            result_types=[IntegerType(width_for(low, high, (32, 64)))],
        )

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        width = max(WORD, width_of(self.sum), width_of(self.result))
        wide = self.sum if width_of(self.sum) == width else e.resize(self.sum, width)
        left = e.subi(e.int_constant(self.unit.value.data, 16), self.scale)
        low, high = (e.int_constant(end.value.data, width) for end in (self.low, self.high))
        odd = e.select(self.undefined, low, e.call(f"tm_posit_to_odd_s{width}", wide, left, low, high))
        return [odd if width_of(self.result) == width else e.resize(odd, width_of(self.result))]


def _word(e: Emitter, value: SSAValue) -> SSAValue:
    return value if e.width_of(value) == WORD else e.wrap(value, WORD)


OPS: Sequence[type[Operation]] = (JoinOp, RoundOp, ToOddOp)
