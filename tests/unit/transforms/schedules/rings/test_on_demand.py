"""Streamed segments, executed in memory of exactly the computed size: every slice that is read is still in memory."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from programs.graphs import GraphBuilder, ds_cnn, resnet8
from programs.spread import examples

from tinyml.transforms.schedules.plans.graph import Graph, Node
from tinyml.transforms.schedules.rings.on_demand import SUM_BITS, Slice, Streams
from tinyml.transforms.schedules.rings.pooled_blocks import blocked

Tag = tuple[str, int]
"""A slice of a tensor."""


@dataclass
class Machine:
    """An interpreter that computes slices of the segment from node `first` to node `last` when they are needed. Each
    bit of its memory contains the tag of its slice.
    """

    graph: Graph
    slice: Slice
    first: int
    last: int
    start: dict[str, int]
    """The first bit of each tensor."""
    rings: dict[str, int]
    """The slots of each tensor; of a tensor without a ring, all of them."""
    memory: list[Tag | None]

    def __post_init__(self) -> None:
        self.produced = dict.fromkeys(self.graph.tensors, 0)
        self.maker = {node.result: node for node in self.graph.nodes[self.first : self.last + 1]}

    def bits_of(self, name: str, index: int) -> slice:
        width = self.slice.bits(self.graph.tensors[name])
        at = self.start[name] + index % self.rings[name] * width
        return slice(at, at + width)

    def write(self, name: str, index: int) -> None:
        bits = self.bits_of(name, index)
        assert bits.stop <= len(self.memory)
        self.memory[bits] = [(name, index)] * (bits.stop - bits.start)
        self.produced[name] = index + 1

    def read(self, name: str, index: int) -> None:
        assert set(self.memory[self.bits_of(name, index)]) == {(name, index)}

    def produce(self, name: str, count: int) -> None:
        """Compute the first `count` slices of a tensor, if an op of the segment computes the tensor."""
        if name in self.maker:
            while self.produced[name] < count:
                self.step(self.maker[name])

    def step(self, node: Node) -> None:
        index = self.produced[node.result]
        windows = [self.window(node, number, index) for number in range(len(node.reads))]
        for read, window in zip(node.reads, windows, strict=True):
            if read.sums:
                for k in window:
                    self.produce(read.tensor, k + 1)
                    self.read(read.tensor, k)
            else:
                self.produce(read.tensor, max(window) + 1)
        for read, window in zip(node.reads, windows, strict=True):
            for k in window if not read.sums else ():
                self.read(read.tensor, k)
        self.write(node.result, index)

    def window(self, node: Node, number: int, index: int) -> list[int]:
        """The slices of an operand from which a slice of a node's result is computed.

        number: the index of the operand in `node.reads`.
        index: the index of the slice of the result.
        """
        read, operand = node.reads[number], self.graph.tensors[node.reads[number].tensor]
        if read.sums:
            return list(range(self.slice.count(operand)))
        at = divmod(index, self.graph.tensors[node.result].width) if self.slice is Slice.PIXEL else (index, 0)
        rows, columns = (
            [k for k in range(i * step - before, i * step - before + kernel) if 0 <= k < extent]
            for i, step, before, kernel, extent in zip(
                at, read.strides, read.before, read.kernel, operand[:2], strict=True
            )
        )
        return (
            [row * operand.width + column for row in rows for column in columns] if self.slice is Slice.PIXEL else rows
        )


def execute(graph: Graph, slice: Slice, first: int, last: int) -> bool:
    """Run a segment in the memory that streaming requires. Return whether the segment can be streamed."""
    streams = Streams(graph, slice)
    claimed = streams.cost(first, last)
    if claimed is None:
        return False
    boundary = graph.boundary(first, last)
    result = graph.nodes[last].result
    produced = streams.produced(first, last)
    options: list[tuple[int, str | None, int]] = [(graph.size(result, *boundary.dead), None, 0)]
    for name in boundary.dead:
        above = streams.overlap(name, first, last, produced)
        others = graph.size(*boundary.dead) - graph.size(name)
        options.append((max(above + graph.size(name), graph.size(result)) + others, name, above))
    _, overlapped, above = min(options, key=lambda option: option[0])
    start, end = {result: 0}, graph.size(result)
    if overlapped is not None:
        start[overlapped] = above
        end = max(above + graph.size(overlapped), end)
    rings = {name: slice.count(image) for name, image in graph.tensors.items()}
    for name in (*boundary.dead, *boundary.kept, *boundary.internal):
        if name not in start:
            start[name] = end
            if name in boundary.internal:
                rings[name] = streams.ring(name)
            end += rings[name] * slice.bits(graph.tensors[name])
    sums = claimed - boundary.through - end
    assert sums >= 0
    assert sums % SUM_BITS == 0
    machine = Machine(graph, slice, first, last, start, rings, [None] * end)
    for name in (*boundary.dead, *boundary.kept):
        for index in range(slice.count(graph.tensors[name])):
            machine.write(name, index)
    machine.produce(result, slice.count(graph.tensors[result]))
    for index in range(slice.count(graph.tensors[result])):
        machine.read(result, index)
    return True


@st.composite
def networks(draw: st.DrawFn) -> Graph:
    """Random graphs: chains of windows, pools and residual sums, some with a convolution in the shortcut, and possibly
    a mean and a dense layer at the end.
    """
    net = GraphBuilder(draw(st.integers(4, 9)), draw(st.integers(4, 9)), draw(st.integers(1, 3)), 1)

    def window(stride: int, channels: int | None = None, operand: str | None = None) -> str:
        sizes = [size for size in (1, 2, 3) if size <= min(net.tensors[operand or net.last][:2])]
        kernel = draw(st.sampled_from(sizes)), draw(st.sampled_from(sizes))
        return net.window(kernel, (stride, stride), channels, draw(st.booleans()), operand)

    for _ in range(draw(st.integers(1, 3))):
        channels = draw(st.integers(1, 4))
        operand = window(draw(st.sampled_from([1, 1, 2])), channels)
        if draw(st.booleans()):
            branch = operand
            for _ in range(draw(st.integers(1, 2))):
                branch = net.window((3, 3), channels=channels, operand=branch)
            if draw(st.booleans()):
                operand = net.window((1, 1), channels=channels, operand=operand)
            net.sum(*draw(st.permutations([operand, branch])))
        if min(net.tensors[net.last][:2]) >= 4 and draw(st.booleans()):
            net.pool(draw(st.sampled_from([(2, 2), (1, 2), (3, 2)])))
    if draw(st.booleans()):
        net.mean()
        net.dense(3)
    return net.graph()


@pytest.mark.long
@settings(max_examples=examples(20))
@given(networks(), st.sampled_from(Slice))
def test_segments_run_in_the_claimed_memory(graph: Graph, slice: Slice):
    """Every segment that can be streamed runs in the memory that streaming claims, in a random graph and in the same
    graph with its pools computed in blocks.
    """
    merged = blocked(graph).graph
    event("pools by blocks" if len(merged.nodes) < len(graph.nodes) else "no such pools")
    for network in (graph, merged):
        count = len(network.nodes)
        streamed = [execute(network, slice, first, last) for first in range(count) for last in range(first, count)]
        event(f"{sum(streamed)} segments")


def test_published_networks_run_in_the_claimed_memory():
    for graph in (resnet8(), ds_cnn()):
        assert execute(graph, Slice.ROW, 0, len(graph.nodes) - 3)
