"""Graphs of networks found by architecture searches, MCUNet and MicroNets, with the published shapes."""

from __future__ import annotations

from typing import NamedTuple

from programs.graphs import GraphBuilder, ds_cnn
from tinyml.transforms.schedules.plans.graph import Graph, Kind, Read


class MCUNet(NamedTuple):
    """The published configuration of a network (Lin et al. 2020).

    resolution: the height and the width of the image.
    first: the channels of the first convolution.
    classes: the number of classes.
    blocks: expansion, channels, stride and kernel of each block.
    """

    resolution: int
    first: int
    classes: int
    blocks: tuple[tuple[int, int, int, int], ...]

    def graph(self) -> Graph:
        net = GraphBuilder(self.resolution, self.resolution, 3)
        net.window((3, 3), (2, 2), self.first)
        for expansion, channels, stride, kernel in self.blocks:
            net.bottleneck(expansion * net.tensors[net.last].channels, channels, stride, kernel)
        net.mean()
        net.dense(self.classes)
        return net.graph()


MCUNETS = {
    "S": MCUNet(
        160, 16, 1000,
        (
            (1, 8, 1, 3), (3, 16, 2, 5), (6, 16, 1, 7), (5, 16, 1, 3), (5, 16, 1, 5), (5, 24, 2, 3), (6, 24, 1, 7),
            (6, 24, 1, 5), (4, 40, 2, 7), (5, 40, 1, 5), (5, 48, 1, 3), (5, 48, 1, 5), (4, 48, 1, 3), (6, 96, 2, 5),
            (4, 96, 1, 5), (3, 96, 1, 5), (4, 96, 1, 3), (5, 160, 1, 5),
        ),
    ),
    "M": MCUNet(
        176, 16, 1000,
        (
            (1, 8, 1, 3), (3, 16, 2, 7), (5, 16, 1, 3), (5, 16, 1, 7), (4, 16, 1, 5), (5, 24, 2, 5), (5, 24, 1, 5),
            (5, 24, 1, 5), (5, 40, 2, 3), (6, 40, 1, 7), (4, 40, 1, 5), (5, 48, 1, 5), (5, 48, 1, 7), (5, 48, 1, 3),
            (6, 96, 2, 3), (5, 96, 1, 7), (4, 96, 1, 3), (5, 160, 1, 7),
        ),
    ),
    "L": MCUNet(
        160, 32, 1000,
        (
            (1, 16, 1, 3), (3, 24, 2, 7), (5, 24, 1, 3), (4, 24, 1, 5), (5, 40, 2, 7), (4, 40, 1, 3), (4, 40, 1, 7),
            (3, 80, 2, 7), (3, 80, 1, 3), (3, 80, 1, 7), (4, 96, 1, 3), (3, 96, 1, 5), (3, 96, 1, 5), (4, 192, 2, 7),
            (3, 192, 1, 7), (3, 192, 1, 5), (4, 320, 1, 5),
        ),
    ),
    "10FPS": MCUNet(
        64, 16, 2,
        (
            (1, 8, 1, 3), (6, 16, 2, 5), (4, 16, 1, 3), (5, 24, 2, 3), (4, 24, 1, 3), (4, 24, 1, 3), (5, 40, 2, 3),
            (4, 40, 1, 3), (3, 40, 1, 7), (3, 48, 1, 3), (4, 48, 1, 3), (5, 96, 2, 7), (5, 96, 1, 5), (4, 160, 1, 7),
        ),
    ),
    "r144": MCUNet(
        144, 16, 2,
        (
            (1, 8, 1, 3), (3, 16, 2, 3), (5, 16, 1, 3), (6, 16, 1, 5), (3, 16, 1, 3), (5, 24, 2, 7), (4, 24, 1, 5),
            (4, 24, 1, 3), (6, 24, 1, 7), (6, 40, 2, 3), (6, 40, 1, 7), (4, 40, 1, 5), (5, 40, 1, 3), (5, 48, 1, 5),
            (3, 48, 1, 5), (4, 48, 1, 3), (3, 48, 1, 5), (4, 96, 2, 3), (5, 96, 1, 5), (4, 96, 1, 5), (4, 96, 1, 3),
            (5, 160, 1, 3),
        ),
    ),
}  # fmt: skip
"""For ImageNet (256 KB, 320 KB and 512 KB of SRAM), and for visual wake words (10 images a second, and 320 KB)."""

MICRONETS = {
    "L": ds_cnn((276, 248, 276, 276, 248, 248, 248, 248), (1, 1), 2),
    "M": ds_cnn((140, 140, 140, 140, 112, 196), (1, 1), 2),
    "S": ds_cnn((84, 112, 84, 84, 84, 196), (1, 1), 2),
    "L-Base": ds_cnn((276,) * 8, (1, 1), 2),
}
"""For keywords (Banbury et al. 2020). L-Base: the network that L was found in, with all of its channels (PEX, 4.2)."""


def micronet_vww_2() -> Graph:
    """The graph of MicroNet-VWW-2 for visual wake words on 50 x 50 grey pixels (Banbury et al. 2020).

    The operand of a block is added to its result; the narrower of the two is extended by channels of zeros.
    """
    net = GraphBuilder(50, 50, 1)
    net.window((3, 3), (2, 2), 12)
    for wide, channels, stride, added in (
        (4, 8, 1, False), (28, 24, 2, False), (28, 20, 1, True), (128, 28, 2, False), (152, 16, 1, True),
        (152, 28, 1, True), (152, 24, 2, False), (112, 24, 1, True), (112, 12, 1, True), (76, 32, 1, True),
        (76, 16, 1, False), (56, 28, 1, True), (56, 28, 1, True), (56, 16, 2, False), (96, 16, 1, True),
        (96, 16, 1, True), (96, 32, 1, False),
    ):  # fmt: skip
        operand = net.last
        net.window((1, 1), channels=wide)
        net.window((3, 3), (stride, stride))
        result = net.window((1, 1), channels=channels)
        if added:
            most = max(net.tensors[name].channels for name in (operand, result))
            net.sum(*(_widened(net, name, most) for name in (operand, result)))
    net.window((1, 1), channels=128)
    net.mean()
    net.dense(2)
    return net.graph()


def _widened(net: GraphBuilder, name: str, channels: int) -> str:
    image = net.tensors[name]
    if image.channels == channels:
        return name
    return net.add(Kind.CHANNELWISE, [Read(name)], image._replace(channels=channels))
