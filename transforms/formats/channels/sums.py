"""Sums that a loop over channels adds up: what each channel contributes to a convolution or a dense layer."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.formats.channels.links import Link
from tinyml.transforms.formats.streaming.stages import NotStreamed
from tinyml.transforms.formats.tiling.convolution_pixels import margins_of, padding
from tinyml.transforms.formats.tiling.emitter import Emitter
from tinyml.transforms.formats.tiling.stored_image import StoredImage


class Sums:
    """The sums of the last link, in memory, exactly those of ordinary execution in another order.

    bits: of a sum. Raises `NotStreamed` if sums need more bits, or where their order matters.
    """

    def __init__(self, link: Link, bits: int) -> None:
        op = link.op
        assert isinstance(op, tdsl.ContractionOp)
        self.op = op
        [(self.weights, _)] = op.pairs
        accumulator = op.accumulator
        if not accumulator.INTEGER or accumulator.below is not None:
            raise NotStreamed(f"sums in {accumulator.type} depend on the order of their products")
        self.accumulator = accumulator.widened(bits).in_memory
        if self.accumulator.bits != bits:
            raise NotStreamed(f"sums need {self.accumulator.bits} bits, there are {bits}")

    @property
    def shape(self) -> tdsl.Shape:
        """Of the sums, an image also for dense layers."""
        shape = tdsl.shape_of(self.op.out)
        return shape if len(shape) == 4 else (1, 1, 1, shape[0])

    def prepare(self, emit: Emitter, channels: int) -> SSAValue:
        """The sums before the first channel; emits what all channels share."""
        constant = self.weights.owner
        assert isinstance(constant, tdsl.ConstOp)
        # The weights of a channel lie one after the other.
        raws = constant.raws.reshape(self.op.rows, -1, channels).transpose(2, 0, 1)
        weights = tdsl.ConstOp(raws, tdsl.format_of(self.weights))
        self.by_channel = emit.insert(weights, constant)
        self.by_channel.name_hint = self.weights.name_hint
        type = TensorType(self.accumulator.type, self.shape)
        initial = self.op.initial
        if initial is None:
            start = emit.insert(tdsl.ZeroOp(type), self.op)
        else:
            start = emit.insert(tdsl.StartOp(emit.reshaped(initial, self.shape[3:]), type), self.op)
        start.name_hint = f"{self.op.out.name_hint or 'result'}_sums"
        return start

    def added(self, c: SSAValue, part: SSAValue, held: SSAValue, emit: Emitter) -> SSAValue:
        """The sums with the contribution of channel c, which is `part`."""
        weights = emit.insert(tdsl.IndexOp(self.by_channel, c))
        sums = StoredImage.whole(held)
        if not isinstance(self.op, tdsl.Conv2dOp):
            zero = emit.index(0)
            return self._pixel(zero, zero, weights, part, sums, emit)
        image = StoredImage.whole(part)
        _, height, width, _ = self.shape

        def pixel(y: SSAValue, x: SSAValue, held: SSAValue) -> SSAValue:
            return self._pixel(y, x, weights, self._window(y, x, image, emit), sums.now(held), emit)

        return emit.over(height, held, lambda y, rows: emit.over(width, rows, lambda x, held: pixel(y, x, held)))

    def finished(self, sums: SSAValue, emit: Emitter) -> SSAValue:
        """The result, from the complete sums."""
        finish = tdsl.FinishOp(sums, tdsl.format_of(self.op.out).type, self.op.sum_bound)
        finish.row_shifts = self.op.row_shifts
        result = emit.insert(finish, self.op)
        result.name_hint = self.op.out.name_hint
        return emit.reshaped(result, tdsl.shape_of(self.op.out))

    def _window(self, y: SSAValue, x: SSAValue, image: StoredImage, emit: Emitter) -> SSAValue:
        op = cast(tdsl.Conv2dOp, self.op)
        _, height, width, _ = tdsl.shape_of(op.lhs)
        pad = padding(op.rhs)
        margins = margins_of(pad)
        (down, across), (above, _, before, _) = op.steps, margins
        top, left = emit.plus(emit.times(y, down), -above), emit.plus(emit.times(x, across), -before)
        filling = 0.0 if pad is None else pad.filling
        return image.window(top, left, (height, width), emit, op.spread, margins, filling)

    def _pixel(
        self, y: SSAValue, x: SSAValue, weights: SSAValue, factors: SSAValue, sums: StoredImage, emit: Emitter
    ) -> SSAValue:
        """The sums with those of a pixel updated. weights: rows x factors."""
        rows, taps = tdsl.shape_of(weights)
        at = sums.place(y, x, emit)
        before = emit.reshaped(sums.part(at, 1, 1, emit), (rows, 1))
        factors = emit.reshaped(factors, (prod(tdsl.shape_of(factors)), 1))
        kind = tdsl.MacOp if taps == 1 else tdsl.AccumulateOp
        after = emit.reshaped(emit.insert(kind(before, weights, factors), self.op), (1, 1, 1, rows))
        return sums.inserted(after, at, emit).value
