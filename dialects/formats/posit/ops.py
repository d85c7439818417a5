"""The ops of the `posit` dialect that accumulate products in a quire in memory.

`lower-num-to-exact` creates these ops from `num` ops whose sums have the type `!posit.quire`. `lower-exact-to-arith`
expands them to loops and integer arithmetic. All executors run the expanded code.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IndexType, IntegerAttr, IntegerType, i16, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.posit.parts import TABLE_BITS, Parts, parts_of
from tinyml.dialects.formats.posit.quire_op import FLAG, QuireOp, constant_index, flags_of, load, loop, store
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import EmittedOp, Emitter
from tinyml.dialects.machine.machine import Int, limits
from tinyml.dialects.operations import width_of


def _width_for(greatest: int) -> int:
    return next(width for width in (8, 16, 32, 64) if greatest < 1 << width - 1)


@irdl_op_definition
class DecodeOp(EmittedOp):
    """The significand and the place of a posit. The place is the exponent, counted in steps from `least`.

    The number is `significand * 2^(step * place + least)`. The significand is shifted left by the exponent's remainder
    within a step. Zero has significand 0 and place 0. NaR has significand 0, and its place is the least integer of the
    register, which is the place of no number. For posits stored in parts (`!posit.unpacked`), the op only separates
    significand and place.
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
            raise VerifyException(f"{self.format} is not a posit of the standard")

    def integers(self) -> tuple[Int[SSAValue], Int[SSAValue]]:
        """The significand and the place of the posit, with their intervals."""
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
        assert parts.posit is not None
        sizes = [e.int_constant(n, 8), e.int_constant(parts.posit.es, 8)]
        bias = e.int_constant(1 - parts.bits - least, 16)
        shift = e.int_constant(step.bit_length() - 1, 8)
        width = width_of(self.significand)
        raw = self.raw if width_of(self.raw) == width else e.resize(self.raw, width)
        return self._halves(e, e.call(f"tm_posit_parts_s{width}", raw, *sizes, shift, bias))

    def _halves(self, e: Emitter, packed: SSAValue) -> Sequence[SSAValue]:
        half, whole = width_of(self.significand), width_of(packed)
        place = e.wrap(packed, width_of(self.place))
        if half == 16:
            return [e.wrap(e.shrsi(packed, e.int_constant(half, whole)), half), place]
        return [e.call(f"tm_posit_upper_s{whole}", packed), place]


@irdl_op_definition
class StartOp(QuireOp):
    """Set the quire to zero and clear its NaR flag. `type` is the type of the quire, which specifies its layout in
    memory.
    """

    name = "posit.start"
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$quire `as` $type attr-dict `:` type($quire)"

    def __init__(self, quire: SSAValue, type: Attribute):
        super().__init__(operands=[quire], properties={"type": type})

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        count, bin = self.layout.count, self.layout.bin
        store(e, e.int_constant(0, FLAG), flags_of(e, self.quire), constant_index(e, 0))

        def clear(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            store(e, e.int_constant(0, bin), self.quire, k)
            return []

        if self.layout.is_single:
            clear(e, constant_index(e, 0), [])
        else:
            loop(e, count, [], clear)
        return []


@irdl_op_definition
class MarkOp(QuireOp):
    """Set the NaR flag of the quire if `place`, a result of `posit.decode`, is the place of NaR. `type` is as in
    `posit.start`.
    """

    name = "posit.mark"
    place = operand_def(IntegerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$quire `as` $type `by` $place attr-dict `:` type($quire) `,` type($place)"

    def __init__(self, quire: SSAValue, type: Attribute, place: SSAValue):
        super().__init__(operands=[place, quire], properties={"type": type})

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        flags, width = flags_of(e, self.quire), width_of(self.place)
        sign = self.place
        if width > FLAG:
            sign = e.wrap(e.shrsi(sign, e.int_constant(width - FLAG, width)), FLAG)
        zero = constant_index(e, 0)
        store(e, e.call("tm_posit_mark", load(e, flags, zero), sign), flags, zero)
        return []


class _AddingOp(QuireOp, ABC):
    """The base class of ops that add a number to the quire. The number is a product of several integers times a power
    of two.

    bits: the width of the product's magnitude in bits.
    """

    bits = prop_def(IntegerAttr[I64])

    def _moved(self, e: Emitter, number: Int[SSAValue], exponent: Int[SSAValue]) -> None:
        """Emit ops that add number * 2^exponent, in units of the sum, to the quire."""
        layout = self.layout
        if layout.is_single:
            left = e.held(exponent, layout.bin)
            self._to_bin(e, e.shli(e.held(number, layout.bin), left), constant_index(e, 0))
            return
        at = e.shift_right(exponent, layout.step.bit_length() - 1)
        left = e.low_bits(exponent, layout.step.bit_length() - 1)
        self._to_bins(e, number, at.value, left)

    def _to_bins(self, e: Emitter, number: Int[SSAValue], at: SSAValue, left: Int[SSAValue] | None = None) -> None:
        """Emit ops that add a number to the bin at index `at`.

        left: the left shift that must still be applied, less than a step; None if no shift remains.
        """
        layout, bits = self.layout, self.bits.value.data
        index = self._index_of(e, at)
        if layout.parts(bits, moved=left is None) > 1:
            self._in_parts(e, [e.held(number, max(number.width, layout.bin))], index, left)
            return
        # A narrow register needs fewer instructions for the shift.
        most = bits if left is None else bits + layout.step - 1
        width = next(width for width in (16, 32, 64) if most < width)
        value = e.held(number, width)
        self._to_bin(e, self._resized(e, value if left is None else e.shli(value, e.held(left, width))), index)

    def _in_parts(self, e: Emitter, words: Sequence[SSAValue], index: SSAValue, left: Int[SSAValue] | None) -> None:
        """Emit ops that add a number to the bin at `index`. If the number is split, its other parts are added to later
        bins.

        words: the words of the number in ascending order. The last word contains the sign, above the magnitude.
        left: the left shift that must still be applied, less than a step; None if no shift remains.
        """
        layout, bits = self.layout, self.bits.value.data
        parts, part = layout.parts(bits, moved=left is None), layout.part
        distance, width = part // layout.step, e.width_of(words[0])
        bins = e.insert(e.context.part(self.quire, index, ((parts - 1) * distance + 1,)))
        for i in range(parts):
            word, place = divmod(part * i, width)
            value = e.shrsi(words[word], e.int_constant(place, width)) if place else words[word]
            if i == parts - 1 and word < len(words) - 1:
                # The magnitude fills this word; the sign is in the next word.
                magnitude = e.andi(value, e.int_constant((1 << part) - 1, width))
                value = e.addi(magnitude, e.shli(words[word + 1], e.int_constant(part, width)))
            if i < parts - 1:
                value = e.andi(value, e.int_constant((1 << part) - 1, width))
            value = self._resized(e, value)
            moved = value if left is None else e.shli(value, e.held(left, layout.bin))
            self._to_bin(e, moved, constant_index(e, i * distance), bins)

    def _index_of(self, e: Emitter, at: SSAValue) -> SSAValue:
        """The bin index `at` as a value of type `index`. An 8-bit index is zero-extended, so that 8-bit chips compute
        it in one byte.
        """
        wide = e.insert(arith.ExtUIOp(at, i16)) if e.width_of(at) == FLAG else at
        return e.insert(arith.IndexCastOp(wide, IndexType()))

    def _resized(self, e: Emitter, value: SSAValue) -> SSAValue:
        return value if e.width_of(value) == self.layout.bin else e.resize(value, self.layout.bin)

    def _place(self, e: Emitter, greatest: int, *values: SSAValue) -> Int[SSAValue]:
        """The sum of several places or exponents, without the sign bit that the place of NaR has.

        greatest: the greatest possible sum.
        """
        narrow = _width_for(greatest)
        if narrow == FLAG:
            # The sum of two signs is dropped; truncated from a wider register, NaR is 0.
            kept = [value if e.width_of(value) == narrow else e.wrap(value, narrow) for value in values]
            total = kept[0] if len(kept) == 1 else e.addi(*kept)
            signs = any(e.width_of(value) == narrow for value in values)
            return Int(e.andi(total, e.int_constant(127, narrow)) if signs else total, narrow, 0, greatest)
        # The width includes the sum of two signs; a narrower register's sign is a different bit, which is dropped
        # first.
        width = 2 * narrow if len(values) > 1 else narrow
        total, *others = [self._widened(e, value, narrow, width) for value in values]
        for other in others:
            total = e.addi(total, other)
        return Int(e.andi(total, e.int_constant((1 << narrow - 1) - 1, width)), width, 0, greatest)

    def _widened(self, e: Emitter, value: SSAValue, narrow: int, width: int) -> SSAValue:
        """A place, extended to a register of `width` bits. If its register has less than `narrow` bits, its sign bit is
        cleared first.
        """
        if (own := width_of(value)) < narrow:
            value = e.andi(value, e.int_constant((1 << own - 1) - 1, own))
        return value if own == width else e.resize(value, width)

    def _to_bin(self, e: Emitter, value: SSAValue, index: SSAValue, bins: SSAValue | None = None) -> None:
        bins = self.quire if bins is None else bins
        store(e, e.addi(load(e, bins, index), value), bins, index)


@irdl_op_definition
class AddOp(_AddingOp):
    """Add significand * 2^exponent to the quire. The exponent is relative to the unit of the sum.

    * bits: the width of the significand's magnitude in bits.
    * type: as in `posit.start`.
    """

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
        most, width = (1 << self.bits.value.data) - 1, e.width_of(self.significand)
        # The magnitude of the least integer has as many bits as the register.
        low, high = limits(width)
        number = Int(self.significand, width, max(-most, low), min(most, high))
        self._moved(e, number, self._place(e, self.layout.width - 1, self.exponent))
        return []


@irdl_op_definition
class MultiplyAddOp(_AddingOp):
    """Add lhs * rhs * 2^(step * (lhs_place + rhs_place)), in units of the sum, to the quire.

    * step: the step of the bins if places count steps, otherwise 1.
    * bits: the width of the product's magnitude in bits.
    * type: as in `posit.start`.
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
        # Significands are as wide as their formats require; the op states the width of the product.
        width = next(width for width in (8, 16, 32, 64) if width > bits)
        words = width == 64 and layout.bin == 32 and self.step.value.data > 1
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


OPS: Sequence[type[Operation]] = (DecodeOp, StartOp, MarkOp, AddOp, MultiplyAddOp)
