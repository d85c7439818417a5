"""Programs whose input arrives row by row return the same bits as programs with the whole input in memory, on every
device.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from programs import gural_murmann
from programs.compiled import compile_without_pictures
from programs.network_writer import NetworkWriter
from programs.printed import WARNING_FLAGS
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program, print_ir


def network() -> ModuleOp:
    """A network whose input is read by two convolutions, one of which is followed by another convolution. Their results
    are added. The convolutions with strides read neither the last row nor the last column of their operands.
    """
    net = NetworkWriter((1, 12, 10, 3), 3)
    deep = net.convolution(net.convolution(net.input, 4, 3, padding=1), 4, 3, strides=2)
    image = net.add(deep, net.convolution(net.input, 4, 3, strides=2))
    return net.module(net.pool(image))


# The input takes 360 bytes. In the plan by rows a ring of 4 rows does; otherwise all 12 are received.
@pytest.mark.long
@pytest.mark.parametrize(
    ("plan", "rows", "targets"),
    spread(
        [
            ("rows", 4, ("cortex-m4", "uno", "riscv")),
            ("pixels", 4, ("uno", "riscv")),
            ("ordinary", 12, ("riscv",)),
            ("patches", 12, ("cortex-m4",)),
            ("partial-32", 12, ("uno",)),
        ],
        2,
    ),
)
def test_devices_give_the_bits_of_the_evaluator(plan: str, rows: int, targets: Sequence[str], tmp_path: Path):
    """With every plan, the host and some boards compute the evaluator's bits, and exactly `rows` rows of the image are
    in memory.
    """
    model, out = tmp_path / "model.mlir", tmp_path / targets[0]
    model.write_text(print_ir(network()))
    for target in targets:
        request = Request(model=model, out=tmp_path / target, plan=plan, input="callback", target=target)
        # What is measured is compared with the evaluator.
        report = compile_without_pictures(request)
        assert report["mismatch"] is None
        assert report["ram_bytes"]["input"] == 0
        [image] = [row for row in report["memory"]["map"] if row["buffer"] == "X"]
        assert image["bytes"] == 30 * rows
    formats = load_program(out / "ir/1-formats.mlir", context())
    interface, x = interface_of(formats), np.random.default_rng(4).integers(-128, 128, (5, 360), np.int8)
    assert (interface.row_length, interface.row_bytes) == (30, 30)
    runner = HostRunner(sanitize=True)
    got = runner.run(runner.build(out, interface, tmp_path, extra_flags=WARNING_FLAGS), interface, x)
    np.testing.assert_array_equal(got.scores, evaluate(network(), x).scores)


@pytest.mark.long
def test_gural_and_murmann_within_450_bytes(tmp_path: Path):
    """Gural and Murmann's 4-bit network runs on the Uno in less than 450 bytes including the stack and less than 4
    million cycles. A function provides its rows of 7 bytes.
    """
    (tmp_path / "network.mlir").write_text(print_ir(gural_murmann.program()))
    request = Request(
        model=tmp_path / "network.mlir",
        out=tmp_path / "out",
        pack_buffers=True,
        plan="pixels",
        optimize="O2",
        input="callback",
    )
    report = compile_without_pictures(request)
    assert report["ram_bytes"]["total"] < 450
    assert report["cycles_per_inference"] < 4_000_000
    images = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"][:100])
    interface = interface_of(load_program(tmp_path / "out/ir/1-formats.mlir", context()))
    assert interface.row_bytes == 7
    runner, expected = HostRunner(sanitize=True), gural_murmann.logits(images)
    got = runner.run(runner.build(tmp_path / "out", interface, tmp_path), interface, images)
    np.testing.assert_array_equal(got.scores, expected)
    np.testing.assert_array_equal(got.labels, expected.argmax(1))
    np.savez(tmp_path / "images.npz", x=images[:5])
    # The Uno ran what compiling measured.
    assert report["mismatch"] is None
    other = RunRequest(folder=tmp_path / "out", data=tmp_path / "images.npz", device="cortex-m4")
    assert run_model(other)["mismatch"] is None


SEQUENCE = """
func.func @steps(%X: tensor<20x1x!fixed.q<8, 4>>) -> tensor<1x3x!fixed.q<8, 4>> {
  %XX = tdsl.reshape %X : tensor<20x1x!fixed.q<8, 4>> -> tensor<5x1x4x!fixed.q<8, 4>>
  %W = tdsl.const dense<[[3, -5, 7], [-2, 4, 6], [9, 1, -8], [5, -7, 2]]> : tensor<4x3xi8> -> tensor<4x3x!fixed.q<8, 3>>
  %H = tdsl.fill {value = 0.5 : f64} -> tensor<1x3x!fixed.q<8, 4>>
  %zero = arith.constant 0 : index
  %first = arith.constant FIRST : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %r = scf.for %i = %first to %five step %one iter_args(%h = %H) -> (tensor<1x3x!fixed.q<8, 4>>) {
    %x = tdsl.index %XX[%INDEX] : tensor<5x1x4x!fixed.q<8, 4>> -> tensor<1x4x!fixed.q<8, 4>>
    %p = tdsl.matmul %x, %W : tensor<1x4x!fixed.q<8, 4>>, tensor<4x3x!fixed.q<8, 3>> -> tensor<1x3x!fixed.q<8, 4>>
    %s = tdsl.add %p, %h : tensor<1x3x!fixed.q<8, 4>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
    scf.yield %s : tensor<1x3x!fixed.q<8, 4>>
  }
  func.return %r : tensor<1x3x!fixed.q<8, 4>>
}
"""


@pytest.mark.long
def test_a_sequence_arrives_step_by_step(tmp_path: Path):
    """Only one step of four bytes of a sequence is in memory at a time. The host and an Uno compute the evaluator's
    bits.
    """
    model, out = tmp_path / "model.mlir", tmp_path / "out"
    model.write_text(SEQUENCE.replace("FIRST", "0").replace("INDEX", "i"))
    report = compile_without_pictures(Request(model=model, out=out, input="callback", target="uno"))
    assert report["ram_bytes"]["input"] == 0
    [step] = [row for row in report["memory"]["map"] if row["buffer"] == "x"]
    assert step["bytes"] == 4
    formats = load_program(out / "ir/1-formats.mlir", context())
    interface, x = interface_of(formats), np.random.default_rng(5).integers(-127, 128, (5, 20), np.int8)
    assert (interface.row_length, interface.row_bytes) == (4, 4)
    np.savez(tmp_path / "steps.npz", x=x)
    for device in ("host", "uno"):
        run = RunRequest(folder=out, data=tmp_path / "steps.npz", device=device)
        assert run_model(run)["mismatch"] is None
    in_memory = load_program(model, context())
    np.testing.assert_array_equal(evaluate(formats, x).scores, evaluate(in_memory, x).scores)


@pytest.mark.parametrize(("first", "index"), [("1", "i"), ("0", "zero")], ids=["not from the first", "one step only"])
def test_steps_that_are_not_read_in_order_do_not_arrive(first: str, index: str, tmp_path: Path):
    model = tmp_path / "model.mlir"
    model.write_text(SEQUENCE.replace("FIRST", first).replace("INDEX", index))
    with pytest.raises(InputError, match="a sequence that one loop reads step by step, got 5x1x4"):
        compile_model(Request(model=model, out=tmp_path / "out", target="host", input="callback"))


@pytest.mark.long
def test_less_memory_is_taken_where_ram_is_short(tmp_path: Path):
    """With 600 bytes of RAM, segments are streamed. The input cannot move into the arena, because it is never entirely
    in memory.
    """
    model = tmp_path / "model.mlir"
    model.write_text(print_ir(network()))
    report = compile_without_pictures(
        Request(model=model, out=tmp_path / "out", target="host", ram=600, input="serial")
    )
    assert report["ram_bytes"]["arena"] <= 600
    assert report["segments"]
    assert not report["reuse_input"]


def test_refusals(tmp_path: Path):
    model = tmp_path / "model.mlir"
    model.write_text(print_ir(network()))
    with pytest.raises(
        InputError, match="the serial port of cortex-m4 is unknown: define the function of --input callback"
    ):
        compile_model(Request(model=model, out=tmp_path / "out", target="cortex-m4", input="serial"))
    model.write_text(
        "func.func @f(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<8x1x!fixed.q<8, 4>> {\n"
        "  %y = tdsl.relu %X : tensor<8x1x!fixed.q<8, 4>> -> tensor<8x1x!fixed.q<8, 4>>\n"
        "  func.return %y : tensor<8x1x!fixed.q<8, 4>>\n}\n"
    )
    with pytest.raises(InputError, match=r"an input from callback is an image 1xHxWxC, or a sequence .*, got 8x1"):
        compile_model(Request(model=model, out=tmp_path / "out", target="host", input="callback"))
