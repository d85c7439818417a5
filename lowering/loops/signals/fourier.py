"""Lowering of the steps of Fourier transforms to loops in place (L2 to L3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.exact.numbers import integers_of
from tinyml.dialects.formats.number_format import INTEGER_CODING, NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num.kernels.transforms import TransformAttr
from tinyml.dialects.tdsl import signals
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import element_of, elements_from, flash_array
from tinyml.transforms.ir.buffers import place_of
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder

WIDTH, MOST, MAX_SHIFT = 16, 32767, 3
"""The width of integers that runtime functions support, the greatest such integer, and the maximum shift."""

Number = tuple[SSAValue, SSAValue]
"""The real and the imaginary part of a complex number."""


@lowers(signals.ReverseBitsOp)
def lower_reverse_bits(op: signals.ReverseBitsOp, nest: LoopBuilder) -> None:
    """Emit the bit-reversal permutation: exchange any two numbers whose indices have the same bits in reverse order."""
    width = 8 if op.points <= 1 << 8 else 16
    pairs = np.array([(i, j) for i, j in enumerate(op.order.tolist()) if i < j], f"u{width // 8}").reshape(-1, 2)

    words = width == 8 and _shift(op) is not None

    def row(source: SSAValue, dest: SSAValue) -> None:
        table = flash_array(nest, pairs.view(f"i{width // 8}"), IntegerType(width), "pairs")
        if words:
            whole = elements_from(table, nest.index(0), pairs.size, nest)
            swaps = TransformAttr.of("tm_reverse_bits_i16", [len(pairs)], len(pairs))
            nest.put(num.CallOp(swaps, [dest, whole]))
            return

        def exchange(indices: Indices) -> None:
            at = [nest.unsigned(nest.load(table, [indices[0], nest.index(side)])) for side in (0, 1)]
            numbers = [_load(nest, source, place) for place in at]
            for number, place in zip(reversed(numbers), at, strict=True):
                _store(nest, number, dest, place)

        nest.over((len(pairs),), exchange)

    over_rows(op, nest, row)


@lowers(signals.ButterfliesOp)
def lower_butterflies(op: signals.ButterfliesOp, nest: LoopBuilder) -> None:
    groups, radix, span = op.sizes
    source, out = tdsl.format_of(op.input), tdsl.format_of(op.out)
    steps = _EmittedSteps(nest)

    def row(read: SSAValue, dest: SSAValue) -> None:
        factors = _factors(nest, op.factors.reshape(-1), source, "rotations") if span > 1 else None
        if (shift := _shift(op)) is not None and (radix == 4) == (span > 1):
            sizes = [groups, span, shift] if span > 1 else [groups, shift]
            stage = TransformAttr.of(f"tm_butterflies{radix}_i16", sizes, groups * span)
            nest.put(num.CallOp(stage, [dest] if factors is None else [dest, factors]))
            return

        def body(indices: Indices) -> None:
            first = nest.add(nest.times(indices[0], radix * span), indices[1])
            at = [first if i == 0 else nest.add(first, nest.index(i * span)) for i in range(radix)]
            z = [_load(nest, read, place) for place in at]
            if factors is not None:
                start = nest.times(indices[1], radix - 1)
                turns = [
                    _load(nest, factors, start if i == 0 else nest.add(start, nest.index(i))) for i in range(radix - 1)
                ]
                z[1:] = [
                    signals.rotated(steps, *pair, signals.doubled(source)) for pair in zip(z[1:], turns, strict=True)
                ]
            results = signals.butterfly(steps, z, 1 if factors is None else -1, out)
            for number, place in zip(results, at, strict=True):
                _store(nest, number, dest, place)

        nest.over((groups, span), body)

    over_rows(op, nest, row)


@lowers(signals.RealSpectrumOp)
def lower_real_spectrum(op: signals.RealSpectrumOp, nest: LoopBuilder) -> None:
    source, out = tdsl.format_of(op.input), tdsl.format_of(op.out)
    steps = _EmittedSteps(nest)

    def row(read: SSAValue, dest: SSAValue) -> None:
        factors = _factors(nest, op.factors.reshape(-1), source, "rotations")
        if (shift := _shift(op)) is not None:
            spectrum = TransformAttr.of("tm_real_spectrum_i16", [op.points, shift], op.points // 2)
            nest.put(num.CallOp(spectrum, [dest, factors]))
            return
        half = steps.constant(signals.HALF, source.of_rotations)
        first = _load(nest, read, nest.index(0))
        ends = steps(first, [1, 1], out), steps(first, [1, -1], out)
        _store(nest, ends, dest, nest.index(0))

        def body(indices: Indices) -> None:
            low = nest.add(indices[0], nest.index(1))
            high = nest.insert(arith.SubiOp(nest.index(op.points - 1), indices[0]))
            z = [_load(nest, read, place) for place in (low, high)]
            pair = signals.real_pair(steps, z, _load(nest, factors, indices[0]), half, source, out)
            for number, place in zip(pair, (low, high), strict=True):
                _store(nest, number, dest, place)

        nest.over((op.points // 2,), body)

    over_rows(op, nest, row)


@lowers(signals.BinsOp)
def lower_bins(op: signals.BinsOp, nest: LoopBuilder) -> None:
    *outer, points = tdsl.shape_of(op.out)
    steps, out = _EmittedSteps(nest), tdsl.format_of(op.out)

    def row(indices: Indices) -> None:
        def store(k: SSAValue, imaginary: SSAValue | None) -> None:
            at = nest.times(k, 2)
            real = nest.load(op.input, [*indices, at])
            if imaginary is None:
                imaginary = nest.load(op.input, [*indices, nest.add(at, nest.index(1))])
            nest.store(op.number(steps, (real, imaginary), out), op.out, [*indices, k])

        store(nest.index(0), steps.constant(0.0, tdsl.format_of(op.input)))

        def inner(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            store(k, None)
            return []

        nest.fold(nest.index(points), [], inner, start=1)

    nest.over(outer, row)


@dataclass(frozen=True)
class _EmittedSteps(signals.SpectrumSteps[SSAValue]):
    """A builder of the scalar ops that compute the steps of a Fourier transform."""

    nest: LoopBuilder

    def __call__(self, factors: Sequence[SSAValue], terms: Sequence[int], into: NumberFormat) -> SSAValue:
        return self.nest.insert(num.CombineOp(factors, terms, into.type))

    def greater(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.nest.insert(arith.SelectOp(self.nest.insert(num.GreaterOp(lhs, rhs)), lhs, rhs))

    def constant(self, real: float, format: NumberFormat) -> SSAValue:
        return self.nest.insert(num.ConstantOp(real, format.type))

    def format(self, value: SSAValue) -> NumberFormat:
        return num.format_of(value)


def _shift(op: signals.SpectrumOp) -> int | None:
    """The right shift with which a runtime function computes this step on 16-bit integers; None if no runtime function
    computes the step.
    """
    formats = [tdsl.format_of(value) for value in (op.input, op.out)]
    if any(scratch.packed_bits(scratch.memref_type(value)) is not None for value in (op.input, op.out)):
        return None
    integers = [numbers for format in formats if (numbers := integers_of(format)) is not None]
    if len(integers) < len(formats) or any(format.coding is not INTEGER_CODING for format in integers):
        return None
    limits = {limits for format in integers for limits in (format.integer_limits, format.raw_limits)}
    if limits != {(-MOST, MOST)} or any(format.stored_width != WIDTH for format in integers):
        return None
    shift = integers[0].scale - integers[1].scale
    return shift if 0 <= shift <= MAX_SHIFT else None


def over_rows(op: signals.SpectrumOp, nest: LoopBuilder, row: Callable[[SSAValue, SSAValue], None]) -> None:
    """Emit loops over rows of complex numbers, which call `row` with a view of the operand's row and a view of the
    result's row.

    Both views refer to the same bytes. An operand in another buffer is first copied to the result.
    """
    shape = tdsl.shape_of(op.out)
    read = op.input
    if place_of(op.input) != place_of(op.out):
        read = nest.insert(scratch.SliceOp(op.out, nest.index(0), shape, element_of(op.input)))
        nest.over(shape, lambda indices: nest.store(nest.load(op.input, indices), read, indices))

    def rows(indices: Indices) -> None:
        start = nest.index(0)
        for index, extent in zip(indices, shape, strict=False):
            start = nest.add(nest.times(start, extent), index)
        start = nest.times(start, shape[-1])
        row(*(elements_from(value, start, shape[-1], nest) for value in (read, op.out)))

    if any(extent > 1 for extent in shape[:-1]):
        nest.over(shape[:-1], rows)
    else:
        row(*(elements_from(value, nest.index(0), shape[-1], nest) for value in (read, op.out)))


def _load(nest: LoopBuilder, numbers: SSAValue, index: SSAValue) -> Number:
    at = nest.times(index, 2)
    return nest.load(numbers, [at]), nest.load(numbers, [nest.add(at, nest.index(1))])


def _store(nest: LoopBuilder, number: Number, numbers: SSAValue, index: SSAValue) -> None:
    at = nest.times(index, 2)
    nest.store(number[0], numbers, [at])
    nest.store(number[1], numbers, [nest.add(at, nest.index(1))])


def _factors(nest: LoopBuilder, reals: Any, source: NumberFormat, hint: str) -> SSAValue:
    format = source.of_rotations
    return flash_array(nest, format.encode(reals), format.type, hint)
