"""Programs compiled by LLVM and CIRCT compared with tinyml's: raw outputs must be equal; sizes and times are
measured.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from programs.devices import DEVICES, chips_of_llvm
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.circt import printed_by_circt
from tinyml.runtime.devices.device import Build
from tinyml.runtime.devices.llvm import build_upstream
from tinyml.runtime.devices.registry import CIRCT, LLVM, RunResult, device_board, runner_for
from tinyml.runtime.devices.verilog_tools import IcarusSimulation, synthesised
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import HOST, board
from tinyml.targets.verilog.fabric import fabric_of
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.driver.compiled_program import Compiled
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import compile_again, compile_stages, find_model, load_program
from tinyml.tools.driver.upstream import circt_text, upstream_files

SAMPLES = 10
"""Validation samples whose instructions are averaged."""


@dataclass(frozen=True)
class _Case:
    """A program in some format, compiled for a board, with raw inputs and the evaluator's outputs.

    compiled: a function that returns the program with the same formats for another board.
    first: the compiled program.
    """

    first: Compiled
    raws: NDArray[Any]
    expected: Outputs
    compiled: Callable[[str], Compiled]

    @property
    def interface(self) -> Interface:
        return interface_of(self.first.formats)

    def run(
        self, files: Mapping[str, str], folder: Path, device: str, by_llvm: bool = False
    ) -> tuple[Build, RunResult]:
        """Build the files of a program in a folder and run it. Return the build and the result. Raises `AssertionError`
        if outputs differ from the evaluator's.

        files: the texts of the files by name.
        device: the name of the device.
        by_llvm: true to compile the program by LLVM.
        """
        runner, source = runner_for(device), folder / "source"
        source.mkdir(parents=True)
        for name, text in files.items():
            (source / name).write_text(text, encoding="utf-8")
        build = partial(build_upstream, runner) if by_llvm else runner.build
        built = build(source, self.interface, folder / "build", "-Os")
        ran = runner.run(built, self.interface, self.raws)
        assert first_mismatch(self.expected, Outputs(ran.labels, ran.scores, ran.more)) is None, device
        return built, ran

    def simulate(self, folder: Path, *, by_circt: bool) -> None:
        """Simulate the module, printed by CIRCT or by tinyml, with Icarus Verilog, which needs no C compiler.

        by_circt: true for the Verilog that CIRCT prints, false for that of tinyml.
        """
        files, name = self.hardware_files(), self.interface.name
        printed = printed_by_circt(files[f"{name}.mlir"]) if by_circt else ""
        ran = IcarusSimulation(files[f"{name}.v"], folder, printed).run(self.interface, self.raws)
        assert first_mismatch(self.expected, Outputs(ran.labels, ran.scores, ran.more)) is None, name

    def c_files(self, compiled: Compiled) -> Mapping[str, str]:
        return {f"{self.interface.name}.c": compiled.source, f"{self.interface.name}.h": compiled.header}

    def llvm_files(self) -> Mapping[str, str]:
        plain = self.compiled(HOST)
        return {**upstream_files(plain.buffers), f"{self.interface.name}.h": plain.header}

    def hardware_files(self) -> Mapping[str, str]:
        """The Verilog files of a program for an FPGA, as printed by tinyml and by CIRCT."""
        name, compiled = self.interface.name, self.compiled(device_board(CIRCT).name)
        assert compiled.verilog is not None
        return {f"{name}.v": compiled.verilog, f"{name}.mlir": circt_text(_hardware(compiled))}


def _hardware(compiled: Compiled) -> ModuleOp:
    [text] = (stage.text for stage in compiled.stages if stage.file == "5-hardware.mlir")
    return parse_mlir(context(), text.encode(), "5-hardware.mlir")


def _case(model: Path, target: str, format: str, width: int | None, samples: int, weights: str | None = None) -> _Case:
    """The case of a model with its first validation samples."""
    program, val, _ = find_model(model)
    ctx = context()
    request = Request(model=program, val=val, target=target, format=format, width=width, weights=weights, out=Path())
    options, reals = request.pipeline_options(board(target)), load_program(program, ctx)
    first = compile_stages(reals, ctx, options)
    raws = encode_inputs(first.formats, load_program_data(reals, str(val)).x[:samples])

    def compiled(other: str) -> Compiled:
        return first if other == target else compile_again(first, replace(options, target=other))

    return _Case(first, raws, evaluate(first.formats, raws), compiled)


def beside_llvm(model: Path, target: str) -> dict[str, Any]:
    """The figures of a classifier in 16-bit fixed point on a board.

    `ours`: the program with the board's kernels, by gcc.
    `plain`: the C of the same program without kernels, by gcc.
    `llvm`: the same loops in upstream dialects, by LLVM.

    All three compute the evaluator's raw outputs.
    """
    case, values = _case(model, target, "fixed", 16, SAMPLES), dict[str, Any](samples=SAMPLES)
    files = {
        "ours": case.c_files(case.first),
        "plain": case.c_files(case.compiled(HOST)),
        LLVM: case.llvm_files(),
    }
    with tempfile.TemporaryDirectory() as folder:
        for way, texts in files.items():
            built, ran = case.run(texts, Path(folder, way), target, by_llvm=way == LLVM)
            assert ran.cycles is not None
            values[way] = {"time": round(float(np.mean(ran.cycles))), "flash": built.flash_bytes}
    return values


EQUAL = 32
"""Validation samples on which executors are compared."""


def executors(model: Path, format: str, width: int | None, weights: str | None) -> dict[str, Any]:
    """For each executor, the number of samples for which it computed the evaluator's raw outputs, or `-` if it rejects
    the program.

    The boards are those on which the test suite runs programs. `llvm_BOARD` is the program compiled by LLVM for a
    board.
    """
    case = _case(model, HOST, format, width, EQUAL, weights)
    found: dict[str, Any] = {}

    def equal(key: str, run: Callable[[Path], object]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(Path(folder))
            except InputError as error:
                found[key], found[f"{key}_refused"] = "-", error.message
            else:
                found[key] = str(len(case.raws))

    def on_board(name: str, folder: Path) -> None:
        case.run(case.c_files(case.compiled(name)), folder, name)

    def by_llvm(name: str, folder: Path) -> None:
        case.run(case.llvm_files(), folder, name, by_llvm=name != LLVM)

    for name in DEVICES:
        equal(name.replace("-", "_"), partial(on_board, name))
    equal(LLVM, partial(by_llvm, LLVM))
    for name in chips_of_llvm():
        equal(f"{LLVM}_{name.replace('-', '_')}", partial(by_llvm, name))
    equal("verilog", partial(case.simulate, by_circt=False))
    equal(CIRCT, partial(case.simulate, by_circt=True))
    return found


def beside_circt(model: Path, width: int) -> dict[str, Any]:
    """The cells of a fixed-point module as printed by tinyml (`ours`) and by CIRCT (`circt`), and its cycles.

    Both modules compute the evaluator's raw outputs in the same number of cycles.
    """
    fpga = device_board(CIRCT)
    case, values = _case(model, fpga.name, "fixed", width, SAMPLES), dict[str, Any](samples=SAMPLES)
    files = case.hardware_files()
    for way, device in (("ours", fpga.name), (CIRCT, CIRCT)):
        with tempfile.TemporaryDirectory() as folder:
            built, ran = case.run(files, Path(folder, "run"), device)
            assert ran.cycles is not None
            cycles = int(ran.cycles[0])
            assert values.setdefault("cycles", cycles) == cycles
            system_verilog = built.elf.read_text() if device == CIRCT else ""
            cells = synthesised(files[f"{case.interface.name}.v"], fabric_of(fpga), Path(folder), system_verilog)
            values[way] = asdict(cells)
    return values
