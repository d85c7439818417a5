"""The loop over the channels of a segment, in which each op computes the current channel."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.transforms.formats.tiling.convolution_pixels import ConvolutionPixels, applied
from tinyml.transforms.formats.tiling.erasure import erase
from tinyml.transforms.formats.tiling.stored_image import StoredImage, tensor_like
from tinyml.transforms.formats.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rewriting.channel_ops import ChannelOp, Role, channel_axis, channel_ops
from tinyml.transforms.schedules.rewriting.channel_slices import channel, of_channel, operand
from tinyml.transforms.schedules.rewriting.channel_sums import sums_of


class ChannelLoop:
    """A segment that runs channel by channel.

    sum_bits: the width of the accumulated sums. Raises `NotTiled` for segments that cannot run this way.
    """

    def __init__(self, network: Network, first: int, last: int, sum_bits: int) -> None:
        links = channel_ops(network, first, last)
        end = links[-1]
        self.sums = sums_of(end, sum_bits) if end.role is Role.ACCUMULATE else None
        self.result = end.op.out if self.sums else end.result
        self.links = links[:-1] if self.sums else links
        """The ops that compute a channel of their results."""

    @property
    def is_exact(self) -> bool:
        """True if the results equal those of ordinary execution."""
        return self.sums is None or self.sums.EXACT

    def rewrite(self) -> None:
        """Replace the ops of the segment by the loop; ops that follow the sums are kept."""
        last = self.result.owner
        assert isinstance(last, Operation)
        emit = self.emit = TensorBuilder(last, UnknownLoc())
        self.pixels = {
            link.op: ConvolutionPixels(link.op, (), emit, by_row=True)
            for link in self.links
            if isinstance(link.op, tdsl.Conv2dOp)
        }
        shape = tdsl.shape_of(self.links[-1].result)
        channels = shape[channel_axis(shape)]
        start = self.sums.prepare(emit, channels) if self.sums else self._empty(self.result, shape)
        bounds = emit.index(0), emit.index(channels)
        [whole] = emit.loop(*bounds, [start], lambda c, carried: [self._iteration(c, carried[0])])
        self.result.replace_all_uses_with(self.sums.finished(whole, emit) if self.sums else whole)
        erase([*(op for link in self.links for op in (link.op, *link.chain)), *([last] if self.sums else [])])

    def _iteration(self, c: SSAValue, held: SSAValue) -> SSAValue:
        """The loop-carried values after channel c."""
        part: SSAValue | None = None
        for link in self.links[: None if self.sums else -1]:
            part = self._part(link, c, part)
        if self.sums:
            assert part is not None
            return self.sums.added(c, part, held, self.emit)
        end, zero = self.links[-1], self.emit.index(0)
        if isinstance(end.op, tdsl.Conv2dOp):
            return self._convolved(end, end.op, c, part, held, c)
        at = [c, zero] if len(tdsl.shape_of(held)) == 2 else [zero, zero, zero, c]
        return self.emit.insert(tdsl.InsertSliceOp(self._part(end, c, part), held, at))

    def _part(self, link: ChannelOp, c: SSAValue, before: SSAValue | None) -> SSAValue:
        """Channel c of an op's result. before: channel c of its operand; None for the first op."""
        emit, op = self.emit, link.op
        if isinstance(op, tdsl.Conv2dOp):
            target = self._empty(link.result, of_channel(tdsl.shape_of(link.result)))
            return self._convolved(link, op, c, before, target, emit.index(0))
        if isinstance(op, tdsl.ElementwiseOp):
            return self._elementwise(link, op, c, before)
        part = self._row(op, c) if isinstance(op, tdsl.ContractionOp) else self._pooled(link, c, before)
        part.name_hint = op.out.name_hint
        return applied(link.chain, op.out, part, lambda value: self._operand(value, link, c, None), emit)

    def _convolved(
        self, link: ChannelOp, op: tdsl.Conv2dOp, c: SSAValue, before: SSAValue | None, target: SSAValue, at: SSAValue
    ) -> SSAValue:
        """An image with one channel replaced by channel c of a convolution's result. at: the channel of the image."""
        emit, pixels = self.emit, self.pixels[op]
        _, height, width, _ = tdsl.shape_of(op.out)
        if link.role is Role.GENERATE:
            image = StoredImage.whole(pixels.image)
        else:
            part = channel(pixels.image, c, emit) if before is None else before
            image = StoredImage.whole(emit.reshaped(part, of_channel(tdsl.shape_of(pixels.image))))

        def pixel(y: SSAValue, x: SSAValue, held: SSAValue) -> SSAValue:
            sum = pixels.element(c, y, x, image)
            sum.name_hint = op.out.name_hint
            element = applied(link.chain, op.out, sum, lambda value: self._operand(value, link, c, (y, x)), emit)
            return emit.insert(tdsl.InsertSliceOp(element, held, [emit.index(0), y, x, at]))

        return emit.over(height, target, lambda y, rows: emit.over(width, rows, lambda x, held: pixel(y, x, held)))

    def _elementwise(self, link: ChannelOp, op: tdsl.ElementwiseOp, c: SSAValue, before: SSAValue | None) -> SSAValue:
        shape = tdsl.shape_of(op.out)
        main = link.operand
        part = channel(main, c, self.emit) if before is None else self.emit.reshaped(before, of_channel(shape))
        ops = (op, *link.chain)
        return applied(ops, main, part, lambda value: self._operand(value, link, c, None), self.emit)

    def _row(self, op: tdsl.ContractionOp, c: SSAValue) -> SSAValue:
        """Element c of the product of a matrix and a column vector."""
        [(matrix, column)] = op.pairs
        new = tdsl.RowProductOp(matrix, c, column, op.initial, tdsl.format_of(op.out).type)
        new.acc, new.bound, new.row_shifts = op.acc, op.bound, op.row_shifts
        return self.emit.insert(new, op)

    def _pooled(self, link: ChannelOp, c: SSAValue, before: SSAValue | None) -> SSAValue:
        """Channel c of an op that computes each channel from one channel."""
        emit, op, pad = self.emit, link.op, link.operand.owner
        whole = pad.input if isinstance(pad, tdsl.PadOp) else link.operand
        part = channel(whole, c, emit) if before is None else emit.reshaped(before, of_channel(tdsl.shape_of(whole)))
        if isinstance(pad, tdsl.PadOp):
            part = self._on_channel(pad, pad.input, part)
        return self._on_channel(op, link.operand, part)

    def _on_channel(self, op: tdsl.TensorOp, operand: SSAValue, part: SSAValue) -> SSAValue:
        """Clone an op to run on one channel instead of its whole operand."""
        copy = self.emit.insert(op.clone(value_mapper={operand: part}), op)
        return Rewriter.replace_value_with_new_type(copy, tensor_like(op.out, of_channel(tdsl.shape_of(op.out))))

    def _operand(
        self, value: SSAValue, link: ChannelOp, c: SSAValue, pixel: tuple[SSAValue, SSAValue] | None
    ) -> SSAValue | None:
        return operand(value, tdsl.shape_of(link.op.out), c, pixel, self.emit)

    def _empty(self, like: SSAValue, shape: tdsl.Shape) -> SSAValue:
        empty = self.emit.insert(tensor.EmptyOp((), tensor_like(like, shape)))
        empty.name_hint = like.name_hint
        return empty
