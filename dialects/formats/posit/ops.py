"""The ops of the dialect `posit`: the steps of a sum in a quire, on registers and the quire's memory.

`lower-num-to-exact` makes them of the ops of `num` whose sums are in a `!posit.quire`; `lower-exact-to-arith` emits
them as loops and integer arithmetic, which all executors share.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, cast

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, IntegerType, MemRefType, i1, i16, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.rewriter import InsertPoint
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import scratch
from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.posit.layout import KEPT, LaidOut, Layout
from tinyml.dialects.formats.posit.parts import TABLE_BITS, Parts, parts_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import EmittedOp, Emitter
from tinyml.dialects.machine.integer_builder import width_of
from tinyml.dialects.machine.machine import Int, width_for
from tinyml.dialects.operations import index_constant

if TYPE_CHECKING:
    from tinyml.dialects.formats.posit.type import PositType

FLAG = 8
"""Bits of what tells that a number was NaR."""

WORD = 32
"""Bits of a register in which digits of a sum are put together."""


def _width_for(greatest: int) -> int:
    return next(width for width in (8, 16, 32, 64) if greatest < 1 << width - 1)


class QuireOp(EmittedOp, ABC):
    """An op on a quire in memory, whose type it names."""

    quire = operand_def(MemRefType)
    type = prop_def(AnyAttr())

    @property
    def layout(self) -> Layout:
        """How the quire lies in memory."""
        return cast(LaidOut, self.type).layout

    def verify_(self) -> None:
        if not isinstance(self.type, LaidOut):
            raise VerifyException(f"expected the type of a quire, got {self.type}")
        if self.quire.type != self.layout.storage:
            raise VerifyException(f"{self.type} is stored as {self.layout.storage}, got {self.quire.type}")


@irdl_op_definition
class DecodeOp(EmittedOp):
    """The significand of a posit, and its place: how many steps of exponents from `least` on.

    The number is `significand * 2^(step * place + least)`: the significand is moved within its step. Zero has
    significand 0 and place 0; NaR has significand 0 and the least integer of the register as its place, which no number
    has. Posits that lie in memory in parts (`!posit.unpacked`) are only taken apart.
    """

    name = "posit.decode"
    raw = operand_def(IntegerType)
    format = prop_def(AnyAttr())
    least = prop_def(IntegerAttr[I64])
    step = prop_def(IntegerAttr[I64])
    significand = result_def(IntegerType)
    place = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = (
        "$raw `as` $format `from` $least `step` $step attr-dict `:` type($raw) `->` type($significand) `,` type($place)"
    )

    def __init__(self, raw: SSAValue, parts: Parts, least: int, step: int):
        half = parts.half_at(step, least)
        super().__init__(
            operands=[raw],
            properties={
                "format": parts.format.type,
                "least": IntegerAttr(least, i64),
                "step": IntegerAttr(step, i64),
            },
            result_types=[IntegerType(half), IntegerType(min(half, 16))],
        )

    @property
    def parts(self) -> Parts:
        return parts_of(exact_numbers(cast(Any, number_format(self.format))))

    def verify_(self) -> None:
        format = number_format(self.format)
        if format is None or (parts_of(format).posit is None and parts_of(format).unpacked is None):
            raise VerifyException(f"{self.format} is no posit of the standard")

    def integers(self) -> tuple[Int[SSAValue], Int[SSAValue]]:
        """The results with their intervals."""
        parts, least, step = self.parts, self.least.value.data, self.step.value.data
        most = (1 << parts.bits_at(step)) - 1
        return (
            Int(self.significand, width_of(self.significand), -most, most),
            Int(self.place, width_of(self.place), 0, parts.greatest_place(step, least)),
        )

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        parts, least, step = self.parts, self.least.value.data, self.step.value.data
        n = parts.format.bits
        if parts.unpacked is not None:
            return self._halves(e, self.raw)
        if n <= TABLE_BITS:
            raws = np.arange(1 << 8).astype(np.uint8).view(np.int8)
            legal = np.clip(raws, -(1 << n - 1), (1 << n - 1) - 1)
            table = parts.packed(legal, width_of(self.significand), step, least)
            index = e.insert(arith.ExtUIOp(self.raw, IntegerType(16)))
            return self._halves(e, e.lookup("parts", table, index))
        format = cast("PositType", parts.format)
        sizes = [e.int_constant(n, 8), e.int_constant(format.es.data, 8)]
        bias = e.int_constant(1 - parts.bits - least, 16)
        shift = e.int_constant(step.bit_length() - 1, 8)
        width = width_of(self.significand)
        raw = self.raw if width_of(self.raw) == width else e.resize(self.raw, width)
        return self._halves(e, e.call(f"tm_posit_parts_s{width}", raw, *sizes, shift, bias))

    def _halves(self, e: Emitter, packed: SSAValue) -> Sequence[SSAValue]:
        """The significand in the upper half of a register, and the place in the lower one."""
        half, whole = width_of(self.significand), width_of(packed)
        place = e.wrap(packed, width_of(self.place))
        if half == 16:
            return [e.wrap(e.shrsi(packed, e.int_constant(half, whole)), half), place]
        return [e.call(f"tm_posit_upper_s{whole}", packed), place]


@irdl_op_definition
class StartOp(QuireOp):
    """An empty sum."""

    name = "posit.start"
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$quire `as` $type attr-dict `:` type($quire)"

    def __init__(self, quire: SSAValue, type: Attribute):
        super().__init__(operands=[quire], properties={"type": type})

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        count, bin = self.layout.count, self.layout.bin
        _store(e, e.int_constant(0, FLAG), _flags(e, self.quire), _index(e, 0))

        def clear(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            _store(e, e.int_constant(0, bin), self.quire, k)
            return []

        if self.layout.is_single:
            clear(e, _index(e, 0), [])
        else:
            _loop(e, count, [], clear)
        return []


@irdl_op_definition
class MarkOp(QuireOp):
    """Make the sum NaR if the decoded posit with this place is NaR."""

    name = "posit.mark"
    place = operand_def(IntegerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$quire `as` $type `by` $place attr-dict `:` type($quire) `,` type($place)"

    def __init__(self, quire: SSAValue, type: Attribute, place: SSAValue):
        super().__init__(operands=[place, quire], properties={"type": type})

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        flags, width = _flags(e, self.quire), width_of(self.place)
        sign = self.place
        if width > FLAG:
            sign = e.wrap(e.shrsi(sign, e.int_constant(width - FLAG, width)), FLAG)
        zero = _index(e, 0)
        _store(e, e.call("tm_posit_mark", _load(e, flags, zero), sign), flags, zero)
        return []


class _AddingOp(QuireOp, ABC):
    """An op that adds a number, the product of some integers times a power of two, to the sum.

    bits: of the magnitude of the product of the integers.
    """

    bits = prop_def(IntegerAttr[I64])

    def _moved(self, e: Emitter, number: Int[SSAValue], exponent: Int[SSAValue]) -> None:
        """Add number * 2^exponent, in units of the sum."""
        layout = self.layout
        if layout.is_single:
            left = e.held(exponent, layout.bin)
            self._to_bin(e, e.shli(e.held(number, layout.bin), left), _index(e, 0))
            return
        at = e.shift_right(exponent, layout.step.bit_length() - 1)
        left = e.low_bits(exponent, layout.step.bit_length() - 1)
        self._to_bins(e, number, at.value, left)

    def _to_bins(self, e: Emitter, number: Int[SSAValue], at: SSAValue, left: Int[SSAValue] | None = None) -> None:
        """Add a number to the bin `at`. left: by which it is still moved, less than a step."""
        layout, bits = self.layout, self.bits.value.data
        index = self._index_of(e, at)
        if layout.parts(bits, moved=left is None) > 1:
            self._in_parts(e, [e.held(number, max(number.width, layout.bin))], index, left)
            return
        # A narrow register is shifted in fewer steps.
        most = bits if left is None else bits + layout.step - 1
        width = next(width for width in (16, 32, 64) if most < width)
        value = e.held(number, width)
        self._to_bin(e, self._resized(e, value if left is None else e.shli(value, e.held(left, width))), index)

    def _in_parts(self, e: Emitter, words: Sequence[SSAValue], index: SSAValue, left: Int[SSAValue] | None) -> None:
        """Add a number, whose words are given, to the bin of an index and to later ones, as `_to_bins` does."""
        layout = self.layout
        parts, part = layout.parts(self.bits.value.data, moved=left is None), layout.part
        distance, width = part // layout.step, e.width_of(words[0])
        bins = e.insert(scratch.SliceOp(self.quire, index, ((parts - 1) * distance + 1,)))
        for i in range(parts):
            word, place = divmod(part * i, width)
            value = e.shrsi(words[word], e.int_constant(place, width)) if place else words[word]
            if i < parts - 1:
                value = e.andi(value, e.int_constant((1 << part) - 1, width))
            value = self._resized(e, value)
            moved = value if left is None else e.shli(value, e.held(left, layout.bin))
            self._to_bin(e, moved, _index(e, i * distance), bins)

    def _index_of(self, e: Emitter, at: SSAValue) -> SSAValue:
        """Without a sign, an index of a byte needs no more on chips of 8 bits."""
        wide = e.insert(arith.ExtUIOp(at, i16)) if e.width_of(at) == FLAG else at
        return e.insert(arith.IndexCastOp(wide, IndexType()))

    def _resized(self, e: Emitter, value: SSAValue) -> SSAValue:
        return value if e.width_of(value) == self.layout.bin else e.resize(value, self.layout.bin)

    def _place(self, e: Emitter, greatest: int, *values: SSAValue) -> Int[SSAValue]:
        """The sum of places or exponents, at most `greatest`, without the sign that NaR has."""
        narrow = _width_for(greatest)
        if narrow == FLAG:
            # What two signs add up to is lost; cut off a wider register, NaR is 0.
            kept = [value if e.width_of(value) == narrow else e.wrap(value, narrow) for value in values]
            total = kept[0] if len(kept) == 1 else e.addi(*kept)
            signs = any(e.width_of(value) == narrow for value in values)
            return Int(e.andi(total, e.int_constant(127, narrow)) if signs else total, narrow, 0, greatest)
        # Wide enough for the sum of two signs; a narrower register's sign is another bit, which goes first.
        width = 2 * narrow if len(values) > 1 else narrow
        total, *others = [self._widened(e, value, narrow, width) for value in values]
        for other in others:
            total = e.addi(total, other)
        return Int(e.andi(total, e.int_constant((1 << narrow - 1) - 1, width)), width, 0, greatest)

    def _widened(self, e: Emitter, value: SSAValue, narrow: int, width: int) -> SSAValue:
        """A place in a register of `width` bits, of which only those below the sign of `narrow` bits count."""
        if (own := width_of(value)) < narrow:
            value = e.andi(value, e.int_constant((1 << own - 1) - 1, own))
        return value if own == width else e.resize(value, width)

    def _to_bin(self, e: Emitter, value: SSAValue, index: SSAValue, bins: SSAValue | None = None) -> None:
        bins = self.quire if bins is None else bins
        _store(e, e.addi(_load(e, bins, index), value), bins, index)


@irdl_op_definition
class AddOp(_AddingOp):
    """sum + significand * 2^exponent, in units of the sum."""

    name = "posit.add"
    significand = operand_def(IntegerType)
    exponent = operand_def(IntegerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$quire `as` $type `,` $significand `,` $exponent `bits` $bits attr-dict"
        " `:` type($quire) `,` type($significand) `,` type($exponent)"
    )

    def __init__(
        self, quire: SSAValue, type: Attribute, significand: Int[SSAValue], exponent: Int[SSAValue], bits: int
    ):
        super().__init__(
            operands=[significand.value, exponent.value, quire],
            properties={"type": type, "bits": IntegerAttr(bits, i64)},
        )

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        most = (1 << self.bits.value.data) - 1
        number = Int(self.significand, e.width_of(self.significand), -most, most)
        self._moved(e, number, self._place(e, self.layout.width - 1, self.exponent))
        return []


@irdl_op_definition
class MultiplyAddOp(_AddingOp):
    """sum + lhs * rhs * 2^(step * (lhs_place + rhs_place)), in units of the sum.

    step: that of the bins, which the places then count, or 1. bits: of the magnitude of a product.
    """

    name = "posit.multiply_add"
    lhs = operand_def(IntegerType)
    lhs_place = operand_def(IntegerType)
    rhs = operand_def(IntegerType)
    rhs_place = operand_def(IntegerType)
    step = prop_def(IntegerAttr[I64])
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$quire `as` $type `,` $lhs `,` $lhs_place `,` $rhs `,` $rhs_place `bits` $bits `step` $step attr-dict"
        " `:` type($quire) `,` type($lhs) `,` type($lhs_place) `,` type($rhs) `,` type($rhs_place)"
    )

    def __init__(
        self,
        quire: SSAValue,
        type: Attribute,
        lhs: tuple[Int[SSAValue], Int[SSAValue]],
        rhs: tuple[Int[SSAValue], Int[SSAValue]],
        bits: int,
        step: int,
    ):
        super().__init__(
            operands=[*(part.value for part in (*lhs, *rhs)), quire],
            properties={"type": type, "bits": IntegerAttr(bits, i64), "step": IntegerAttr(step, i64)},
        )

    def verify_(self) -> None:
        super().verify_()
        if self.step.value.data not in (1, self.layout.step):
            raise VerifyException(f"places are 1 or {self.layout.step} apart, got {self.step.value.data}")

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        bits, layout = self.bits.value.data, self.layout
        most = (1 << bits) - 1
        widths = [e.width_of(value) for value in (self.lhs, self.rhs)]
        # Significands are as wide as their formats need: the product is what the op states.
        width = next(width for width in (8, 16, 32, 64) if width > bits)
        words = width == 64 and layout.bin == WORD and self.step.value.data > 1
        factors = [
            value if own == (32 if words else width) else e.resize(value, 32 if words else width)
            for value, own in zip((self.lhs, self.rhs), widths, strict=True)
        ]
        places = self.lhs_place, self.rhs_place
        if words:
            # Chips without registers of 64 bits multiply and shift words faster.
            product = [e.call(f"tm_posit_{word}_word", *factors) for word in ("lower", "upper")]
            self._in_parts(e, product, self._index_of(e, self._place(e, layout.count - 1, *places).value), None)
            return []
        product = Int(e.muli(*factors), width, -most, most)
        if self.step.value.data == 1:
            self._moved(e, product, self._place(e, layout.width - 1, *places))
        else:
            self._to_bins(e, product, self._place(e, layout.count - 1, *places).value)
        return []


@irdl_op_definition
class JoinOp(QuireOp):
    """A complete sum as one integer, `sum * 2^-scale`, and whether it is NaR.

    The sum of bins loses bits that posits round away; its last bit is set if any of them is.
    """

    name = "posit.join"
    sum = result_def(IntegerType)
    scale = result_def(i16)
    undefined = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$quire `as` $type attr-dict `:` type($quire) `->` type($sum)"

    def __init__(self, quire: SSAValue, type: Attribute, bits: int):
        """The sum to at least so many bits from its highest one on."""
        layout = cast(LaidOut, type).layout
        short = bits <= KEPT[WORD] - layout.digit + 1
        width = layout.bin if layout.is_single else WORD if short else 2 * WORD
        super().__init__(operands=[quire], properties={"type": type}, result_types=[IntegerType(width), i16, i1])

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        layout = self.layout
        flag = _load(e, _flags(e, self.quire), _index(e, 0))
        undefined = e.cmp_sgt(e.int_constant(0, FLAG), flag)
        if layout.is_single:
            return [_load(e, self.quire, _index(e, 0)), e.int_constant(layout.frac, 16), undefined]
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
        """Replace the first bins by the digits of the sum, which have no sign; return what the last one carries."""
        bin, step, digit = self.layout.bin, self.layout.step, self.layout.digit
        zero = e.int_constant(0, bin)

        def carry(e: Emitter, k: SSAValue, carried: SSAValue) -> Sequence[SSAValue]:
            total = e.addi(_load(e, self.quire, k), carried)
            return e.andi(total, e.int_constant((1 << step) - 1, bin)), e.shrsi(total, e.int_constant(step, bin))

        def one(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            low, above = carry(e, k, carried[0])
            _store(e, low, self.quire, k)
            return [above]

        def several(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            first = e.insert(arith.MuliOp(k, _index(e, digit // step)))

            def append(e: Emitter, j: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
                low, above = carry(e, e.insert(arith.AddiOp(first, j)), carried[0])
                raised = e.shli(low, e.int_constant(digit - step, bin))
                return [above, e.addi(e.shrsi(carried[1], e.int_constant(step, bin)), raised)]

            above, whole = _loop(e, digit // step, [carried[0], zero], append)
            _store(e, whole, self.quire, k)
            return [above]

        [sign] = _loop(e, self._digit_count, [zero], one if step == digit else several)
        return sign

    @property
    def _digit_count(self) -> int:
        return self.layout.count * self.layout.step // self.layout.digit

    def _highest(self, e: Emitter, sign: SSAValue) -> tuple[Sequence[SSAValue], SSAValue, SSAValue]:
        """The words of the sum's highest bits, an integer that is 0 if those below are, and how many are below."""
        digit, last, count = self.layout.digit, self._digit_count - 1, width_of(self.sum) // WORD
        limit = 1 << KEPT[WORD * count] - WORD * (count - 1) - digit

        def append(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            *words, rest, left = carried
            below = _word(e, _load(e, self.quire, e.insert(arith.SubiOp(_index(e, last), k))))
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
        *words, rest, left = _loop(e, last + 1, initial, append)
        return words, rest, left


@irdl_op_definition
class RoundOp(EmittedOp):
    """The posit nearest to `sum * 2^-scale`, or NaR."""

    name = "posit.round"
    sum = operand_def(IntegerType)
    scale = operand_def(i16)
    undefined = operand_def(i1)
    format = prop_def(AnyAttr())
    result = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = "$sum `scale` $scale `,` $undefined `to` $format attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, scale: SSAValue, undefined: SSAValue, format: PositType):
        super().__init__(operands=[sum, scale, undefined], properties={"format": format}, result_types=[format.storage])

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        format = cast("PositType", self.format)
        scale = self.scale
        if format.scaling:
            scale = e.subi(scale, e.int_constant(format.scaling, 16))
        raw = e.call(f"tm_posit_of_s{e.width_of(self.sum)}", self.sum, scale, *format.runtime_parameters(e))
        raw = format.stored_raw(e, raw)
        return [e.select(self.undefined, e.int_constant(format.undefined, format.stored_width), raw)]


@irdl_op_definition
class ToOddOp(EmittedOp):
    """`sum * 2^-scale` in units of 2^-unit, cut off to an integer between low and high, which is odd if anything is.

    Rounded once more at least two bits further up, it is the nearest number. NaR becomes low.
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
        wide = self.sum if width_of(self.sum) == 64 else e.resize(self.sum, 64)
        left = e.subi(e.int_constant(self.unit.value.data, 16), self.scale)
        low, high = (e.int_constant(end.value.data, 64) for end in (self.low, self.high))
        odd = e.select(self.undefined, low, e.call("tm_posit_to_odd", wide, left, low, high))
        return [odd if width_of(self.result) == 64 else e.resize(odd, width_of(self.result))]


OPS: Sequence[type[Operation]] = (DecodeOp, StartOp, MarkOp, AddOp, MultiplyAddOp, JoinOp, RoundOp, ToOddOp)


def _word(e: Emitter, value: SSAValue) -> SSAValue:
    return value if e.width_of(value) == WORD else e.wrap(value, WORD)


Body = Callable[[Emitter, SSAValue, "Sequence[SSAValue]"], "Sequence[SSAValue]"]


def _index(e: Emitter, value: int) -> SSAValue:
    return e.insert(index_constant(value))


def _flags(e: Emitter, quire: SSAValue) -> SSAValue:
    """The byte beside a quire whose sign tells that a number was NaR; registers hold it, since no index varies."""
    return e.context.beside(quire, MemRefType(IntegerType(FLAG), [1]), "undefined")


def _load(e: Emitter, quire: SSAValue, index: SSAValue) -> SSAValue:
    return e.insert(memref.LoadOp.get(quire, [index]))


def _store(e: Emitter, value: SSAValue, quire: SSAValue, index: SSAValue) -> None:
    e.put(memref.StoreOp.get(value, quire, [index]))


def _inside(e: Emitter, block: Block) -> Emitter:
    """An emitter at the end of a block."""
    inner = copy(e)
    inner.builder = Builder(InsertPoint.at_end(block))
    return inner


def _loop(e: Emitter, count: int, initial: Sequence[SSAValue], body: Body) -> Sequence[SSAValue]:
    """The results of a loop whose body returns the next values of what it carries."""
    block = Block(arg_types=[IndexType(), *(value.type for value in initial)])
    inner = _inside(e, block)
    inner.put(scf.YieldOp(*body(inner, block.args[0], block.args[1:])))
    loop = scf.ForOp(_index(e, 0), _index(e, count), _index(e, 1), initial, Region(block))
    e.put(loop)
    return loop.results
