"""The named plans: which schedules a network's segments may have in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial as bind

from tinyml.transforms.formats.plans.blocks import By, streamed
from tinyml.transforms.formats.plans.graph import Graph
from tinyml.transforms.formats.plans.layer_orders import least_alive
from tinyml.transforms.formats.plans.ordinary import channel_by_channel, ordinary, updated_in_place
from tinyml.transforms.formats.plans.partial import LONGEST, partial
from tinyml.transforms.formats.plans.patches import patches
from tinyml.transforms.formats.plans.segmentation import Plan, Segment, least_peak

TILES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 28)
"""Patches along each axis that are tried."""

Candidates = Callable[[Graph], Iterator[Segment]]


def _ordinary(graph: Graph) -> Iterator[Segment]:
    for i in range(len(graph.nodes)):
        yield Segment(i, i, ordinary(graph, i), "ordinary")


def _each(name: str, cost: Callable[[Graph, int], int | None], graph: Graph) -> Iterator[Segment]:
    for i in range(len(graph.nodes)):
        if (bits := cost(graph, i)) is not None:
            yield Segment(i, i, bits, name)


def _usual(graph: Graph) -> Iterator[Segment]:
    """Ordinary execution, with elementwise ops in place."""
    yield from _ordinary(graph)
    yield from _each("in place", updated_in_place, graph)


def _partial(sum_bits: int, graph: Graph) -> Iterator[Segment]:
    yield from _usual(graph)
    for first in range(len(graph.nodes)):
        for last in range(first + 1, min(first + LONGEST, len(graph.nodes))):
            if (bits := partial(graph, first, last, sum_bits)) is not None:
                yield Segment(first, last, bits, f"partial, sums of {sum_bits} bits")


def _patches(graph: Graph) -> Iterator[Segment]:
    yield from _ordinary(graph)
    for last in range(len(graph.nodes)):
        for count in TILES:
            if (segment := patches(graph, last, count)) is not None:
                yield segment


def _streams(graph: Graph, *steps: By) -> Iterator[Segment]:
    yield from _usual(graph)
    for by in steps:
        for first, last, bits in streamed(graph, by):
            yield Segment(first, last, bits, by.schedule)


def _order(method: str, graph: Graph) -> Iterator[Segment]:
    yield from _usual(graph)
    for i, node in enumerate(graph.nodes):
        boundary = graph.boundary(i, i)
        if len(node.reads) == 1 and not node.reads[0].sums and node.operands == boundary.dead:
            yield Segment(i, i, boundary.through + least_alive(graph, i, method), method)


def _auto(graph: Graph) -> Iterator[Segment]:
    """The segments of all exact modes, and ops that overwrite their operand channel by channel."""
    yield from dict.fromkeys(segment for mode in EXACT for segment in MODES[mode](graph))
    yield from _each("channel by channel", channel_by_channel, graph)


MODES: dict[str, Candidates] = {
    "ordinary": _ordinary,
    "partial-32": bind(_partial, 32),
    "partial-16": bind(_partial, 16),
    "partial-8": bind(_partial, 8),
    "patches": _patches,
    "replace": bind(_order, "replace"),
    "herringbone": bind(_order, "herringbone"),
    "single-transpose": bind(_order, "single-transpose"),
    "rows": lambda graph: _streams(graph, By.ROWS),
    "pixels": lambda graph: _streams(graph, By.PIXELS, By.BLOCKS),
    "auto": _auto,
}
"""The segments that each mode may choose from; ordinary ones, which cover every network, are among them."""

EXACT = ("ordinary", "rows", "pixels", "partial-32", "replace", "single-transpose", "herringbone", "patches")
"""The modes that change no result, in the order in which `auto` prefers segments with as many bits and as much work.

`partial-16` and `partial-8` are not exact: they may round sums to so many bits after every channel.
"""


def plan(graph: Graph, mode: str, most_extra: int | None = None) -> Plan:
    """The plan of a mode with the least peak. most_extra: a limit on multiply-accumulates beyond the network's own."""
    chosen = least_peak(len(graph.nodes), MODES[mode](graph), most_extra)
    assert chosen is not None
    return chosen
