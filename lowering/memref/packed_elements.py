"""Loads and stores of packed elements, bit by bit. The layout is a constant table, so that no code depends on the
element width.

Elements packed as digits are decoded by the rules of `dialects/layouts/digits.py`, in loops over the digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i8, i32
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.layouts.digits import TRITS, Digits, Width
from tinyml.dialects.layouts.packed_bits import bit_positions, group_bytes, group_length, has_inverted_sign
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.scratch import memref_type
from tinyml.lowering.memref.flat_arrays import FlatArrays


class PackedElements:
    """Elements of a given bit width that an array of bytes contains in the layout of `packed_bits`. Elements packed
    as digits can only be read.
    """

    def __init__(self, arrays: FlatArrays, bytes: SSAValue, width: Width):
        self.arrays, self.bytes, self.width = arrays, bytes, width
        self.nest = arrays.nest

    @property
    def bits(self) -> int:
        assert not isinstance(self.width, Digits)
        return self.width

    def _bit(self, index: SSAValue, bit: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return the byte that contains bit `bit` of element `index`, and the position of the bit in the byte.
        Both are i32.
        """
        nest, length = self.nest, group_length(self.bits)
        positions = bit_positions(self.bits, gaps=False)
        table = scratch.ConstantOp.of(np.ascontiguousarray(positions.astype("i1")), i8)
        table.result.name_hint = f"bits_of_s{self.bits}"
        group, element = (nest.insert(op(index, nest.index(length))) for op in (arith.DivUIOp, arith.RemUIOp))
        position = nest.load(self.arrays.constant(table), [nest.add(nest.times(element, self.bits), bit)])
        wide = nest.insert(arith.ExtSIOp(position, i32))
        byte = nest.insert(arith.ShRSIOp(wide, nest.constant(3, i32)))
        within = nest.insert(arith.IndexCastOp(byte, IndexType()))
        return (
            nest.add(nest.times(group, group_bytes(self.bits)), within),
            nest.insert(arith.AndIOp(wide, nest.constant(7, i32))),
        )

    def _byte(self, at: SSAValue) -> SSAValue:
        return self.nest.insert(arith.ExtUIOp(self.arrays.load(self.bytes, at), i32))

    def load(self, index: SSAValue, *, signed: bool, type: Attribute) -> SSAValue:
        """Load the element at an index and extend it to `type`, by its sign if `signed`, otherwise by zeros."""
        nest = self.nest
        if isinstance(self.width, Digits):
            return nest.insert(arith.TruncIOp(self._digits(index, self.width), cast("IntegerType[int, Any]", type)))

        def add(bit: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
            at, place = self._bit(index, bit)
            lowest = nest.insert(arith.AndIOp(nest.insert(arith.ShRUIOp(self._byte(at), place)), nest.constant(1, i32)))
            shifted = nest.insert(arith.ShLIOp(lowest, nest.insert(arith.IndexCastOp(bit, i32))))
            return [nest.insert(arith.OrIOp(sums[0], shifted))]

        value = nest.fold(nest.index(self.bits), [nest.constant(0, i32)], add)[0]
        if signed and has_inverted_sign(self.bits):
            value = nest.insert(arith.SubiOp(value, nest.constant(1 << self.bits - 1, i32)))
        elif signed:
            above = nest.constant(32 - self.bits, i32)
            value = nest.insert(arith.ShRSIOp(nest.insert(arith.ShLIOp(value, above)), above))
        return nest.insert(arith.TruncIOp(value, cast("IntegerType[int, Any]", type)))

    def _digits(self, index: SSAValue, packed: Digits) -> SSAValue:
        """Decode the integer at an index of an array that is packed as digits, as an i32."""
        nest, one = self.nest, self.nest.constant(1, i32)
        group, element = (nest.insert(op(index, nest.index(packed.length))) for op in (arith.DivUIOp, arith.RemUIOp))
        if packed.name == TRITS:

            def thrice(rest: SSAValue) -> SSAValue:
                return nest.insert(arith.MuliOp(rest, nest.constant(3, i32)))

            def skip(_: SSAValue, rest: Sequence[SSAValue]) -> list[SSAValue]:
                return [nest.insert(arith.AndIOp(thrice(rest[0]), nest.constant(255, i32)))]

            rest = nest.fold(element, [self._byte(group)], skip)[0]
            return nest.insert(arith.SubiOp(nest.insert(arith.ShRUIOp(thrice(rest), nest.constant(8, i32))), one))

        place = nest.insert(arith.IndexCastOp(element, i32))
        if packed.name == Digits.PAIRED:

            def part(shift: int, mask: int, times: int) -> SSAValue:
                masked = nest.insert(
                    arith.AndIOp(nest.insert(arith.ShRUIOp(place, nest.constant(shift, i32))), nest.constant(mask, i32))
                )
                return nest.insert(arith.MuliOp(masked, nest.constant(times, i32)))

            bits = packed.bits
            at = nest.add(nest.add(part(2, 7, 2 * bits), part(0, 1, bits)), part(1, 1, 16))
            byte = nest.insert(arith.IndexCastOp(nest.insert(arith.ShRUIOp(at, nest.constant(3, i32))), IndexType()))
            loaded = self._byte(nest.add(nest.times(group, packed.bytes), byte))
            within = nest.insert(arith.AndIOp(at, nest.constant(7, i32)))
            field = nest.insert(arith.ShRUIOp(loaded, within))
            field = nest.insert(arith.AndIOp(field, nest.constant((1 << bits) - 1, i32)))
            if packed.is_odd:
                return nest.insert(arith.SubiOp(nest.add(field, field), one))
            return nest.insert(arith.SubiOp(field, nest.constant(1 << bits - 1, i32)))

        def add(plane: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
            byte = self._byte(nest.add(nest.times(group, packed.bytes), plane))
            sign = nest.insert(arith.AndIOp(nest.insert(arith.ShRUIOp(byte, place)), one))
            power = nest.insert(arith.SubiOp(nest.insert(arith.ShLIOp(sign, one)), one))
            shifted = nest.insert(arith.ShLIOp(power, nest.insert(arith.IndexCastOp(plane, i32))))
            return [nest.add(sums[0], shifted)]

        return nest.fold(nest.index(packed.bits), [nest.constant(0, i32)], add)[0]

    def store(self, value: SSAValue, index: SSAValue) -> None:
        """Store the integer `value` as the packed element at an index, without changing other elements."""
        nest = self.nest
        wide = value if value.type == i32 else nest.insert(arith.ExtSIOp(value, i32))
        if has_inverted_sign(self.bits):
            wide = nest.add(wide, nest.constant(1 << self.bits - 1, i32))

        def write(bit: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            at, place = self._bit(index, bit)
            shifted = nest.insert(arith.ShRUIOp(wide, nest.insert(arith.IndexCastOp(bit, i32))))
            new = nest.insert(arith.ShLIOp(nest.insert(arith.AndIOp(shifted, nest.constant(1, i32))), place))
            mask = nest.insert(arith.ShLIOp(nest.constant(1, i32), place))
            others = nest.insert(arith.XOrIOp(mask, nest.constant(255, i32)))
            kept = nest.insert(arith.AndIOp(self._byte(at), others))
            self.arrays.store(nest.insert(arith.TruncIOp(nest.insert(arith.OrIOp(kept, new)), i8)), self.bytes, at)
            return []

        nest.fold(nest.index(self.bits), [], write)

    def unpack(self, target: SSAValue, groups: SSAValue, *, signed: bool) -> None:
        """Copy `groups` whole groups of packed elements to the plain array `target`."""
        type = memref_type(target).element_type

        def body(at: SSAValue) -> None:
            self.arrays.store(self.load(at, signed=signed, type=type), target, at)

        self.nest.each(self.nest.times(groups, group_length(self.bits)), body)
