"""Programs that run slice by slice: random networks, their lowering, and comparisons with ordinary execution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from interpreters import memory
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from programs.devices import with_llvm
from programs.lowered import lowered
from programs.network_writer import NetworkWriter
from programs.on_boards import write_program
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.scratch import ArenaOp
from tinyml.lowering import pipelines
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import LLVM, runner_for
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate, predict_function
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.stages import print_ir
from tinyml.transforms.formats.reuse_input import ReuseInputPass


def refined(module: ModuleOp) -> ModuleOp:
    """Lower a program at L1 until it has accumulators, and return it. Its input is in the arena."""
    ReuseInputPass().apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {}))
    return module


def inputs_of(module: ModuleOp, samples: int) -> np.ndarray:
    """Random raws of the input's format, of shape (samples, elements). They exclude -128 in symmetric fixed point,
    which does not have this raw.
    """
    [argument, *_] = predict_function(module).body.block.args
    drawn = np.random.default_rng(1).integers(-128, 128, (samples, int(np.prod(tdsl.shape_of(argument)))), np.int8)
    format = tdsl.format_of(argument)
    return format.encode(format.decode(drawn))


def buffers_of(module: ModuleOp, plan: str, target: str = HOST, ram: int | None = None) -> ModuleOp:
    return lowered(module.clone(), end="formats-to-buffers", plan=plan, target=target, ram=ram)


def arena(buffers: ModuleOp) -> int:
    return sum(op.size for op in buffers.walk() if isinstance(op, ArenaOp))


def check_bits_on_device(module: ModuleOp, buffers: ModuleOp, x: np.ndarray, device: str, folder: Path) -> None:
    """Assert that a program lowered to buffers computes on a device the outputs of the program on tensors, for the rows
    of x.

    On the host every access is checked. LLVM also compiles some of the programs.

    folder: an empty folder.
    """
    expected, interface = evaluate(module, x), interface_of(module)
    for name in (device, *(with_llvm(print_ir(module)) if device == HOST else ())):
        runner = HostRunner(sanitize=True) if name == HOST else runner_for(name)
        assert first_mismatch(expected, outputs_on(runner, name, buffers, interface, x, folder)) is None


def outputs_on(
    runner: Runner, name: str, buffers: ModuleOp, interface: Interface, x: np.ndarray, folder: Path
) -> Outputs:
    """The outputs, without classes, that a program lowered to buffers computes on a device for the rows of x.

    runner: runs programs on the device `name`.
    folder: an existing folder, in which the device's folders are created.
    """
    source = folder / name
    write_program(buffers, name, source, {} if name == LLVM else {"target": name})
    result = runner.run(runner.build(source, interface, folder / f"{name}-build"), interface, x)
    return Outputs(None, result.scores, result.more)


def check_bits(module: ModuleOp, tiled: ModuleOp) -> None:
    """Assert that a tiled program returns the same bits as `module`, on tensors and in an arena filled with random
    bytes.
    """
    tiled.verify()
    x = inputs_of(module, 2)
    assert first_mismatch(evaluate(module, x), evaluate(tiled, x)) is None
    bits = lowered(tiled.clone(), end="loops-to-bits")
    got = [np.asarray(result).reshape(1, -1) for result in memory.run(bits, x[0])]
    assert first_mismatch(evaluate(module, x[:1]), Outputs(None, got[0], tuple(got[1:]))) is None


@st.composite
def channel_networks(draw: st.DrawFn) -> str:
    """Random programs of a convolution, at most two ops such as depthwise convolutions and pools, and possibly a
    convolution or dense layers that read all channels.
    """
    net = NetworkWriter((1, 6, 7, draw(st.integers(1, 3))), draw(st.integers(0, 1 << 30)))

    def window(image: SSAValue, channels: int | None) -> SSAValue:
        down, across = draw(st.sampled_from([(1, 1), (3, 3), (2, 3)]))
        strides = draw(st.sampled_from([(1, 1), (2, 2), (1, 2)]))
        padding = (down - 1, down // 2, across - 1, across // 2)
        return net.convolution(image, channels, (down, across), strides, padding)

    channels = draw(st.integers(2, 5))
    image = window(net.input, channels)
    for kind in draw(st.lists(st.sampled_from(["depthwise", "max", "sum", "average"]), max_size=2)):
        if kind == "depthwise":
            image = window(image, None)
        elif kind == "sum":
            other = net.convolution(image, channels)
            image = net.add(net.convolution(other, None), image)
        elif min(tdsl.shape_of(image)[1:3]) > 1:
            pool = tdsl.MaxPoolOp if kind == "max" else tdsl.AveragePoolOp
            image = net.pool(image, strides=(1, 2), padding=(1, 0, 1, 0) if kind == "max" else 0, kind=pool)
    end = draw(st.sampled_from(["convolution", "mean", "dense", "none"]))
    if end == "convolution":
        image = window(image, draw(st.integers(1, 4)))
    if end == "mean":
        image = net.mean(image)
    if end in ("mean", "dense"):
        image = net.dense(net.relu(net.dense(image, 3)), 2)
    return str(net.module(image))
