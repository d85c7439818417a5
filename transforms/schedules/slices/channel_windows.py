"""Depthwise convolutions in slices that gather the window of one channel at a time.

A window of all channels needs as many bytes as a ring of the same height and width. A window of one channel needs as
many bytes as its kernel has taps, but is gathered once for each channel.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.plans.network import Network, scratch_of
from tinyml.transforms.schedules.rewriting.channel_slices import ChannelRange
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import Stage
from tinyml.transforms.schedules.tiling.axis_orders import IDENTITY_ORDER, gathered
from tinyml.transforms.schedules.tiling.convolution_pixels import ConvolutionPixels, Images, applied
from tinyml.transforms.schedules.tiling.padding import margins_of, padding
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder


def gathers_single_channels(op: tdsl.TensorOp) -> bool:
    """Whether an op is a depthwise convolution by constants that can gather the window of one channel at a time."""
    if not isinstance(op, tdsl.Conv2dOp) or not isinstance(op.lhs.owner, tdsl.ConstOp):
        return False
    channels, height, width, _ = tdsl.shape_of(op.lhs)
    constant = op.initial is None or isinstance(op.initial.owner, tdsl.ConstOp)
    depthwise = op.group_count == channels == tdsl.shape_of(op.rhs)[3] > 1
    grouped = any(term.groups is not None for term in op.terms)
    image = op.rhs if (pad := padding(op.rhs)) is None else pad.input
    return depthwise and constant and height * width > 1 and not grouped and gathered(image) is None


def narrow_scratch_of(network: Network, i: int) -> int:
    """The bits of scratch memory of a node whose depthwise convolution gathers the window of one channel at a time."""
    op, bits = network.ops[i][0], scratch_of(network, i)
    return bits // tdsl.shape_of(op.out)[3] if gathers_single_channels(op) else bits


class SingleChannels(Body):
    """The computation of a depthwise convolution, channel by channel (`gathers_single_channels`)."""

    def __init__(self, stage: Stage, emit: TensorBuilder) -> None:
        super().__init__(stage, emit)
        op = stage.op
        assert isinstance(op, tdsl.Conv2dOp)
        self.op, self.pixels = op, ConvolutionPixels(op, stage.chain, emit, by_row=True)

    def pixel(self, y: SSAValue, x: SSAValue, images: Images) -> SSAValue:
        raise AssertionError("channels are stored one by one")

    def at(self, y: SSAValue, x: SSAValue, target: StoredImage, images: Images) -> StoredImage:
        zero, down, across, _ = target.place(y, x, self.emit)

        def channel(c: SSAValue, held: SSAValue) -> SSAValue:
            element = self.pixels.element(c, self._window(y, x, c, images(self.pixels.image)))
            element.name_hint = self.op.out.name_hint
            part = applied(
                self.stage.chain, self.op.out, element, lambda value: self._channel(value, y, x, c, images), self.emit
            )
            return target.now(held).inserted(part, [zero, down, across, c], self.emit).value

        return target.now(self.emit.over(self.shape[3], target.value, channel))

    def _window(self, y: SSAValue, x: SSAValue, c: SSAValue, image: StoredImage) -> SSAValue:
        emit, channels = self.emit, image.shape[3]
        if image.axes != IDENTITY_ORDER:
            return ChannelRange(c, 1).of(self.pixels.windows(y, x, image), emit)
        flat = [(1, each[1], each[2] * channels, 1) for each in (tdsl.shape_of(image.value), image.shape)]
        (down, across), spread = self.op.steps, self.op.spread
        _, height, width, _ = tdsl.shape_of(self.op.lhs)
        above, below, before, behind = margins_of(self.pixels.pad)
        top = emit.plus(emit.times(y, down), -above)
        left = emit.sum(emit.times(emit.plus(emit.times(x, across), -before), channels), c)
        return StoredImage(emit.reshaped(image.value, flat[0]), flat[1]).windows(
            top,
            left,
            (height, width),
            emit,
            (spread[0], spread[1] * channels),
            (above, below, before * channels, behind * channels),
            0.0 if self.pixels.pad is None else self.pixels.pad.filling,
        )

    def _channel(self, value: SSAValue, y: SSAValue, x: SSAValue, c: SSAValue, images: Images) -> SSAValue | None:
        channel = ChannelRange(c, 1)
        if tdsl.shape_of(value) != self.shape:
            return channel.of_operand(value, self.shape, self.emit)
        image = images(value)
        _, down, across, _ = image.place(y, x, self.emit)
        return channel.of(image.value, self.emit, (down, across))


def single_channels(stage: Stage, emit: TensorBuilder) -> Body | None:
    """The code that computes a stage's result channel by channel. None unless `gathers_single_channels` is true for the
    stage's op, and for a pool that is computed block by block.
    """
    return SingleChannels(stage, emit) if stage.pooled is None and gathers_single_channels(stage.op) else None
