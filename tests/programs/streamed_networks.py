"""Small networks on images at L1 for streaming, and the results of programs that stream."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hypothesis import strategies as st
from interpreters.streams import evaluate_stream
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from programs.network_writer import NetworkWriter
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import Outputs
from tinyml.transforms.formats.receive_input import ReceiveInputPass
from tinyml.transforms.formats.stream_over_time import StreamOverTimePass


@st.composite
def networks(draw: st.DrawFn) -> str:
    """Random programs of chains of windows with strides and padding, joins of branches, pools, and possibly an
    average.
    """
    seed = draw(st.integers(0, 1 << 30))
    size = st.sampled_from([1, 4, 5, 6, 7, 8])
    net = NetworkWriter((1, draw(size), draw(size), draw(st.integers(1, 3))), seed)
    image = net.input

    def extents(value: SSAValue) -> Sequence[int]:
        return tdsl.shape_of(value)[1:3]

    def window(value: SSAValue, strides: tuple[int, int]) -> SSAValue:
        high, wide = (draw(st.sampled_from([k for k in (1, 2, 3) if k <= extent])) for extent in extents(value))
        top, bottom, left, right = (draw(st.integers(0, k - 1)) for k in (high, high, wide, wide))
        channels = draw(st.one_of(st.none(), st.integers(1, 4)))
        return net.convolution(value, channels, (high, wide), strides, (top, bottom, left, right))

    def same(value: SSAValue, channels: int) -> SSAValue:
        return net.convolution(value, channels, 3, padding=1)

    for _ in range(draw(st.integers(1, 3))):
        image = window(image, draw(st.sampled_from([(1, 1), (1, 1), (2, 2), (1, 2)])))
        kind = draw(st.sampled_from(["chain", "identity", "shortcut", "concat", "max", "average"]))
        channels = tdsl.shape_of(image)[3]
        if kind in ("identity", "shortcut"):
            strides = 2 if kind == "shortcut" and draw(st.booleans()) else 1
            branch = same(net.convolution(image, channels, 3, strides=strides, padding=1), channels)
            other = net.convolution(image, channels, strides=strides) if kind == "shortcut" else image
            operands = draw(st.permutations([branch, other]))
            image = net.add(operands[0], operands[1])
        elif kind == "concat":
            parts = [image, net.convolution(image, channels + 1, 3, padding=1)]
            image = net.insert(tdsl.ConcatOp(parts, 3))
        elif kind in ("max", "average") and min(extents(image)) > 1:
            step = draw(st.integers(1, 2))
            margins = (1, 0, 0, 1) if kind == "max" and draw(st.booleans()) else 0
            pool = tdsl.MaxPoolOp if kind == "max" else tdsl.AveragePoolOp
            image = net.pool(image, strides=step, padding=margins, kind=pool)
    results = [image]
    if prod(extents(image)) > 1 and draw(st.booleans()):
        results = [net.mean(image)]
    if draw(st.booleans()):
        results.append(net.insert(tdsl.NegOp(image)))
    return str(net.module(*results))


def residual_network() -> ModuleOp:
    """A network whose images shrink, with a join of two branches, one of which contains another shortcut, and an
    average.
    """
    net = NetworkWriter((1, 12, 12, 3), 7)
    image = net.convolution(net.input, 6, 3, padding=1)
    image = net.add(image, net.convolution(image, 6, 3, padding=1))
    branch = net.convolution(image, 8, 3, strides=2, padding=(0, 1, 0, 1))
    branch = net.convolution(branch, None, 3, padding=1)
    shortcut = net.convolution(image, 8, strides=2)
    image = net.add(shortcut, branch)
    image = net.pool(image, 3, strides=1, padding=1)
    return net.module(net.mean(image))


def residual_block(height: int, width: int, channels: int) -> ModuleOp:
    """A residual block of two 3x3 convolutions, after a pointwise convolution of the input."""
    net = NetworkWriter((1, height, width, channels), 5)
    image = net.convolution(net.input, channels)
    inner = net.convolution(image, channels, 3, padding=1)
    return net.module(net.add(image, net.convolution(inner, channels, 3, padding=1)))


def inverted_bottlenecks() -> ModuleOp:
    """A network with wide images between narrow ones, a residual sum, and a dense layer."""
    net = NetworkWriter((1, 8, 8, 3), 7)
    image = net.convolution(net.input, 4, 3, strides=2, padding=(0, 1, 0, 1))
    for stride in (1, 2):
        wide = net.convolution(image, 24)
        wide = net.convolution(wide, None, 3, strides=stride, padding=1)
        narrow = net.convolution(wide, 4)
        image = net.add(image, narrow) if stride == 1 else narrow
    wide = net.convolution(image, 32, 2, padding=(0, 1, 0, 1))
    return net.module(net.dense(net.mean(wide), 3))


def answers(whole: ModuleOp, stride: int, raws: NDArray[Any]) -> list[Outputs]:
    """The results of the program `whole` after it is converted to streaming, for raws of sequences (samples, elements):
    one result after every `stride` frames.
    """
    step = whole.clone()
    for each in (ReceiveInputPass("push", stride), StreamOverTimePass()):
        each.apply(context(), step)
    step.verify()
    return evaluate_stream(step, raws)
