"""Graphs of networks: a builder, and published networks. A graph contains only the shapes that determine memory.

Graphs are inputs of the planner and not programs. Tests compare them with graphs that are derived from programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read

KEYWORDS = (49, 10, 1)
"""The spectrogram of a second of speech."""


class GraphBuilder:
    """A builder of a graph, op by op. An op reads the last tensor unless a method has an argument that names another
    tensor.

    height, width, channels: the extents of the input image.
    bits: the width of an element of all tensors.
    """

    def __init__(self, height: int, width: int, channels: int, bits: int = 8) -> None:
        self.tensors = {"input": Image(height, width, channels, bits)}
        self.nodes: list[Node] = []
        self.last = "input"

    def graph(self) -> Graph:
        return Graph(self.tensors, ("input",), tuple(self.nodes), (self.last,))

    def add(self, kind: Kind, reads: Sequence[Read], image: Image, macs: int = 0) -> str:
        """Add an op whose result is an image, and return the result's name.

        macs: the number of multiply-accumulates.
        """
        self.last = f"t{len(self.nodes)}"
        self.tensors[self.last] = image
        self.nodes.append(Node(self.last, kind, tuple(reads), macs))
        return self.last

    def window(
        self,
        kernel: tuple[int, int],
        strides: tuple[int, int] = (1, 1),
        channels: int | None = None,
        same: bool = True,
        operand: str | None = None,
    ) -> str:
        """Add a convolution, and return the name of its result.

        channels: the channels of the result; None for a depthwise convolution.
        same: True for padding as in TensorFlow, with half of it, rounded down, above and on the left; False for none.
        operand: the name of the image; None for the last tensor.
        """
        name = operand or self.last
        image = self.tensors[name]
        extents = (image.height, image.width)
        if same:
            out = [-(-extent // step) for extent, step in zip(extents, strides, strict=True)]
            missing = [
                max(0, (count - 1) * step + size - extent)
                for count, step, size, extent in zip(out, strides, kernel, extents, strict=True)
            ]
        else:
            out = [(extent - size) // step + 1 for extent, step, size in zip(extents, strides, kernel, strict=True)]
            missing = [0, 0]
        read = Read(name, kernel, strides, (missing[0] // 2, missing[1] // 2))
        result = Image(out[0], out[1], channels or image.channels, image.bits)
        macs = prod(result[:3]) * prod(kernel) * (image.channels if channels else 1)
        return self.add(Kind.CONTRACTION if channels else Kind.CHANNELWISE, [read], result, macs)

    def pool(self, kernel: tuple[int, int]) -> str:
        """Add a pool of adjacent windows, and return the result's name."""
        name = self.window(kernel, kernel, same=False)
        self.nodes[-1] = self.nodes[-1]._replace(macs=0)
        return name

    def sum(self, a: str, b: str) -> str:
        return self.add(Kind.ELEMENTWISE, [Read(a), Read(b)], self.tensors[a])

    def mean(self) -> str:
        """Add the mean of all pixels, and return the result's name."""
        image = self.tensors[self.last]
        result = Image(1, 1, image.channels, image.bits)
        return self.add(Kind.CHANNELWISE, [Read(self.last, image[:2], sums=True)], result)

    def bottleneck(self, wide: int, channels: int, stride: int = 1, kernel: int = 3) -> str:
        """Add an inverted residual (Sandler et al. 2018, figure 4), and return the result's name.

        It consists of an expansion, a depthwise convolution, a projection, and the sum with the operand if shapes are
        equal.

        wide: the number of channels after the expansion.
        channels: the channels of the result.
        """
        operand = self.last
        if wide != self.tensors[operand].channels:
            self.window((1, 1), channels=wide)
        self.window((kernel, kernel), (stride, stride))
        result = self.window((1, 1), channels=channels)
        return self.sum(operand, result) if self.tensors[operand] == self.tensors[result] else result

    def dense(self, channels: int) -> str:
        image = self.tensors[self.last]
        read = Read(self.last, image[:2], sums=image.pixels > 1)
        return self.add(Kind.CONTRACTION, [read], Image(1, 1, channels, image.bits), prod(image[:3]) * channels)


def inverted_residual(resolution: int, channels: int, wide: int) -> Graph:
    """The graph of a single inverted residual block.

    wide: the number of channels after the expansion.
    """
    net = GraphBuilder(resolution, resolution, channels)
    net.bottleneck(wide, channels)
    return net.graph()


def mobilenet_v2(resolution: int, classes: int = 1000, halved_early: bool = False, half: bool = False) -> Graph:
    """The graph of MobileNet-v2 (Sandler et al. 2018).

    halved_early: PEX's modification, which moves the strides of the second block to the first one.
    half: True for width 0.5, with channels rounded to multiples of 8 (such as 12 to 16), except the last 1,280; False
        for width 1.
    """

    def width(channels: int) -> int:
        return max(8, (channels // 2 + 4) // 8 * 8) if half else channels

    net = GraphBuilder(resolution, resolution, 3)
    net.window((3, 3), (2, 2), width(32))
    net.window((3, 3))
    net.window((1, 1), (2, 2) if halved_early else (1, 1), width(16))
    for channels, repeats, stride in (
        (24, 2, 1 if halved_early else 2),
        (32, 3, 2),
        (64, 4, 2),
        (96, 3, 1),
        (160, 3, 2),
        (320, 1, 1),
    ):
        for i in range(repeats):
            net.bottleneck(6 * net.tensors[net.last].channels, width(channels), 1 if i else stride)
    net.window((1, 1), channels=1280)
    net.mean()
    net.dense(classes)
    return net.graph()


def efficientnet_b0(resolution: int) -> Graph:
    """The graph of EfficientNet-B0 (Tan and Le 2019), with squeeze and excitation."""
    net = GraphBuilder(resolution, resolution, 3)
    net.window((3, 3), (2, 2), 32)
    before = 32
    for expansion, channels, repeats, stride, size in (
        (1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ):  # fmt: skip
        for i in range(repeats):
            operand = net.last
            if expansion > 1:
                net.window((1, 1), channels=expansion * before)
            wide = net.window((size, size), (1, 1) if i else (stride, stride))
            net.mean()
            net.dense(max(1, before // 4))
            net.sum(wide, net.dense(net.tensors[wide].channels))
            net.window((1, 1), channels=channels)
            if i:
                net.sum(operand, net.last)
            before = channels
    net.window((1, 1), channels=1280)
    net.mean()
    net.dense(1000)
    return net.graph()


def mobilenet_v3_small(resolution: int, excited: bool = True) -> Graph:
    """The graph of MobileNet-v3-small (Howard et al. 2019, table 2).

    excited: True for squeeze and excitation in the rows that the table marks with SE.
    """
    net = GraphBuilder(resolution, resolution, 3)
    net.window((3, 3), (2, 2), 16)
    before = 16

    def squeeze_and_excite() -> None:
        wide = net.last
        channels = net.tensors[wide].channels
        net.mean()
        net.dense(channels // 4)
        net.sum(wide, net.dense(channels))

    for size, wide, channels, excites, stride in (
        (3, 16, 16, True, 2), (3, 72, 24, False, 2), (3, 88, 24, False, 1), (5, 96, 40, True, 2), (5, 240, 40, True, 1),
        (5, 240, 40, True, 1), (5, 120, 48, True, 1), (5, 144, 48, True, 1), (5, 288, 96, True, 2),
        (5, 576, 96, True, 1), (5, 576, 96, True, 1),
    ):  # fmt: skip
        operand = net.last
        if wide != before:
            net.window((1, 1), channels=wide)
        net.window((size, size), (stride, stride))
        if excited and excites:
            squeeze_and_excite()
        net.window((1, 1), channels=channels)
        if stride == 1 and channels == before:
            net.sum(operand, net.last)
        before = channels
    net.window((1, 1), channels=576)
    if excited:
        squeeze_and_excite()
    net.mean()
    net.dense(1024)
    net.dense(1000)
    return net.graph()


def mobilenet_v1(channels: int, classes: int) -> Graph:
    """The graph of MobileNet-v1 of width 1/4: MLPerf Tiny's visual wake words (3 channels) and TFLM's person detection
    (1 channel).
    """
    net = GraphBuilder(96, 96, channels)
    net.window((3, 3), (2, 2), 8)
    for result, stride in [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)]:
        net.window((3, 3), (stride, stride))
        net.window((1, 1), channels=result)
    net.mean()
    net.dense(classes)
    return net.graph()


def resnet8() -> Graph:
    """The graph of MLPerf Tiny's network for image classification."""
    net = GraphBuilder(32, 32, 3)
    operand = net.window((3, 3), channels=16)
    net.window((3, 3), channels=16)
    net.window((3, 3), channels=16)
    net.sum(operand, net.last)
    for channels in (32, 64):
        operand = net.last
        net.window((3, 3), (2, 2), channels)
        branch = net.window((3, 3), channels=channels)
        shortcut = net.window((1, 1), (2, 2), channels, operand=operand)
        net.sum(shortcut, branch)
    net.mean()
    net.dense(10)
    return net.graph()


def ds_cnn(channels: Sequence[int] = (64,) * 5, strides: tuple[int, int] = (2, 2), first: int = 1) -> Graph:
    """The graph of a DS-CNN for keywords (Zhang et al. 2017), by default MLPerf Tiny's.

    channels: those of a convolution of 10 x 4 pixels with `strides`, and of the following pairs of a depthwise and a
        pointwise convolution.
    first: the stride of the first depthwise convolution.
    """
    net = GraphBuilder(*KEYWORDS)
    net.window((10, 4), strides, channels[0])
    for i, pointwise in enumerate(channels[1:]):
        stride = 1 if i else first
        net.window((3, 3), (stride, stride))
        net.window((1, 1), channels=pointwise)
    net.mean()
    net.dense(12)
    return net.graph()


DS_CNN_L = ds_cnn((276,) * 6, (2, 1), 2)
DS_CNN_M = ds_cnn((172,) * 5, (2, 1), 2)


def res_keywords(blocks: int, pool: bool) -> Graph:
    """The graph of RES-8 or RES-15 (Tang and Lin 2018).

    blocks: the number of residual blocks.
    pool: True for a pool before the blocks, as in RES-8; False for a convolution after them.
    """
    net = GraphBuilder(*KEYWORDS)
    net.window((3, 3), channels=45)
    if pool:
        net.pool((4, 3))
    for _ in range(blocks):
        operand = net.last
        net.window((3, 3), channels=45)
        net.window((3, 3), channels=45)
        net.sum(operand, net.last)
    if not pool:
        net.window((3, 3), channels=45)
    net.mean()
    net.dense(12)
    return net.graph()


def gural_murmann(size: int, bits: int) -> Graph:
    """The graph of Gural and Murmann's network for digits of 14 x 14 pixels. With a size of 28, a pool first reduces 28
    x 28 pixels to 14 x 14.
    """
    net = GraphBuilder(size, size, 1, bits)
    if size == 28:
        net.pool((2, 2))
    for channels in (5, 8, 11):
        net.window((3, 3), channels=channels, same=False)
    net.pool((2, 2))
    net.dense(10)
    return net.graph()


def lenet() -> Graph:
    """The graph of a small LeNet for digits."""
    net = GraphBuilder(28, 28, 1)
    for channels in (6, 12):
        net.window((5, 5), channels=channels, same=False)
        net.pool((2, 2))
    net.dense(10)
    return net.graph()


def etinynet(quarters: int) -> Graph:
    """The graph of EtinyNet (Xu et al. 2022) for 224 x 224 pixels.

    quarters: the number of quarters of the published channels.

    A linear block is a depthwise, a pointwise and a depthwise convolution. In a dense block, the result of the
    pointwise convolution is added to the block's result. If shapes are equal, the operand is added to the pointwise
    result.
    """

    def width(channels: int) -> int:
        return channels * quarters // 4

    net = GraphBuilder(224, 224, 3)
    net.window((3, 3), (2, 2), width(32))
    net.pool((2, 2))
    linear = [(32, 1)] * 4 + [(128, 2)] + [(128, 1)] * 3
    dense = [(192, 2), (192, 1), (192, 1), (256, 2), (256, 1), (512, 1)]
    for number, (channels, stride) in enumerate(linear + dense):
        operand = net.last
        net.window((3, 3), (stride, stride))
        pointwise = net.window((1, 1), channels=width(channels))
        if number >= len(linear) and net.tensors[operand] == net.tensors[pointwise]:
            pointwise = net.sum(operand, pointwise)
        last = net.window((3, 3))
        if number >= len(linear):
            net.sum(pointwise, last)
    net.mean()
    net.dense(1000)
    return net.graph()


def squeezenet(version: str, bits: int = 8) -> Graph:
    """The graph of SqueezeNet 1.0 or 1.1 (Iandola et al. 2016) for ImageNet's 224 x 224 pixels.

    The two expansions of a fire module write to one tensor and are one op here, with the windows of the greater one.
    """
    kernel, channels, pooled_before = {"1.0": (7, 96, (0, 3, 7)), "1.1": (3, 64, (0, 2, 4))}[version]
    net = GraphBuilder(224, 224, 3, bits)
    net.window((kernel, kernel), (2, 2), channels, same=False)
    for fire, (squeezed, expanded) in enumerate(
        zip((16, 16, 32, 32, 48, 48, 64, 64), (64, 64, 128, 128, 192, 192, 256, 256), strict=True)
    ):
        if fire in pooled_before:
            net.window((3, 3), (2, 2), same=False)
        net.window((1, 1), channels=squeezed)
        net.window((3, 3), channels=2 * expanded)
    net.window((1, 1), channels=1000)
    net.mean()
    return net.graph()
