"""Small networks of images at L1, to be streamed: windows, joins of branches, pools, and an average at the end; and the
answers of programs that stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.lookup import format_named
from tinyml.runtime.evaluator.evaluator import Outputs
from tinyml.runtime.evaluator.streams import evaluate_stream
from tinyml.transforms.formats.receive_input import ReceiveInputPass
from tinyml.transforms.formats.stream_over_time import StreamOverTimePass


@dataclass
class NetworkWriter:
    """Writes a network in fixed point of 8 bits, op by op; images are 1 x height x width x channels."""

    shape: tuple[int, int, int]
    random: np.random.Generator
    block: Block = field(init=False)

    def __post_init__(self) -> None:
        self.format = format_named(context(), "fixed", 8)
        self.block = Block(arg_types=[TensorType(self.format.type, (1, *self.shape))])
        self.builder = Builder(InsertPoint.at_end(self.block))

    @property
    def input(self) -> SSAValue:
        return self.block.args[0]

    def insert(self, op: tdsl.TensorOp) -> SSAValue:
        return self.builder.insert(op).out

    def constant(self, *shape: int) -> SSAValue:
        raws = self.random.integers(-90, 90, shape, np.int8)
        return self.builder.insert(tdsl.ConstOp(raws, self.format)).result

    def window(
        self,
        image: SSAValue,
        kernel: tuple[int, int],
        strides: tuple[int, int],
        padding: tuple[int, int, int, int],
        channels: int | None = None,
    ) -> SSAValue:
        """A convolution and a relu; depthwise without a number of channels. padding: top, bottom, left, right."""
        before = tdsl.shape_of(image)[3]
        top, bottom, left, right = padding
        if any(padding):
            image = self.insert(tdsl.PadOp(image, (0, top, left, 0), (0, bottom, right, 0)))
        filter = self.constant(channels or before, *kernel, before if channels else 1)
        convolution = tdsl.Conv2dOp(filter, image, strides, groups=1 if channels else before)
        return self.insert(tdsl.ReluOp(self.insert(convolution)))

    def module(self, *results: SSAValue) -> ModuleOp:
        self.builder.insert(func.ReturnOp(*results))
        types = [argument.type for argument in self.block.args], [value.type for value in results]
        return ModuleOp([func.FuncOp("network", types, Region(self.block))])


@st.composite
def networks(draw: st.DrawFn) -> str:
    """Programs: chains of windows with strides and padding, joins of branches, pools, perhaps an average."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    size = st.sampled_from([1, 4, 5, 6, 7, 8])
    net = NetworkWriter((draw(size), draw(size), draw(st.integers(1, 3))), random)
    image = net.input

    def extents(value: SSAValue) -> Sequence[int]:
        return tdsl.shape_of(value)[1:3]

    def window(value: SSAValue, strides: tuple[int, int]) -> SSAValue:
        kernel = [draw(st.sampled_from([k for k in (1, 2, 3) if k <= extent])) for extent in extents(value)]
        padding = [draw(st.integers(0, k - 1)) for k in kernel for _ in range(2)]
        channels = draw(st.one_of(st.none(), st.integers(1, 4)))
        return net.window(value, (kernel[0], kernel[1]), strides, tuple(padding), channels)  # type: ignore[arg-type]

    def same(value: SSAValue, channels: int) -> SSAValue:
        return net.window(value, (3, 3), (1, 1), (1, 1, 1, 1), channels)

    for _ in range(draw(st.integers(1, 3))):
        image = window(image, draw(st.sampled_from([(1, 1), (1, 1), (2, 2), (1, 2)])))
        kind = draw(st.sampled_from(["chain", "identity", "shortcut", "concat", "max", "average"]))
        channels = tdsl.shape_of(image)[3]
        if kind in ("identity", "shortcut"):
            strides = (2, 2) if kind == "shortcut" and draw(st.booleans()) else (1, 1)
            branch = same(net.window(image, (3, 3), strides, (1, 1, 1, 1), channels), channels)
            other = net.window(image, (1, 1), strides, (0, 0, 0, 0), channels) if kind == "shortcut" else image
            operands = draw(st.permutations([branch, other]))
            image = net.insert(tdsl.AddOp(operands[0], operands[1]))
        elif kind == "concat":
            parts = [image, net.window(image, (3, 3), (1, 1), (1, 1, 1, 1), channels + 1)]
            image = net.insert(tdsl.ConcatOp(parts, 3))
        elif kind in ("max", "average") and min(extents(image)) > 1:
            step = draw(st.integers(1, 2))
            margins = (1, 0, 0, 1) if kind == "max" and draw(st.booleans()) else (0, 0, 0, 0)
            pool = tdsl.MaxPoolOp if kind == "max" else tdsl.AveragePoolOp
            image = net.insert(pool(image, (2, 2), margins, (step, step)))
    results = [image]
    if prod(extents(image)) > 1 and draw(st.booleans()):
        results = [net.insert(tdsl.MeanOp(image, (1, 2)))]
    if draw(st.booleans()):
        results.append(net.insert(tdsl.NegOp(image)))
    return str(net.module(*results))


def residual_network() -> ModuleOp:
    """Images that shrink, with a join of two branches, of which one has a shortcut of its own, and an average."""
    net = NetworkWriter((12, 12, 3), np.random.default_rng(7))
    image = net.window(net.input, (3, 3), (1, 1), (1, 1, 1, 1), 6)
    image = net.insert(tdsl.AddOp(image, net.window(image, (3, 3), (1, 1), (1, 1, 1, 1), 6)))
    branch = net.window(image, (3, 3), (2, 2), (0, 1, 0, 1), 8)
    branch = net.window(branch, (3, 3), (1, 1), (1, 1, 1, 1))
    shortcut = net.window(image, (1, 1), (2, 2), (0, 0, 0, 0), 8)
    image = net.insert(tdsl.AddOp(shortcut, branch))
    image = net.insert(tdsl.MaxPoolOp(image, (3, 3), (1, 1, 1, 1), (1, 1)))
    return net.module(net.insert(tdsl.MeanOp(image, (1, 2))))


def residual_block(height: int, width: int, channels: int) -> ModuleOp:
    """Two convolutions of 3x3 and the image that they began with, of a pixel's convolution of the input."""
    net = NetworkWriter((height, width, channels), np.random.default_rng(5))
    image = net.window(net.input, (1, 1), (1, 1), (0, 0, 0, 0), channels)
    inner = net.window(image, (3, 3), (1, 1), (1, 1, 1, 1), channels)
    return net.module(net.insert(tdsl.AddOp(image, net.window(inner, (3, 3), (1, 1), (1, 1, 1, 1), channels))))


def inverted_bottlenecks() -> ModuleOp:
    """Wide images between narrow ones, a residual sum, and a dense layer."""
    net = NetworkWriter((8, 8, 3), np.random.default_rng(7))
    image = net.window(net.input, (3, 3), (2, 2), (0, 1, 0, 1), 4)
    for strides in ((1, 1), (2, 2)):
        wide = net.window(image, (1, 1), (1, 1), (0, 0, 0, 0), 24)
        wide = net.window(wide, (3, 3), strides, (1, 1, 1, 1))
        narrow = net.window(wide, (1, 1), (1, 1), (0, 0, 0, 0), 4)
        image = net.insert(tdsl.AddOp(image, narrow)) if strides == (1, 1) else narrow
    wide = net.window(image, (2, 2), (1, 1), (0, 1, 0, 1), 32)
    mean = net.insert(tdsl.ReshapeOp(net.insert(tdsl.MeanOp(wide, (1, 2))), (32, 1)))
    return net.module(net.insert(tdsl.MatmulOp(net.constant(3, 32), mean)))


def answers(whole: ModuleOp, stride: int, raws: NDArray[Any]) -> list[Outputs]:
    """The answers of a program that streams, `stride` frames apart, to raws of sequences (samples, elements)."""
    step = whole.clone()
    for each in (ReceiveInputPass("push", stride), StreamOverTimePass()):
        each.apply(context(), step)
    step.verify()
    return evaluate_stream(step, raws)
