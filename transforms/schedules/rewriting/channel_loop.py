"""The loop over the channels of a segment. Each iteration computes the current channels of every op."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.locations import fused
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.schedules.plans.channel_rules import Role
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rewriting.channel_ops import ChannelOp, channel_axis, channel_ops, unpadded
from tinyml.transforms.schedules.rewriting.channel_slices import ChannelRange
from tinyml.transforms.schedules.rewriting.channel_sums import RoundedSums, sums_of
from tinyml.transforms.schedules.segments import NotTiled
from tinyml.transforms.schedules.tiling.convolution_pixels import ConvolutionPixels, applied
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.stored_image import StoredImage, tensor_like
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder

Pixel = tuple[SSAValue, SSAValue]


class ChannelLoop:
    """The nodes `first` to `last` of a network, both inclusive, run channel by channel. Raises `NotTiled` for nodes
    that cannot run channel by channel.

    sum_bits: the width of the accumulated sums.
    width: the number of channels in an iteration, a divisor of the total number (PEX, remark 4).
    """

    def __init__(self, network: Network, first: int, last: int, sum_bits: int, width: int = 1) -> None:
        self.names, self.width = network.names, width
        self.links = channel_ops(network, first, last)
        self.sums = {link.name: sums_of(link, sum_bits) for link in self.links if link.role is Role.ACCUMULATE}
        shape = tdsl.shape_of(next(link.result for link in self.links if link.role is not Role.ACCUMULATE))
        self.channels = shape[channel_axis(shape)]
        if width < 1 or self.channels % width:
            raise NotTiled(f"{width} channels at once do not divide {self.channels}")

    @property
    def is_exact(self) -> bool:
        """Whether no sum is rounded between iterations, so that results equal those of ordinary execution."""
        return all(sums.EXACT for sums in self.sums.values())

    def rewrite(self) -> None:
        """Replace the ops of the segment by the loop. Elementwise ops that follow sums stay after the loop."""
        ops = {op for link in self.links for op in link.ops}
        block = self.links[0].op.parent
        assert block is not None
        last = next(op for op in reversed(list(block.ops)) if op in ops)
        emit = self.emit = TensorBuilder(last, fused(op.location for link in self.links for op in link.ops))
        self.pixels = {
            link.op: ConvolutionPixels(link.op, (), emit, by_row=True)
            for link in self.links
            if isinstance(link.op, tdsl.Conv2dOp) and link.role is not Role.ACCUMULATE
        }
        kept = [link for link in self.links if link.kept]
        for sums in self.sums.values():
            sums.prepare(emit, self.channels, self.width)
        starts = [
            self.sums[link.name].started(emit)
            if link.role is Role.ACCUMULATE
            else self._empty(link.result, tdsl.shape_of(link.result))
            for link in kept
        ]
        bounds = emit.index(0), emit.index(self.channels // self.width)
        wholes = emit.loop(
            *bounds, starts, lambda c, held: self._iteration(c, dict(zip((k.name for k in kept), held, strict=True)))
        )
        results: list[SSAValue] = []
        for link, whole in zip(kept, wholes, strict=True):
            accumulated = link.role is Role.ACCUMULATE
            results.append(self.sums[link.name].finished(whole, emit) if accumulated else whole)
            link.result.replace_all_uses_with(results[-1])
        behind = last.next_op
        assert behind is not None
        erase([op for op in block.ops if op in ops])
        _restore_order(results, behind)

    def round_sums(self) -> None:
        """Replace each op whose sums are rounded by a loop that rounds the sums.

        An iteration consists of ops on whole images. The results equal those of `rewrite`, which needs less
        memory but many more ops.
        """
        for link in self.links:
            sums = self.sums.get(link.name)
            if not isinstance(sums, RoundedSums):
                continue
            emit, operand = TensorBuilder(link.op, UnknownLoc()), tdsl.unreshaped(link.operand)
            sums.prepare(emit, self.channels, self.width)
            start = sums.started(emit)
            ends = emit.index(0), emit.index(self.channels // self.width)

            def added(
                c: SSAValue,
                held: Sequence[SSAValue],
                sums: RoundedSums = sums,
                operand: SSAValue = operand,
                emit: TensorBuilder = emit,
            ) -> list[SSAValue]:
                now = ChannelRange(emit.times(c, self.width), self.width)
                return [sums.added_at_once(c, now.of(operand, emit), held[0], emit)]

            [whole] = emit.loop(*ends, [start], added)
            link.op.out.replace_all_uses_with(sums.finished(whole, emit))
            erase([link.op])

    def _iteration(self, c: SSAValue, held: dict[str, SSAValue]) -> list[SSAValue]:
        """Emit iteration c, and return the values that it yields.

        held: the carried values before the iteration, by name.
        """
        emit = self.emit
        self.parts: dict[str, SSAValue] = {}
        """The current channels of each result that ops of the loop read."""
        self.now = ChannelRange(emit.times(c, self.width), self.width)
        self.here = ChannelRange(emit.index(0), self.width)
        for link in self.links:
            if link.role is Role.ACCUMULATE:
                part = self._known(link.operand)
                assert part is not None
                held[link.name] = self.sums[link.name].added(c, part, held[link.name], emit)
            elif not link.read and isinstance(link.op, tdsl.Conv2dOp):
                held[link.name] = self._convolved(link, link.op, held[link.name], self.now.start)
            else:
                part = self.parts[link.name] = self._part(link)
                if link.kept:
                    held[link.name] = self._inserted(part, held[link.name])
        return list(held.values())

    def _inserted(self, part: SSAValue, whole: SSAValue) -> SSAValue:
        zero, start = self.emit.index(0), self.now.start
        at = [start, zero] if len(tdsl.shape_of(whole)) == 2 else [zero, zero, zero, start]
        return self.emit.insert(tdsl.InsertSliceOp(part, whole, at))

    def _known(self, value: SSAValue) -> SSAValue | None:
        """The current channels of a value that the loop computes, without padding. None for a value that the
        loop does not compute.
        """
        return self.parts.get(self.names.get(unpadded(value), ""))

    def _channels(self, value: SSAValue) -> SSAValue:
        inner = unpadded(value)
        part = self._known(inner)
        part = self.now.of(inner, self.emit) if part is None else part
        return self.emit.reshaped(part, self.now.shape(tdsl.shape_of(inner)))

    def _part(self, link: ChannelOp) -> SSAValue:
        emit, op = self.emit, link.op
        if isinstance(op, tdsl.Conv2dOp):
            target = self._empty(link.result, self.now.shape(tdsl.shape_of(link.result)))
            return self._convolved(link, op, target, emit.index(0))
        if isinstance(op, tdsl.ElementwiseOp):
            part, ops, first = self._channels(link.operand), (op, *link.chain), link.operand
        else:
            part = self._rows(op) if isinstance(op, tdsl.ContractionOp) else self._pooled(link)
            part.name_hint = op.out.name_hint
            ops, first = link.chain, op.out
        return applied(ops, first, part, lambda value: self._operand(value, link), emit)

    def _convolved(self, link: ChannelOp, op: tdsl.Conv2dOp, target: SSAValue, at: SSAValue) -> SSAValue:
        """Emit the computation of a convolution's current channels, and their insertion into the image
        `target`. Return the new image.

        at: the index of the first current channel.
        """
        emit, pixels = self.emit, self.pixels[op]
        _, height, width, _ = tdsl.shape_of(op.out)
        generates = link.role is Role.GENERATE
        image = StoredImage.whole(pixels.image if generates else self._channels(pixels.image))

        def pixel(y: SSAValue, x: SSAValue, held: SSAValue) -> SSAValue:
            windows = pixels.windows(y, x, image)

            def element(k: SSAValue, held: SSAValue) -> SSAValue:
                # If it is known before the element, the place is its final location.
                to = at if self.width == 1 else emit.sum(k, at)
                window = windows if generates or self.width == 1 else self._one_channel(windows, k)
                sum = pixels.element(emit.sum(self.now.start, k), window)
                sum.name_hint = op.out.name_hint
                result = applied(link.chain, op.out, sum, lambda value: self._operand(value, link, (y, x), k), emit)
                return emit.insert(tdsl.InsertSliceOp(result, held, [emit.index(0), y, x, to]))

            return emit.over(self.width, held, element)

        return emit.over(height, target, lambda y, rows: emit.over(width, rows, lambda x, held: pixel(y, x, held)))

    def _one_channel(self, windows: SSAValue, k: SSAValue) -> SSAValue:
        return ChannelRange(k, 1).of(windows, self.emit)

    def _rows(self, op: tdsl.ContractionOp) -> SSAValue:
        emit, [(matrix, column)] = self.emit, op.pairs

        def row(k: SSAValue) -> SSAValue:
            at = emit.sum(self.now.start, k)
            new = tdsl.RowProductOp(matrix, at, column, op.initial, tdsl.format_of(op.out).type)
            new.acc, new.bound, new.row_shifts = op.acc, op.bound, op.row_shifts
            return emit.insert(new, op)

        if self.width == 1:
            return row(emit.index(0))
        empty = self._empty(op.out, (self.width, 1))
        return emit.over(
            self.width, empty, lambda k, held: emit.insert(tdsl.InsertSliceOp(row(k), held, [k, emit.index(0)]))
        )

    def _pooled(self, link: ChannelOp) -> SSAValue:
        pad, part = link.operand.owner, self._channels(link.operand)
        if isinstance(pad, tdsl.PadOp):
            part = self._on_channels(pad, pad.input, part)
        return self._on_channels(link.op, link.operand, part)

    def _on_channels(self, op: tdsl.TensorOp, operand: SSAValue, part: SSAValue) -> SSAValue:
        copy = self.emit.insert(op.clone(value_mapper={operand: part}), op)
        return Rewriter.replace_value_with_new_type(copy, tensor_like(op.out, self.now.shape(tdsl.shape_of(op.out))))

    def _operand(
        self, value: SSAValue, link: ChannelOp, pixel: Pixel | None = None, k: SSAValue | None = None
    ) -> SSAValue | None:
        """Emit the part of an operand that an elementwise op reads, and return it. None if the op reads the whole
        operand.

        pixel, k: select a single element, at a pixel in the k-th current channel.
        """
        emit, shape, known = self.emit, tdsl.shape_of(link.op.out), self._known(value)
        if known is None:
            range = self.now if k is None else ChannelRange(emit.sum(self.now.start, k), 1)
            return range.of_operand(value, shape, emit, pixel)
        part = emit.reshaped(known, self.now.shape(tdsl.shape_of(value)))
        return part if pixel is None or k is None else ChannelRange(k, 1).of(part, emit, pixel)

    def _empty(self, like: SSAValue, shape: tdsl.Shape) -> SSAValue:
        empty = self.emit.insert(tensor.EmptyOp((), tensor_like(like, shape)))
        empty.name_hint = like.name_hint
        return empty


def _restore_order(values: Sequence[SSAValue], behind: Operation) -> None:
    """Restore the order of definitions and uses: move ops that read `values`, directly or indirectly, but precede
    the definition of `values`, to just before `behind`.
    """
    block = behind.parent
    assert block is not None
    late = set(values)
    for op in list(block.ops):
        if op is behind:
            return
        if late.intersection(op.operands) and not late.intersection(op.results):
            late.update(op.results)
            op.detach()
            block.insert_op_before(op, behind)
