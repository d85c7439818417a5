"""Plans of random networks: the plan of `auto` needs no more memory than that of any exact mode, and every tensor that
is read later is live.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs.graphs import GraphBuilder

from tinyml.dialects.tdsl.convolution import herringbone, single_transpose
from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.plans.pixel_orders import alive, order_of
from tinyml.transforms.schedules.segments import Plan
from tinyml.transforms.schedules.table import schedule_named, schedules

FEW = st.integers(1, 3)

EXACT = [schedule.name for schedule in schedules() if not schedule.rounds and schedule.name != "auto"]


def plan(graph: Graph, mode: str, most_extra: int | None = None) -> Plan:
    return schedule_named(mode).plan(graph, most_extra)


@st.composite
def networks(draw: st.DrawFn, layers: int = 3) -> Graph:
    """Random graphs of up to `layers` layers: convolutions, depthwise convolutions and pools with kernels of any shape,
    and residual sums.
    """
    extent, channels = st.integers(3, 12), st.integers(1, 6)
    builder = GraphBuilder(draw(extent), draw(extent), draw(channels))
    for _ in range(draw(st.integers(1, layers))):
        image = builder.tensors[before := builder.last]
        kernel = draw(st.integers(1, min(7, image.height))), draw(st.integers(1, min(7, image.width)))
        strides = draw(FEW), draw(FEW)
        match draw(st.sampled_from(["convolution", "depthwise", "pool", "residual"])):
            case "convolution":
                builder.window(kernel, strides, channels=draw(channels), same=draw(st.booleans()))
            case "depthwise":
                builder.window(kernel, strides, same=draw(st.booleans()))
            case "pool":
                builder.pool(kernel)
            case _:
                builder.sum(before, builder.window(kernel, channels=image.channels))
    return builder.graph()


@pytest.mark.long
@given(networks(), st.sampled_from([0, 30, 300]))
@settings(max_examples=40)
def test_auto_takes_at_most_what_any_exact_mode_does(graph: Graph, extra: int):
    most_extra = graph.macs * extra // 100
    peaks = {mode: plan(graph, mode, most_extra).bits for mode in EXACT}
    assert plan(graph, "auto", most_extra).bits <= min(peaks.values()), peaks


def tall_kernel() -> Graph:
    builder = GraphBuilder(20, 20, 4)
    builder.window((7, 1), channels=8, same=False)
    return builder.graph()


def test_in_place_is_among_them():
    """For a convolution from 20x20x4 to 14x20x8, `auto` chooses the order of `single-transpose`, which runs in place
    and needs 2,268 bytes. Streaming by pixels needs 2,724 bytes, and herringbone, which is proved optimal only for
    square kernels, 2,292.
    """
    modes = {
        mode: plan(tall_kernel(), mode).bits // 8 for mode in ("pixels", "herringbone", "single-transpose", "auto")
    }
    assert modes == {"pixels": 2_724, "herringbone": 2_292, "single-transpose": 2_268, "auto": 2_268}


def test_modes_are_mixed():
    builder = GraphBuilder(12, 12, 4)
    builder.window((5, 1), channels=8, same=False)
    builder.sum(builder.last, builder.window((1, 3), channels=8))
    graph = builder.graph()
    chosen = plan(graph, "auto", 0)
    assert [segment.schedule for segment in chosen.segments] == ["single-transpose", "streamed by pixels"]
    assert (chosen.bits // 8, min(plan(graph, mode, 0).bits for mode in EXACT) // 8) == (788, 964)


@pytest.mark.parametrize("same", [True, False])
@given(data=st.data())
@settings(max_examples=30)
def test_what_is_alive_in_an_order(same: bool, data: st.DataObject):
    """The peak of an order in place counts all pixels of the operand that later windows read, and all computed pixels
    of the result. The test counts them one by one.
    """
    extent = st.integers(3, 8)
    builder = GraphBuilder(data.draw(extent), data.draw(extent), data.draw(FEW))
    builder.window(
        (data.draw(FEW), data.draw(FEW)), (data.draw(FEW), data.draw(FEW)), data.draw(st.integers(1, 9)), same
    )
    graph = builder.graph()
    operand, result = graph.tensors.values()
    [read] = graph.nodes[0].reads

    def window(y: int, x: int) -> set[tuple[int, int]]:
        corner = [at * step - before for at, step, before in zip((y, x), read.strides, read.before, strict=True)]
        return {(corner[0] + i, corner[1] + j) for i in range(read.kernel[0]) for j in range(read.kernel[1])}

    shape = result[:2]
    last = data.draw(st.integers(0, result.height))
    for turns in ([shape[0]], herringbone(shape), herringbone(shape, False), single_transpose(shape, last)):
        order = order_of(turns, *shape)
        pixels = sorted(((y, x) for y in range(shape[0]) for x in range(shape[1])), key=lambda pixel: order[pixel])
        image = {(y, x) for y in range(operand.height) for x in range(operand.width)}
        peak, later = result.size, image
        for done in range(1, len(pixels) + 1):
            held = later if done > 1 else image
            peak = max(peak, 8 * (len(held) * operand.channels + done * result.channels))
            later = image & set().union(*(window(*other) for other in pixels[done:]))
        assert alive(graph, 0, order) == peak
