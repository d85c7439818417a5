"""Tensors of integers followed by monotone functions, and the quantisers that read such tensors.

A quantiser is emitted in the cheapest arithmetic that computes its levels for every possible integer: the rounding of
the result's format, one linear function per channel, or comparisons with thresholds. If no such arithmetic is found,
the functions are computed in single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.parameters import FRACS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import Shape
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor, Parameter
from tinyml.lowering.frontends.layers.network_layers import binary
from tinyml.lowering.frontends.onnx.builder import Builder, Deferred, Inputs, Value
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.qonnx.integer_formats import (
    MAX_BITS,
    ExactInteger,
    format_of_bits,
    format_of_range,
    format_of_sums,
    integer_format,
    rounds_to_even,
)
from tinyml.lowering.frontends.qonnx.quantiser import Quantiser
from tinyml.lowering.frontends.qonnx.staircases import (
    Lines,
    Staircase,
    lines,
    rounding_thresholds,
    shifts,
    staircase,
)
from tinyml.lowering.frontends.qonnx.values import Source, Stack, Step, Stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Singles: TypeAlias = NDArray[np.float32]
    Integers: TypeAlias = NDArray[np.int64]

MAX_LEVELS = 1 << 12
"""Maximum levels of a quantiser whose thresholds are computed."""

MAX_COMPARISONS = 32
"""Maximum thresholds of a channel that are compared one by one."""

GREATEST_ADDEND = 1 << 30

SUM_WIDTH = 32

EXACT_SINGLES = 1 << 24
"""The integer up to which single precision represents all integers."""


@dataclass(frozen=True, eq=False)
class Whole(Deferred):
    """Integers times a real unit, and the elementwise functions applied to the products.

    source: the integers.
    units: a factor in addition to 2^-frac, or one factor for each channel.
    steps: the functions, in order.
    """

    source: Source
    units: NDArray[np.float64]
    steps: tuple[Step, ...] = ()

    @property
    def shape(self) -> Shape:
        return self.source.shape

    @property
    def channels(self) -> int:
        """The number of channels with separate ranges, units or functions; 1 if the ranges, units and functions of all
        channels are equal.
        """
        sizes = self.source.low.size, self.units.size, *(step.constant.size for step in self.steps)
        return max(sizes)

    @property
    def ends(self) -> Integers:
        """The least and the greatest integer of each channel: (channels, 2)."""
        return np.stack(np.broadcast_arrays(self.source.low, self.source.high), 1)

    def followed_by(self, step: Step) -> Whole:
        return replace(self, steps=(*self.steps, step))

    def reals(self, integers: Integers) -> Singles:
        """The reals of integers (channels, any) after all functions, computed in single precision as in the
        training framework.
        """
        units = np.ldexp(self.units, -self.source.frac)[:, None]
        with np.errstate(over="ignore", invalid="ignore"):
            reals = (integers * units).astype(np.float32)
            for step in self.steps:
                reals = step.apply(reals, step.constant[:, None]).astype(np.float32)
        return reals

    @property
    def is_rounded(self) -> bool:
        """Whether one of the functions rounds to integers although no quantiser follows."""
        return any(step.emit is None for step in self.steps)

    def whole(self, to: Builder) -> Whole:
        """Emit functions whose results are integers of at most 16 bits, as a quantiser of scale 1. Raises
        `InputError` for other results.
        """
        ends = self.reals(self.ends)
        low, high = float(ends.min()), float(ends.max())
        if max(-low, high) >= 1 << MAX_BITS - 1 or (ends != np.rint(ends)).any():
            raise to.error(
                "reads numbers that are rounded to integers without a limit of 16 bits: add a Clip before it"
            )
        return self.quantised(to, Quantiser(np.ones(1, np.float32), int(low), int(high)))

    def emitted(self, to: Builder) -> OrderedTensor:
        if self.is_rounded:
            return self.whole(to).emitted(to)
        if self.steps and self._addends() is not None:
            sums = self.returned(to)
            return OrderedTensor(to.requantised(sums.value, F32_FORMAT.type), sums.order)
        source = self.source
        sums = source.sums(to)
        tensor = OrderedTensor(to.requantised(sums.value, F32_FORMAT.type), sums.order)
        if (self.units != 1).any():
            tensor = binary(to, tdsl.MulOp, tensor, self.parameter(self.units.astype(np.float32)))
        for step in self.steps:
            assert step.emit is not None
            tensor = step.emit(to, tensor, self.parameter(step.constant))
        return tensor

    def returned(self, to: Builder) -> OrderedTensor:
        """Emit the tensor as an output. If the functions only add integers, the sums are returned in an exact
        format; other functions are computed on reals.
        """
        if self.is_rounded:
            return self.whole(to).returned(to)
        addends = self._addends()
        if addends is None:
            return self.emitted(to)
        source = self.source
        low, high = source.low + addends, source.high + addends
        element = format_of_sums(int(low.min()), int(high.max()), source.frac) if addends.any() else source.exact
        return source.emit(to, addends, None, element.type)

    def _addends(self) -> Integers | None:
        """The integer that the functions add to each channel; None if they do not only add integers, or if single
        precision does not represent the sums exactly.
        """
        if (self.units != 1).any() or not all(step.affine for step in self.steps):
            return None
        unit = 2.0**-self.source.frac
        sums = self.reals(np.zeros((self.channels, 1), np.int64)).astype(np.float64)[:, 0] / unit
        if (sums != np.rint(sums)).any() or np.abs(sums).max(initial=0) >= GREATEST_ADDEND:
            return None
        addends = sums.astype(np.int64)
        ends = np.broadcast_to(self.ends, (self.channels, 2))
        agree = self.reals(ends) == ((ends + addends[:, None]) * unit).astype(np.float32)
        return addends if agree.all() and np.abs(ends).max(initial=0) < EXACT_SINGLES else None

    def parameter(self, numbers: Singles) -> Parameter:
        return Parameter(self.source.by_channel(numbers) if numbers.size > 1 else numbers.reshape(()))

    def read_by(self, to: Builder, node: OnnxNode, inputs: Inputs) -> Value | None:
        reader = None if node.domain else READERS.get(node.op)
        return None if reader is None else reader(self, to, node, inputs)

    def quantised(self, to: Builder, by: Quantiser) -> Whole:
        """Emit the quantiser `by`, whose input is this tensor, and return its result."""
        if isinstance(self.source, Stack) and self.channels == by.channels == 1:
            matrices = [replace(self, source=matrix).quantised(to, by) for matrix in self.source.parts]
            return replace(matrices[0], source=Stack.of([matrix.source for matrix in matrices], self.shape))
        steps = self._staircase(by)
        result = None if steps is None else self._thresholds(to, by, steps)
        if result is None and by.line is not None and (on_line := self._on_lines(to, by, by.line)) is not None:
            result = limited(to, on_line, by)
        return as_whole(quantised_reals(to, self.emitted(to), by) if result is None else result, by)

    def _staircase(self, by: Quantiser) -> Staircase | None:
        channels = max(self.channels, by.channels)
        if by.last - by.first > MAX_LEVELS:
            return None
        low, high = (np.broadcast_to(end, channels) for end in (self.source.low, self.source.high))
        return staircase(lambda x: by.levels_of(x, self.reals), low, high, by.first, by.last)

    def _thresholds(self, to: Builder, by: Quantiser, steps: Staircase) -> OrderedTensor | None:
        result = self._rounded(to, by, steps)
        # Other frameworks add the products of scales that are no powers of two in an order that is not defined.
        exact = by.frac is not None and (np.frexp(self.units)[0] == 0.5).all()
        slacks = (0,) if exact else (0, 1)
        if result is None and by.line is not None and self._line_bits(by.line)[1] < SUM_WIDTH:
            result = self._on_lines(to, by, by.line)
        for slack in slacks:
            if result is None and (known := lines(steps, to_even=rounds_to_even(by.format), slack=slack)) is not None:
                result = self._on_lines(to, by, known)
        if result is None and steps.at.shape[1] <= MAX_COMPARISONS:
            result = self._compared(to, by, steps)
        return None if result is None else limited(to, result, by)

    def _rounded(self, to: Builder, by: Quantiser, steps: Staircase) -> OrderedTensor | None:
        """Emit the integers plus an addend, which the format of the quantiser `by` rounds to the levels of a staircase.
        Returns None if no addend results in these levels.
        """
        source, falls = self.source, bool((steps.signs < 0).any())
        if falls and not source.flips:
            return None
        shift = source.frac - (by.frac or 0)
        if by.bipolar:
            thresholds = np.zeros(1, np.int64)
        elif shift >= 0:
            thresholds = rounding_thresholds(steps.levels, shift, to_even=rounds_to_even(by.format))
        else:
            thresholds = -(-steps.levels // (1 << -shift))
        addends = shifts(steps, thresholds)
        if addends is None or np.abs(addends).max() >= GREATEST_ADDEND:
            return None
        return source.emit(to, addends, steps.signs if falls else None, by.format.type)

    def _on_lines(self, to: Builder, by: Quantiser, known: Lines) -> OrderedTensor | None:
        """Emit the integers times a factor plus an addend, which the format of the quantiser `by` rounds to the levels.
        Returns None if a factor or an addend does not fit a format.

        known: the factors and addends.
        """
        sums = self.source.sums(to)
        frac = known.guard + (by.frac or 0)
        factor_frac = frac + known.shift - self.source.frac
        if frac not in FRACS or factor_frac not in FRACS:
            return None
        # The sign of -1 and 1 is that of the distance from the threshold between their numbers, 0 and 1.
        offsets = known.offsets - (1 << known.guard - 1 if by.bipolar else 0)
        product, moved_bits = self._line_bits(known)
        wide = format_of_bits(moved_bits, frac)
        factors = self._constant(known.multipliers, format_of_bits(known.factor_bits, factor_frac))
        scaled = binary(to, tdsl.MulOp, sums, factors, format_of_bits(product, frac).type)
        moved = binary(to, tdsl.AddOp, scaled, self._constant(offsets, wide), wide.type)
        return OrderedTensor(to.requantised(moved.value, by.format.type), moved.order)

    def _line_bits(self, known: Lines) -> tuple[int, int]:
        """The bits of the products and of the sums of a linear function of the integers. Products and sums of these
        widths never saturate, unless they need more than 32 bits.
        """
        product = self.source.exact.width.data + known.factor_bits - 1 - known.shift
        moved = max(product, int(np.abs(known.offsets).max()).bit_length() + 1) + 1
        return (product, moved) if moved <= SUM_WIDTH else (SUM_WIDTH, SUM_WIDTH)

    def _compared(self, to: Builder, by: Quantiser, steps: Staircase) -> OrderedTensor:
        sums, frac = self.source.sums(to), self.source.frac
        low, high = int(steps.low.min()), int(steps.high.max())
        exact = format_of_sums(low, high, frac)
        if (steps.signs < 0).any():
            sums = binary(to, tdsl.MulOp, sums, self._constant(steps.signs, format_of_bits(2, 0)), exact.type)
        difference = format_of_sums(low - high - 1, high - low + 1, frac)
        count: OrderedTensor | None = None
        counts = format_of_bits(8, 0)
        for thresholds in steps.at.T:
            below = self._constant(thresholds - 1, format_of_sums(low - 1, high + 1, frac))
            above = binary(to, tdsl.SubOp, sums, below, difference.type)
            reached = OrderedTensor(to.op(tdsl.StepOp, above.value, counts.type), above.order)
            count = reached if count is None else binary(to, tdsl.AddOp, count, reached, counts.type)
        assert count is not None
        if by.bipolar:
            doubled = binary(to, tdsl.AddOp, count, count, counts.type)
            count, first, places = doubled, -1, by.frac or 0
        else:
            first, places = by.first, by.frac or 0
        unit = Parameter(np.ones((), np.int8), format_of_bits(2, places))
        wide = format_of_bits(16, places)
        scaled = binary(to, tdsl.MulOp, count, unit, wide.type)
        base = Parameter(np.array(first, np.int16), wide)
        return binary(to, tdsl.AddOp, scaled, base, by.format.type)

    def _constant(self, integers: Integers, format: ExactInteger) -> Parameter:
        numbers = self.source.by_channel(integers) if integers.size > 1 else integers.reshape(())
        return Parameter(numbers.astype(format.dtype), format)


Reader: TypeAlias = Callable[[Whole, Builder, OnnxNode, Inputs], "Value | None"]
"""A function that returns the output of a node that reads a tensor of integers; None if the node computes on reals."""

READERS: dict[str, Reader] = {}
"""The readers of the default domain, by op."""


def reads(*ops: str) -> Callable[[Reader], Reader]:
    """A decorator that registers a function that imports nodes reading a tensor of integers.

    ops: the ops of these nodes.
    """

    def register(reader: Reader) -> Reader:
        READERS.update(dict.fromkeys(ops, reader))
        return reader

    return register


def as_whole(tensor: OrderedTensor, by: Quantiser) -> Whole:
    """The tensor that the quantiser `by` returned, as integers within its limits and in its units."""
    low, high = (np.array([end]) for end in by.limits)
    return Whole(Stored.of(tensor, low, high), by.units)


def limited(to: Builder, tensor: OrderedTensor, by: Quantiser) -> OrderedTensor:
    """Clamp numbers to the levels of the quantiser `by`, unless their format has the same limits."""
    format = integer_format(tensor.value)
    if by.bipolar or format.limits == by.limits:
        return tensor
    low, high = (float(format.decode(np.array(end))) for end in by.limits)
    return OrderedTensor(to.op(tdsl.ClipOp, tensor.value, low, high), tensor.order)


def quantised_reals(to: Builder, reals: OrderedTensor, by: Quantiser) -> OrderedTensor:
    """Emit the quantiser `by`, whose input is reals. Raises `InputError` for quantisers that are supported on integers
    only.
    """
    if type(by) is not Quantiser:
        raise to.error("thresholds, Trunc and shifts are supported after quantisers or sums of integers only")
    if by.rounding not in ("ROUND", "HALF_EVEN") and not by.bipolar:
        raise to.error(f"rounding_mode = {by.rounding} is supported after sums of integers only, else ROUND")
    if by.bipolar:
        return OrderedTensor(to.requantised(reals.value, by.format.type), reals.order)
    if by.scales.size > 1:
        raise to.error("several scales are supported after sums of integers only")
    frac = by.frac or 0
    if by.frac is None:
        reals = binary(to, tdsl.MulOp, reals, Parameter(np.asarray(nearest_factor(by), np.float32)))
    if not by.zero & 1:
        return limited(to, OrderedTensor(to.requantised(reals.value, by.format.type), reals.order), by)
    # Halves go to the even integer before the zero point is subtracted.
    moved = binary(to, tdsl.AddOp, reals, Parameter(np.asarray(by.zero * 2.0**-frac, np.float32)))
    raws = to.requantised(moved.value, unsubtracted(by).type)
    return levels_of(to, OrderedTensor(raws, moved.order), by)


def unsubtracted(by: Quantiser) -> ExactInteger:
    """The format of the integers of the quantiser `by` before its zero point is subtracted."""
    return format_of_range(by.low, by.high, by.frac or 0, computed=True)


def levels_of(to: Builder, raws: OrderedTensor, by: Quantiser) -> OrderedTensor:
    """Emit the subtraction of the zero point of the quantiser `by`, and its clamp.

    raws: integers in the format `unsubtracted`.
    """
    if by.zero:
        point = format_of_range(by.zero, by.zero, by.frac or 0)
        zero = Parameter(np.asarray(by.zero, point.dtype), point)
        raws = binary(to, tdsl.SubOp, raws, zero, by.format.type)
    return limited(to, raws, by)


_NEIGHBOURS = range(-4, 5)
"""Distances, in units in the last place, within which factors and arguments are tried."""


def nearest_factor(by: Quantiser) -> float:
    """The factor by which to multiply in single precision instead of dividing by the scale. Of the floats next to the
    reciprocal of the scale, it is the one whose products round differently from the quotients least often.

    The floats are compared on arguments at the thresholds between two levels, since a product and a quotient round
    differently only there.
    """
    [scale] = by.scales
    middles = np.arange(by.first, by.last) + 0.5
    with np.errstate(over="ignore", invalid="ignore"):
        arguments = np.concatenate([_neighbour((middles * scale).astype(np.float32), ulps) for ulps in _NEIGHBOURS])
        levels = np.rint(arguments / scale)
        candidates = [_neighbour(np.float32(1) / scale, ulps) for ulps in sorted(_NEIGHBOURS, key=abs)]
        return float(min(candidates, key=lambda factor: int((np.rint(arguments * factor) != levels).sum())))


def _neighbour(numbers: Any, ulps: int) -> Any:
    return (np.asarray(numbers, np.float32) + ulps * np.spacing(np.asarray(numbers, np.float32))).astype(np.float32)
