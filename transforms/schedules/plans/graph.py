"""Networks as graphs of images, with the windows of the images that ops read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from tinyml.dialects.tdsl.window_axis import WindowAxis


class Order(Enum):
    """The order of an image's elements in memory, named after the unit that is contiguous, such as a pixel or a
    channel.
    """

    PIXELS = "pixels"
    ROWS = "rows, each channel by channel"
    PLANES = "planes, a channel each"


class Image(NamedTuple):
    """A tensor of height x width x channels. A vector is an image of one pixel.

    bits: the width of an element in memory.
    order: the order of the elements in memory.
    """

    height: int
    width: int
    channels: int
    bits: int = 8
    order: Order = Order.PIXELS

    @property
    def pixels(self) -> int:
        return self.height * self.width

    @property
    def size(self) -> int:
        """The size of the whole tensor in bits."""
        return self.pixels * self.channels * self.bits


class Kind(Enum):
    """The dependence of an op's result on the channels of its operands."""

    CONTRACTION = "each output channel from all input channels"
    CHANNELWISE = "each output channel from one input channel"
    ELEMENTWISE = "each element from one element of each operand"
    ARRIVAL = "each element from outside, which sends all of them in raster order"


class Read(NamedTuple):
    """The window of an operand that pixel (y, x) of a result needs. It starts at (y, x) * strides - before.

    tensor: the name of the operand.
    kernel: the height and width of the window.
    sums: whether all pixels of the operand are added up one after the other, so that the result is a single pixel.
    alike: whether an element of the operand is only read to compute the same element of the result, before this
        element is stored.
    """

    tensor: str
    kernel: tuple[int, int] = (1, 1)
    strides: tuple[int, int] = (1, 1)
    before: tuple[int, int] = (0, 0)
    sums: bool = False
    alike: bool = False

    @property
    def axes(self) -> tuple[WindowAxis, WindowAxis]:
        """The windows along the height and along the width of the operand."""
        (height, width), (down, across), (top, left) = self.kernel, self.strides, self.before
        return WindowAxis(height, down, top), WindowAxis(width, across, left)


class Node(NamedTuple):
    """An op, named after its result.

    kind: the channels of the operands on which a channel of the result depends.
    reads: for each operand, the window that a pixel of the result needs.
    macs: the multiply-accumulates for all pixels together.
    """

    result: str
    kind: Kind
    reads: tuple[Read, ...]
    macs: int = 0

    @property
    def operands(self) -> list[str]:
        return list(dict.fromkeys(read.tensor for read in self.reads))


class Boundary(NamedTuple):
    """The tensors at the boundary of a segment.

    dead: operands from outside the segment that no later node reads and that the network does not return.
    kept: all other operands from outside the segment.
    outputs: results of the segment that a later node reads or that the network returns.
    internal: all other results.
    through: the bits of tensors that are live throughout the segment and that no node of the segment reads.
    """

    dead: list[str]
    kept: list[str]
    outputs: list[str]
    internal: list[str]
    through: int


@dataclass(frozen=True)
class Graph:
    """A network: tensors by name, inputs, ops in the order of execution, and results."""

    tensors: dict[str, Image]
    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    @cached_property
    def producer(self) -> dict[str, int]:
        """The index of the node that computes each tensor; -1 for inputs."""
        return {**dict.fromkeys(self.inputs, -1), **{node.result: i for i, node in enumerate(self.nodes)}}

    @cached_property
    def users(self) -> dict[str, list[int]]:
        """The indices of the nodes that read each tensor."""
        users: dict[str, list[int]] = {name: [] for name in self.tensors}
        for i, node in enumerate(self.nodes):
            for name in node.operands:
                users[name].append(i)
        return users

    @cached_property
    def last_use(self) -> dict[str, int]:
        """The index of the last node that reads each tensor. For a tensor that no node reads, it is the index of the
        node that computes it. For results of the network, it is the number of nodes.
        """
        last = {name: max(users, default=self.producer[name]) for name, users in self.users.items()}
        return last | dict.fromkeys(self.outputs, len(self.nodes))

    @property
    def macs(self) -> int:
        return sum(node.macs for node in self.nodes)

    def size(self, *names: str) -> int:
        """The total size of tensors in bits."""
        return sum(self.tensors[name].size for name in names)

    def in_order(self, order: Sequence[int]) -> Graph:
        """A copy of the graph whose nodes are in the topological order `order`, a permutation of their indices."""
        return replace(self, nodes=tuple(self.nodes[i] for i in order))

    def boundary(self, first: int, last: int) -> Boundary:
        """The tensors at the boundary of the segment of nodes `first` to `last`, both inclusive."""
        nodes = self.nodes[first : last + 1]
        touched = dict.fromkeys(name for node in nodes for name in node.operands)
        before = [name for name in touched if self.producer[name] < first]
        results = [node.result for node in nodes]
        return Boundary(
            [name for name in before if self.last_use[name] <= last],
            [name for name in before if self.last_use[name] > last],
            [name for name in results if self.last_use[name] > last],
            [name for name in results if self.last_use[name] <= last],
            self.size(*self.untouched(first, last)),
        )

    def untouched(self, first: int, last: int) -> list[str]:
        """The tensors that are live throughout nodes `first` to `last` and that none of these nodes reads."""
        touched = {name for node in self.nodes[first : last + 1] for name in node.operands}
        return [
            name
            for name in self.tensors
            if self.producer[name] < first and self.last_use[name] > last and name not in touched
        ]
