"""Random networks with branches and joins for loops over channels, and checks of their bits and memory."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from interpreters import memory
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import SSAValue
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from programs.sliced_networks import arena, buffers_of, inputs_of, refined
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate, predict_function
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.reports.memory_report import occupied
from tinyml.transforms.buffers.liveness.live_ranges import memory_map, program_points
from tinyml.transforms.formats.plan_execution import PlanExecutionPass
from tinyml.transforms.loops.fuse_loops import FuseLoopsPass
from tinyml.transforms.schedules.channels import ByChannel
from tinyml.transforms.schedules.plans.channel_rules import alive, consecutive
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.segments import Segment
from tinyml.transforms.schedules.table import schedule_named

MODES = "partial-32", "partial-16", "partial-8"


@st.composite
def channel_graphs(draw: st.DrawFn) -> ModuleOp:
    """Random programs of convolutions, pools and sums with branches and joins. All images have the same height and
    width; wide images have equal numbers of channels, and narrow ones have two.
    """
    net = NetworkWriter((1, draw(st.integers(3, 6)), draw(st.integers(3, 6)), 2), draw(st.integers(0, 99)))
    wide = draw(st.sampled_from([6, 8]))
    images = [net.input]

    def window(image: SSAValue, channels: int | None) -> SSAValue:
        size = draw(st.sampled_from([1, 1, 3]))
        margin = size // 2
        return net.convolution(image, channels, size, padding=margin)

    for _ in range(draw(st.integers(3, 7))):
        alike = [image for image in images if tdsl.shape_of(image)[3] == wide]
        kind = draw(st.sampled_from(["wide", "wide", "narrow", "depthwise", "add", "add", "max"]))
        image = draw(st.sampled_from(alike or images))
        if kind == "wide" or (kind != "narrow" and not alike):
            image = window(draw(st.sampled_from(images)), wide)
        elif kind == "narrow":
            image = window(image, 2)
        elif kind == "depthwise":
            image = window(image, None)
        elif kind == "max":
            image = net.pool(image, 3, strides=1, padding=1)
        else:
            image = net.add(image, draw(st.sampled_from(alike)))
        images.append(image)
    results = [image for image in images[1:] if not image.uses]
    if len(results) > 1 and draw(st.booleans()):
        narrow = [image if tdsl.shape_of(image)[3] == 2 else window(image, 2) for image in results]
        results = [narrow[0]]
        for image in narrow[1:]:
            results.append(net.add(results.pop(), image))
    return net.module(*results)


def inside(network: Network, segment: Segment) -> int:
    """The bits of memory that a plan adds for slices and windows in a loop over channels."""
    tiling = segment.tiling
    assert isinstance(tiling, ByChannel)
    loop = consecutive(network.graph, segment.first, segment.last)
    return segment.bits - alive(network.graph, range(segment.first)) - loop.whole_bits(tiling.sums)


def bytes_in_loops(function: FuncOp) -> int:
    """The greatest number of bytes that buffers which are live only inside a loop over channels occupy at the same
    time.

    A loop over channels is recognised by its nested loops over rows and pixels.
    """
    boxes, number = memory_map(function), {op: i for i, op in enumerate(program_points(function))}
    most = 0
    for loop in function.body.block.ops:
        inner = [op for op in loop.walk() if isinstance(op, ForOp) and op is not loop]
        if any(isinstance(op.parent_op(), ForOp) and op.parent_op() is not loop for op in inner):
            points = [number[op] for op in loop.walk() if op in number]
            own = [box for box in boxes if min(points) < box.first and box.last <= max(points)]
            most = max([most, *(occupied(own, point) for point in points)])
    return most


def check_graph(module: ModuleOp, mode: str, more: int = 0) -> None:
    """Assert that a program returns the same bits as its plan executed on tensors.

    The arena must be no larger than the plan states if the program computes all segments channel by channel. All
    accesses must be within the arena, and every byte of it must be used, at least before loops are fused. Slices must
    fit the memory that the plan adds for them.

    mode: the name of the schedule.
    more: bytes beyond the least peak that the plan may use to compute several channels at a time.
    """
    # Later passes compute equal images once, which then live longer than those that the plan knows.
    CommonSubexpressionElimination().apply(Context(), module)
    module = refined(module)
    network = network_of(predict_function(module))
    ram = -(-schedule_named(mode).program_plan(network).bits // 8) + more
    plan = schedule_named(mode).program_plan(network, ram)
    assert plan.bits <= 8 * ram
    planned = module.clone()
    PlanExecutionPass(mode, ram).apply(Context(), planned)
    planned.verify()
    x = inputs_of(module, 2)
    expected = evaluate(planned, x)
    if mode == "partial-32":
        assert first_mismatch(evaluate(module, x), expected) is None
    buffers = buffers_of(module, mode, ram=ram)
    function = next(op for op in buffers.ops if isinstance(op, FuncOp))
    claim = arena(buffers)
    if all(isinstance(segment.tiling, ByChannel) for segment in plan.segments):
        assert claim <= plan.bits // 8
    ordered = network.in_order(plan.order)
    claims = (inside(ordered, segment) for segment in plan.segments if isinstance(segment.tiling, ByChannel))
    assert bytes_in_loops(function) <= max(claims, default=0) // 8
    steps = [step for name in ("buffers-to-loops", "loops-to-bits") for step in pipelines.flatten(name, {})]
    unfused = buffers.clone()
    bits = lowered(buffers, start="buffers-to-loops", end="loops-to-bits")
    results, used = memory.run_in_arena(bits, x[0])
    got = [np.asarray(result).reshape(1, -1) for result in results]
    assert first_mismatch(evaluate(planned, x[:1]), Outputs(None, got[0], tuple(got[1:]))) is None
    assert len(used) == claim
    if not used.all():
        # Fused loops keep elements in registers: by the loops of the plan itself no byte is to spare.
        pipelines.run(unfused, context(), [step for step in steps if not isinstance(step, FuseLoopsPass)])
        _, used = memory.run_in_arena(unfused, x[0])
    assert used.all(), np.flatnonzero(~used)
