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

from tinyml.dialects.formats.exact.numbers import exact_numbers
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.posit.layout import KEPT, SPLIT, LaidOut, Layout
from tinyml.dialects.formats.posit.parts import Parts, parts_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import EmittedOp, Emitter
from tinyml.dialects.machine.integer_builder import width_of
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.operations import index_constant

if TYPE_CHECKING:
    from tinyml.dialects.formats.posit.type import PositType

TABLE_BITS = 8
"""Posits of at most this many bits are decoded by a table."""

FLAG = 8
"""Bits of what tells that a number was NaR."""


def greatest_exponent(parts: Parts, least: int) -> int:
    """The greatest exponent of a factor, counted from `least` on."""
    return parts.greatest - least


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
    """The significand of a posit, and its exponent counted from `least` on.

    The number is `significand * 2^(exponent + least)`. Zero has significand 0 and exponent 0; NaR has significand 0 and
    the least integer of the register as its exponent, which no number has.
    """

    name = "posit.decode"
    raw = operand_def(IntegerType)
    format = prop_def(AnyAttr())
    least = prop_def(IntegerAttr[I64])
    significand = result_def(IntegerType)
    exponent = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = (
        "$raw `as` $format `from` $least attr-dict `:` type($raw) `->` type($significand) `,` type($exponent)"
    )

    def __init__(self, raw: SSAValue, parts: Parts, least: int):
        short = parts.format.bits <= TABLE_BITS and greatest_exponent(parts, least) < 1 << 7
        widths = _width_for((1 << parts.bits) - 1), 8 if short else 16
        super().__init__(
            operands=[raw],
            properties={"format": parts.format.type, "least": IntegerAttr(least, i64)},
            result_types=[IntegerType(width) for width in widths],
        )

    @property
    def parts(self) -> Parts:
        return parts_of(exact_numbers(cast(Any, number_format(self.format))))

    def verify_(self) -> None:
        format = number_format(self.format)
        if format is None or parts_of(format).posit is None:
            raise VerifyException(f"{self.format} is no posit of the standard")

    def integers(self) -> tuple[Int[SSAValue], Int[SSAValue]]:
        """The results with their intervals."""
        parts, least = self.parts, self.least.value.data
        most = (1 << parts.bits) - 1
        return (
            Int(self.significand, width_of(self.significand), -most, most),
            Int(self.exponent, width_of(self.exponent), 0, greatest_exponent(parts, least)),
        )

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        parts, least, n = self.parts, self.least.value.data, self.parts.format.bits
        if n <= TABLE_BITS:
            return self._from_tables(e, parts, least)
        format = cast("PositType", parts.format)
        sizes = [e.int_constant(n, 8), e.int_constant(format.es.data, 8)]
        wide = 16 if n <= 16 else 32
        packed = e.call(f"tm_posit_parts_s{wide}", self.raw, *sizes, e.int_constant(1 - parts.bits - least, 16))
        significand = e.shrsi(packed, e.int_constant(wide, 2 * wide))
        return [
            value if width_of(result) == 2 * wide else e.wrap(value, width_of(result))
            for value, result in zip((significand, packed), self.results, strict=True)
        ]

    def _from_tables(self, e: Emitter, parts: Parts, least: int) -> Sequence[SSAValue]:
        """Both parts in one entry of 16 bits, where bytes hold them."""
        raws = np.arange(1 << 8).astype(np.uint8).view(np.int8)
        legal = np.clip(raws, -(1 << parts.format.bits - 1), (1 << parts.format.bits - 1) - 1)
        significands, exponents, undefined = parts.split(legal)
        counted = np.where(significands == 0, 0, np.maximum(exponents - least, 0))
        index = e.insert(arith.ExtUIOp(self.raw, IntegerType(16)))
        if width_of(self.exponent) == 8:
            low = np.where(undefined, 1 << 7, counted)
            entry = e.lookup("parts", (significands << 8 | low).astype(np.int16), index)
            return [e.wrap(e.shrsi(entry, e.int_constant(8, 16)), 8), e.wrap(entry, 8)]
        return [
            e.lookup("significands", significands.astype(np.int8), index),
            e.lookup("exponents", np.where(undefined, -(1 << 15), counted).astype(np.int16), index),
        ]


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
    """Make the sum NaR if the decoded posit with this exponent is NaR."""

    name = "posit.mark"
    exponent = operand_def(IntegerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$quire `as` $type `by` $exponent attr-dict `:` type($quire) `,` type($exponent)"

    def __init__(self, quire: SSAValue, type: Attribute, exponent: SSAValue):
        super().__init__(operands=[exponent, quire], properties={"type": type})

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        flags, width = _flags(e, self.quire), width_of(self.exponent)
        sign = self.exponent
        if width > FLAG:
            sign = e.wrap(e.shrsi(sign, e.int_constant(width - FLAG, width)), FLAG)
        zero = _index(e, 0)
        _store(e, e.insert(arith.OrIOp(_load(e, flags, zero), sign)), flags, zero)
        return []


class _AddingOp(QuireOp, ABC):
    """An op that adds a number, the product of some integers times a power of two, to the sum."""

    bits = prop_def(IntegerAttr[I64])

    def _added(self, e: Emitter, number: Int[SSAValue], exponent: Int[SSAValue]) -> None:
        layout = self.layout
        bin, step = layout.bin, layout.step
        if layout.is_single:
            left = e.held(exponent, bin)
            self._to_bin(e, e.shli(e.held(number, bin), left), _index(e, 0))
            return
        at = e.shift_right(exponent, step.bit_length() - 1)
        place = e.low_bits(exponent, step.bit_length() - 1)
        index = e.insert(arith.IndexCastOp(at.value, IndexType()))
        if not layout.splits(bits := self.bits.value.data):
            # A narrow register is shifted in fewer steps.
            width = next(width for width in (16, 32, 64) if bits + step <= width)
            moved = e.shli(e.held(number, width), e.held(place, width))
            self._to_bin(e, moved if width == bin else e.resize(moved, bin), index)
            return
        left = e.held(place, bin)
        wide = e.held(number, bin)
        lower = e.andi(wide, e.int_constant((1 << SPLIT) - 1, bin))
        self._to_bin(e, e.shli(lower, left), index)
        upper = e.shrsi(wide, e.int_constant(SPLIT, bin))
        above = e.insert(arith.AddiOp(index, _index(e, SPLIT // step)))
        self._to_bin(e, e.shli(upper, left), above)

    def _exponent(self, e: Emitter, *values: SSAValue) -> Int[SSAValue]:
        """The sum of exponents, without the sign that NaR has; the sum's width limits it."""
        greatest = self.layout.width - 1
        narrow = _width_for(greatest)
        mask = (1 << narrow - 1) - 1
        # Wide enough for the sum of two signs; a narrower register's sign is another bit, which goes first.
        width = 2 * narrow if len(values) > 1 else narrow
        total, *others = [self._widened(e, value, narrow, width) for value in values]
        for other in others:
            total = e.addi(total, other)
        return Int(e.andi(total, e.int_constant(mask, width)), width, 0, greatest)

    def _widened(self, e: Emitter, value: SSAValue, narrow: int, width: int) -> SSAValue:
        """An exponent in a register of `width` bits, of which only those below the sign of `narrow` bits count."""
        if (own := width_of(value)) < narrow:
            value = e.andi(value, e.int_constant((1 << own - 1) - 1, own))
        return value if own == width else e.resize(value, width)

    def _to_bin(self, e: Emitter, value: SSAValue, index: SSAValue) -> None:
        _store(e, e.addi(_load(e, self.quire, index), value), self.quire, index)


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
        self._added(e, number, self._exponent(e, self.exponent))
        return []


@irdl_op_definition
class MultiplyAddOp(_AddingOp):
    """sum + lhs * rhs * 2^(lhs_exponent + rhs_exponent), in units of the sum.

    bits: of the magnitude of a product.
    """

    name = "posit.multiply_add"
    lhs = operand_def(IntegerType)
    lhs_exponent = operand_def(IntegerType)
    rhs = operand_def(IntegerType)
    rhs_exponent = operand_def(IntegerType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = (
        "$quire `as` $type `,` $lhs `,` $lhs_exponent `,` $rhs `,` $rhs_exponent `bits` $bits attr-dict"
        " `:` type($quire) `,` type($lhs) `,` type($lhs_exponent) `,` type($rhs) `,` type($rhs_exponent)"
    )

    def __init__(
        self,
        quire: SSAValue,
        type: Attribute,
        lhs: tuple[Int[SSAValue], Int[SSAValue]],
        rhs: tuple[Int[SSAValue], Int[SSAValue]],
        bits: int,
    ):
        super().__init__(
            operands=[*(part.value for part in (*lhs, *rhs)), quire],
            properties={"type": type, "bits": IntegerAttr(bits, i64)},
        )

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        most = (1 << self.bits.value.data) - 1
        widths = [e.width_of(value) for value in (self.lhs, self.rhs)]
        # Significands are as wide as their formats need: the product is what the op states.
        width = next(width for width in (8, 16, 32, 64) if width > self.bits.value.data)
        factors = [
            value if own == width else e.resize(value, width)
            for value, own in zip((self.lhs, self.rhs), widths, strict=True)
        ]
        product = Int(e.muli(*factors), width, -most, most)
        self._added(e, product, self._exponent(e, self.lhs_exponent, self.rhs_exponent))
        return []


@irdl_op_definition
class JoinOp(QuireOp):
    """A complete sum as one integer, `sum * 2^-scale`, and whether it is NaR.

    The sum of bins loses the bits that posits round away; its last bit is set if any of them is.
    """

    name = "posit.join"
    sum = result_def(IntegerType)
    scale = result_def(i16)
    undefined = result_def(i1)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$quire `as` $type attr-dict `:` type($quire) `->` type($sum)"

    def __init__(self, quire: SSAValue, type: Attribute):
        layout = cast(LaidOut, type).layout
        width = 32 if layout.is_single and layout.bin == 32 else 64
        super().__init__(operands=[quire], properties={"type": type}, result_types=[IntegerType(width), i16, i1])

    def emit(self, e: Emitter) -> Sequence[SSAValue]:
        layout = self.layout
        frac, bin = layout.frac, layout.bin
        flag = _load(e, _flags(e, self.quire), _index(e, 0))
        undefined = e.cmp_sgt(e.int_constant(0, FLAG), flag)
        if layout.is_single:
            return [_load(e, self.quire, _index(e, 0)), e.int_constant(frac, 16), undefined]
        self._carry(e)
        sum, rest, left = self._highest(e)
        lost = e.insert(arith.CmpiOp(rest, e.int_constant(0, bin), "ne"))
        doubled = e.shli(sum, e.int_constant(1, 64))
        rounded = e.select(lost, e.addi(doubled, e.int_constant(1, 64)), doubled)
        return [rounded, e.subi(e.int_constant(frac + 1, 16), left), undefined]

    def _carry(self, e: Emitter) -> None:
        """Bring all bins but the last to `step` bits without a sign; the sum stays what it is."""
        bin, step, last = self.layout.bin, self.layout.step, self.layout.count - 1

        def pass_on(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            total = e.addi(_load(e, self.quire, k), carried[0])
            _store(e, e.andi(total, e.int_constant((1 << step) - 1, bin)), self.quire, k)
            return [e.shrsi(total, e.int_constant(step, bin))]

        [carry] = _loop(e, last, [e.int_constant(0, bin)], pass_on)
        top = _index(e, last)
        _store(e, e.addi(_load(e, self.quire, top), carry), self.quire, top)

    def _highest(self, e: Emitter) -> Sequence[SSAValue]:
        """The sum's highest bits, an integer that is 0 if those below are, and how many are below."""
        bin, step, last = self.layout.bin, self.layout.step, self.layout.count - 1
        limit = 1 << KEPT - step

        def append(e: Emitter, k: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            sum, rest, left = carried
            below = _load(e, self.quire, e.insert(arith.SubiOp(_index(e, last - 1), k)))
            room = e.select(
                e.cmp_sge(sum, e.int_constant(0, 64)),
                e.cmp_sgt(e.int_constant(limit, 64), sum),
                e.cmp_sge(sum, e.int_constant(-limit, 64)),
            )
            digit = below if bin == 64 else e.resize(below, 64)
            longer = e.addi(e.shli(sum, e.int_constant(step, 64)), digit)
            return [
                e.select(room, longer, sum),
                e.select(room, rest, e.addi(rest, below)),
                e.select(room, left, e.addi(left, e.int_constant(step, 16))),
            ]

        top = _load(e, self.quire, _index(e, last))
        initial = [top if bin == 64 else e.resize(top, 64), e.int_constant(0, bin), e.int_constant(0, 16)]
        return _loop(e, last, initial, append)


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


OPS: Sequence[type[Operation]] = (DecodeOp, StartOp, MarkOp, AddOp, MultiplyAddOp, JoinOp, RoundOp)

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
