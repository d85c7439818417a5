"""Runs of a model's Verilog: translated to C++ by verilator, or interpreted by iverilog."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import DeviceError, RunResult
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT = 50_000_000
"""Cycles after which an inference is given up."""

FOLDER = Path(__file__).parents[3] / "targets" / "verilog" / "harness"
"""The drivers of both simulators."""


class Simulation:
    """A model's Verilog, ready to run. What it reads and writes are integers of 32 bits."""

    def __init__(self, command: Sequence[str], name: str):
        self.command = command
        self.name = name

    @staticmethod
    def verilated(verilog: str, folder: Path) -> Simulation:
        """Translate a model by verilator and compile it into a folder; raises `InputError` where that fails."""
        file = _written(verilog, folder)
        bits = _output_bits(verilog)
        label = "model.label" if re.search(r"output (\[\d+:0\] )?label\b", verilog) else "-1"
        _call(
            *("verilator", "--cc", "--exe", "--build", "-O2", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
            *("--prefix", "Vmodel", "--Mdir", str(folder / "verilated")),
            *("-CFLAGS", f"-O1 -DOUT_BITS={bits} -DHAS_LABEL={label}"),
            *(str(FOLDER / "verilator_driver.cpp"), str(file)),
        )
        return Simulation([str(folder / "verilated" / "Vmodel")], file.stem)

    @staticmethod
    def interpreted(verilog: str, folder: Path) -> Simulation:
        """Prepare a model for iverilog in a folder; raises `InputError` where that fails."""
        file = _written(verilog, folder)
        has_label = re.search(r"output (\[\d+:0\] )?label\b", verilog) is not None
        defines = [
            f"-DMODEL={file.stem}",
            f"-DOUT_BITS={_output_bits(verilog)}",
            *(["-DHAS_LABEL"] if has_label else []),
        ]
        _call("iverilog", "-g2005", *defines, "-o", str(folder / "model.vvp"), str(FOLDER / "bench.v"), str(file))
        return Simulation(["vvp", str(folder / "model.vvp")], file.stem)

    def run(self, interface: Interface, inputs: NDArray[np.signedinteger], seed: int = 0) -> RunResult:
        """Run raws of shape (samples, input length); cycles are those from `start` to `done`.

        seed: unless it is 0, the input and the receiver of the outputs pause at random. Raises `DeviceError` for a
        model that does not come to its end.
        """
        lengths = [interface.output_length, *(length for _, length in interface.more_outputs)]
        outputs = sum(lengths)
        arguments = [len(inputs), interface.input_length, outputs, LIMIT, seed]
        given = np.ascontiguousarray(inputs, "<i4").tobytes()
        done = subprocess.run([*self.command, *map(str, arguments)], input=given, capture_output=True)
        if done.returncode != 0:
            raise DeviceError(f"{self.name}: the hardware did not finish (exit code {done.returncode})")
        records = np.frombuffer(done.stdout, "<i4").reshape(len(inputs), 2 + outputs)
        ends = np.cumsum(lengths)
        parts = [records[:, 2 + end - length : 2 + end] for end, length in zip(ends, lengths, strict=True)]
        scores = None if interface.output_dtype is None else parts[0].astype(interface.output_dtype)
        more = tuple(part.astype(dtype) for part, dtype in zip(parts[1:], interface.more_dtypes, strict=True))
        labels = records[:, 0].astype(np.int64) if interface.has_label else None
        return RunResult(labels, scores, records[:, 1].astype(np.int64), "cycles", 0, more)


def _output_bits(verilog: str) -> int:
    found = re.search(r"output \[(\d+):0\] out_data", verilog)
    return 1 if found is None else int(found[1]) + 1


def _written(verilog: str, folder: Path) -> Path:
    """The file of a model's Verilog, named for its module."""
    found = re.match(r"module (\w+)", verilog)
    if found is None:
        raise InputError("expected the Verilog of a model")
    file = folder / f"{found[1]}.v"
    file.write_text(verilog)
    return file


def _call(*command: str) -> None:
    """Run a tool; raises `InputError` naming the package to install, or with what the tool complains of."""
    if shutil.which(command[0]) is None:
        raise InputError(f"'{command[0]}' is not installed; on Debian or Ubuntu: apt install {command[0]}")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "rror" in line]
        raise InputError(f"{command[0]} failed: {(lines or ['no message'])[0].strip()}")
