"""Trained models as hardware compute every raw output of the evaluator."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from programs.compiled import CompiledModels
from programs.hardware import need_simulator, read_bits, verilog_of
from programs.paths import MODELS

from tinyml.dialects.context import context
from tinyml.lowering.pipelines import flatten, run
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation, call_tool
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST, board
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.packages.bitstream import uart_module
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program

SAMPLES = 3
MACS = 124 * 10 + 24 * 10 + 24 * 6
"""Products of numbers in an inference of ProtoNN on gestures: projection, distances, sums over prototypes."""


UNROLLED = {"not unrolled": (1, 0, 1.2), "by 8": (8, 0, 0.4), "half of the FPGA": (None, 50, 0.3)}
"""Factors and shares of cells for loops, and the cycles of a product; for the last one not all products have DSPs."""


@pytest.mark.long
@pytest.mark.parametrize("how", UNROLLED)
def test_protonn(how: str, compiled_models: CompiledModels, tmp_path: Path):
    """The hardware module of ProtoNN computes the evaluator's outputs. Its number of cycles does not depend on the
    input. It is at most one for each input element plus, for each product, the number that `UNROLLED` states for the
    way of unrolling.
    """
    factor, cells, cycles = UNROLLED[how]
    need_simulator("iverilog")
    folder = compiled_models.folder("protonn", "fixed", 8, board(HOST))
    formats = load_program(folder / "ir" / "1-formats.mlir", context())
    simulation = IcarusSimulation(verilog_of(read_bits(folder), factor, cells), tmp_path)
    data = load_program_data(formats, str(MODELS["protonn"].with_name("test.npz")))
    raws = encode_inputs(formats, data.x[:SAMPLES])
    result = simulation.run(interface_of(formats), raws)
    assert first_mismatch(evaluate(formats, raws), Outputs(result.labels, result.scores, result.more)) is None
    assert result.cycles is not None
    assert len(np.unique(result.cycles)) == 1
    assert result.cycles[0] - raws[0].size <= cycles * MACS


@pytest.mark.long
def test_protonn_on_an_uno(compiled_models: CompiledModels):
    """The program of ProtoNN on a simulated Uno computes the outputs of the evaluator, with the formats of its hardware
    modules.
    """
    folders = [compiled_models.folder("protonn", "fixed", 8, board(name)) for name in (HOST, "uno")]
    of_modules, of_program = ((folder / "ir/1-formats.mlir").read_text() for folder in folders)
    assert of_modules == of_program
    data = MODELS["protonn"].with_name("test.npz")
    assert run_model(RunRequest(folder=folders[1], data=data, device="uno", limit=SAMPLES))["mismatch"] is None


@pytest.mark.long
def test_hints_leave_the_bits(compiled_models: CompiledModels, tmp_path: Path):
    """C with pragmas for high-level synthesis computes the evaluator's bits. Arrays are partitioned by the same factors
    by which loops are unrolled.
    """
    folder, target = compiled_models.folder("protonn", "fixed", 8, board(HOST)), "ecp5-25k"
    formats, bits = load_program(folder / "ir" / "1-formats.mlir", context()), read_bits(folder)
    run(bits, context(), flatten("bits-to-c", {"cells": 20}))
    write_c(bits, context(), target, tmp_path)
    data = load_program_data(formats, str(MODELS["protonn"].with_name("test.npz")))
    raws, interface = encode_inputs(formats, data.x), interface_of(formats)
    text = (tmp_path / f"{interface.name}.c").read_text()
    factors = {int(factor) for factor in re.findall("UNROLL factor=(.*)", text)}
    assert factors
    assert factors == {int(factor) for factor in re.findall("ARRAY_PARTITION cyclic factor=(.*) variable", text)}
    runner = runner_for(HOST)
    result = runner.run(runner.build(tmp_path, interface, tmp_path, "-O0", ["-Werror"]), interface, raws)
    assert first_mismatch(evaluate(formats, raws), Outputs(result.labels, result.scores, result.more)) is None


UART_BENCH = """
module bench;
    localparam CLOCKS = 6, INPUT = {given}, OUTPUT = {wanted};
    reg clock = 0, line = 1;
    reg [7:0] bytes [0:INPUT - 1];
    wire answer, busy;
    {name}_uart #(CLOCKS) uart (clock, line, answer, busy);
    always #1 clock = !clock;
    integer i, k, j, n;
    reg [7:0] got;
    task frame(input [7:0] data); begin
        line = 0; repeat (CLOCKS) @(posedge clock);
        for (k = 0; k < 8; k = k + 1) begin line = data[k]; repeat (CLOCKS) @(posedge clock); end
        line = 1; repeat (CLOCKS) @(posedge clock);
    end endtask
    initial begin
        $readmemh("bytes.hex", bytes);
        repeat (20) @(posedge clock);
        for (i = 0; i < INPUT; i = i + 1) frame(bytes[i]);
    end
    initial begin
        for (n = 0; n < OUTPUT; n = n + 1) begin
            @(negedge answer); repeat (CLOCKS + CLOCKS / 2) @(posedge clock);
            for (j = 0; j < 8; j = j + 1) begin got[j] = answer; repeat (CLOCKS) @(posedge clock); end
            $display("%0d", got);
        end
        $finish;
    end
    initial begin #400000 $finish; end
endmodule
"""


@pytest.mark.long
def test_a_model_behind_a_serial_line(compiled_models: CompiledModels, tmp_path: Path):
    """A hardware module with a serial line receives the bytes of an input and sends those of the scores and of the
    label, one bit every few cycles.
    """
    need_simulator("iverilog")
    folder = compiled_models.folder("protonn", "fixed", 8, board(HOST))
    formats = load_program(folder / "ir" / "1-formats.mlir", context())
    interface, verilog = interface_of(formats), verilog_of(read_bits(folder), 8)
    raws = encode_inputs(formats, load_program_data(formats, str(MODELS["protonn"].with_name("test.npz"))).x[:1])
    expected = evaluate(formats, raws)
    assert expected.scores is not None
    assert expected.labels is not None
    wanted = expected.scores.tobytes() + expected.labels.astype("<i2").tobytes()
    bench = UART_BENCH.format(name=interface.name, given=raws.size, wanted=len(wanted))
    (tmp_path / "bytes.hex").write_text("\n".join(f"{byte:02x}" for byte in raws.tobytes()))
    (tmp_path / "all.v").write_text(verilog + uart_module(verilog) + bench)
    call_tool("iverilog", "-g2005", "-Wall", "-o", "bench", "all.v", folder=tmp_path)
    assert bytes(map(int, call_tool("vvp", "-n", "bench", folder=tmp_path).split())) == wanted
