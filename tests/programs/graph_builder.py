"""Graphs of networks, built op by op."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read


class GraphBuilder:
    """Builds a graph op by op; the last tensor is the operand unless others are named."""

    def __init__(self, height: int, width: int, channels: int, bits: int = 8) -> None:
        self.tensors = {"input": Image(height, width, channels, bits)}
        self.nodes: list[Node] = []
        self.last = "input"

    def graph(self) -> Graph:
        return Graph(self.tensors, ("input",), tuple(self.nodes), (self.last,))

    def add(self, kind: Kind, reads: Sequence[Read], image: Image, macs: int = 0) -> str:
        """Adds an op whose result is an image, and returns the result's name."""
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
        """A convolution to so many channels, or else a depthwise one.

        same: padding as in TensorFlow, half of it, rounded down, above and on the left; otherwise there is none.
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
        """The pool of windows side by side."""
        name = self.window(kernel, kernel, same=False)
        self.nodes[-1] = self.nodes[-1]._replace(macs=0)
        return name

    def sum(self, a: str, b: str) -> str:
        return self.add(Kind.ELEMENTWISE, [Read(a), Read(b)], self.tensors[a])

    def mean(self) -> str:
        """The mean of all pixels."""
        image = self.tensors[self.last]
        result = Image(1, 1, image.channels, image.bits)
        return self.add(Kind.CHANNELWISE, [Read(self.last, image[:2], sums=True)], result)

    def dense(self, channels: int) -> str:
        image = self.tensors[self.last]
        read = Read(self.last, image[:2], sums=image.pixels > 1)
        return self.add(Kind.CONTRACTION, [read], Image(1, 1, channels, image.bits), prod(image[:3]) * channels)
