"""The chains of convolutions for which msf-CNN (Huang and Baccelli 2025) reports RAM for several factors of additional
work.

The shapes are those of the networks without residual sums or dense layers. Images are padded above and on the left by
the number of pixels by which msf-CNN pads them on all sides. A mean over all pixels ends each chain, so that the result
is small. msf-CNN's figures do not count the image that the mean reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from programs.graphs import GraphBuilder
from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Read


class Bottleneck(NamedTuple):
    """An inverted bottleneck.

    expansion: the factor by which the first convolution increases the channels.
    channels: the channels of the result.
    stride, kernel: those of the depthwise convolution.
    padding: the pixels on each side; None for half of the kernel.
    """

    expansion: int
    channels: int
    stride: int = 1
    kernel: int = 3
    padding: int | None = None


class _Chain(GraphBuilder):
    def layer(self, kernel: int = 1, stride: int = 1, channels: int | None = None, padding: int | None = None) -> None:
        """Append a convolution with square windows.

        kernel, stride: the side of a window, and the stride along both axes.
        channels: the channels of the result; None for a depthwise convolution.
        padding: the pixels on each side; None for half of the kernel.
        """
        name, image = self.last, self.tensors[self.last]
        before = kernel // 2 if padding is None else padding
        height, width = ((extent + 2 * before - kernel) // stride + 1 for extent in image[:2])
        each = kernel * kernel * (image.channels if channels else 1)
        result = Image(height, width, channels or image.channels, image.bits)
        read = Read(name, (kernel, kernel), (stride, stride), (before, before))
        kind = Kind.CONTRACTION if channels else Kind.CHANNELWISE
        self.add(kind, [read], result, result.pixels * result.channels * each)

    def block(self, block: Bottleneck) -> None:
        self.layer(channels=block.expansion * self.tensors[self.last].channels)
        self.layer(block.kernel, block.stride, padding=block.padding)
        self.layer(channels=block.channels)


def _separable(size: int, blocks: Sequence[Bottleneck]) -> Graph:
    """The chain of an MCUNet: a convolution to 16 channels, a depthwise convolution, a convolution to 8 channels, and
    blocks.
    """
    net = _Chain(size, size, 3)
    net.layer(3, 2, 16)
    net.layer(3)
    net.layer(channels=8)
    for block in blocks:
        net.block(block)
    net.mean()
    return net.graph()


def mobilenet_chain() -> Graph:
    """The chain of MBV2-w0.35-r144: MobileNet-v2 on 144x144 pixels. Its numbers of channels are multiplied by 0.35 and
    rounded down.
    """
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 2, 3), (6, 64, 2, 4), (6, 96, 1, 3), (6, 160, 2, 3), (6, 320, 1, 1))
    net = _Chain(144, 144, 3)
    net.layer(3, 2, 32 * 35 // 100)
    for expansion, channels, stride, count in stages:
        for k in range(count):
            net.block(Bottleneck(expansion, channels * 35 // 100, stride if k == 0 else 1))
    net.layer(channels=1280 * 35 // 100)
    net.mean()
    return net.graph()


def visual_wake_words_chain() -> Graph:
    """The chain of MCUNetv2-vww-5fps-r80."""
    return _separable(
        80,
        [
            Bottleneck(6, 16, 2), Bottleneck(3, 16), Bottleneck(3, 16),
            Bottleneck(3, 24, 2, 7), Bottleneck(6, 24), Bottleneck(5, 24, 1, 5),
            Bottleneck(6, 40, 2, 7), Bottleneck(6, 40, 1, 7), Bottleneck(6, 48), Bottleneck(4, 48),
            Bottleneck(5, 96, 2, 5), Bottleneck(5, 96), Bottleneck(4, 96), Bottleneck(3, 160, 1, 7),
        ],
    )  # fmt: skip


def imagenet_chain() -> Graph:
    """The chain of MCUNet-320KB-r176."""
    return _separable(
        176,
        [
            Bottleneck(3, 16, 2, 7), Bottleneck(5, 16), Bottleneck(5, 16, 1, 7), Bottleneck(4, 16, 1, 5),
            Bottleneck(5, 24, 2, 5), Bottleneck(5, 24, 1, 5), Bottleneck(5, 24, 1, 5),
            Bottleneck(5, 40, 2), Bottleneck(6, 40, 1, 7), Bottleneck(4, 40, 1, 5), Bottleneck(5, 48, 1, 5),
            Bottleneck(5, 48, 1, 7), Bottleneck(5, 48),
            Bottleneck(6, 96, 2), Bottleneck(5, 96, 1, 7), Bottleneck(4, 96), Bottleneck(5, 160, 1, 7),
        ],
    )  # fmt: skip


CHAINS = {
    "MBV2-w0.35-r144": mobilenet_chain,
    "MCUNetv2-vww-5fps-r80": visual_wake_words_chain,
    "MCUNet-320KB-r176": imagenet_chain,
}
"""The chains by msf-CNN's names of the networks."""
