"""Runs of a model's Verilog: translated to C++ by verilator, or interpreted by Icarus Verilog."""

from __future__ import annotations

import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import DeviceError, RunResult
from tinyml.runtime.model.interface import Interface

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT = 50_000_000
"""Cycles after which an inference is given up."""

HARNESS = Path(__file__).parents[3] / "targets" / "verilog" / "harness"
"""The drivers of both simulators."""


@dataclass(frozen=True)
class Simulation(ABC):
    """A model's Verilog, whose text is given, simulated in a folder. Raises `InputError` for other texts."""

    verilog: str
    folder: Path

    @property
    def name(self) -> str:
        """The name of the module."""
        return module_name(self.verilog)

    def bits(self, port: str) -> int | None:
        """The width of a port; None if the module has none of this name."""
        return port_bits(self.verilog, port)

    def run(self, interface: Interface, inputs: NDArray[Any], seed: int = 0) -> RunResult:
        """Run raws of shape (samples, input length); cycles are those from `start` to `done`.

        seed: unless it is 0, the input and the receiver of the outputs pause at random. Raises `InputError` if a tool
        is missing or refuses the module, `DeviceError` for a model that does not come to its end.
        """
        file = self.folder / f"{self.name}.v"
        file.write_text(self.verilog)
        lengths = [interface.output_length, *(length for _, length in interface.more_outputs)]
        elements = inputs.reshape(len(inputs), interface.input_length)
        records = self.records(file, elements, sum(lengths), seed)
        outputs = np.split(records[:, :-2], np.cumsum(lengths)[:-1], axis=1)
        return RunResult(
            labels=records[:, -2] if interface.has_label else None,
            scores=None if interface.output_dtype is None else outputs[0].astype(interface.output_dtype),
            cycles=records[:, -1],
            unit="cycles",
            stack_bytes=0,
            more=tuple(part.astype(dtype) for part, dtype in zip(outputs[1:], interface.more_dtypes, strict=True)),
        )

    @abstractmethod
    def records(self, file: Path, inputs: NDArray[Any], outputs: int, seed: int) -> NDArray[np.int64]:
        """The outputs, the label and the cycles of each row of `inputs`. outputs: the elements of all outputs."""

    def integers(self, text: bytes, outputs: int) -> NDArray[np.int64]:
        """The records that a simulator has written, as decimal numbers."""
        records = np.array(text.split(), np.int64).reshape(-1, outputs + 2)
        if (records[:, -1] < 0).any():
            raise DeviceError(f"{self.name}: the hardware did not finish in {LIMIT:,} cycles")
        return records


def module_name(verilog: str) -> str:
    """The name of a model's module; raises `InputError` for other texts."""
    if (found := re.match(r"module (\w+)\(", verilog)) is None:
        raise InputError("expected the Verilog of a model")
    return found[1]


def port_bits(verilog: str, port: str) -> int | None:
    """The width of a port of a model's module; None if it has none of this name."""
    found = re.search(rf"^    (?:input|output) (?:\[(\d+):0\] )?{port}\b", verilog, re.MULTILINE)
    return None if found is None else int(found[1] or 0) + 1


def spelled(inputs: NDArray[Any]) -> bytes:
    """Integers in decimal, one a line."""
    return "\n".join(map(str, inputs.ravel().tolist())).encode()


FEW = 32
"""Samples for which a simulation is built without optimization: that takes longer than they do."""


class VerilatorSimulation(Simulation):
    """A simulation by verilator, which takes seconds to build and then runs millions of cycles a second."""

    def records(self, file: Path, inputs: NDArray[Any], outputs: int, seed: int) -> NDArray[np.int64]:
        build = self.folder / "verilated"
        optimize = "-O0" if len(inputs) <= FEW else "-Os"
        label = "-1" if self.bits("label") is None else "model.label"
        call_tool(
            *("verilator", "--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
            *("-MAKEFLAGS", f"OPT_FAST={optimize} OPT_GLOBAL=-O0 OPT_SLOW=-O0"),
            *("--prefix", "Vmodel", "--Mdir", str(build), "-CFLAGS", f"-DOUT_BITS={self.bits('out_data')}"),
            *("-CFLAGS", f"-DLABEL={label}", str(HARNESS / "verilator_driver.cpp"), str(file)),
        )
        samples, length = inputs.shape
        arguments = map(str, (samples, length, LIMIT, seed))
        return self.integers(call_tool(str(build / "Vmodel"), *arguments, given=spelled(inputs)), outputs)


class IcarusSimulation(Simulation):
    """A simulation by Icarus Verilog, which builds at once and runs some ten thousand cycles a second."""

    def records(self, file: Path, inputs: NDArray[Any], outputs: int, seed: int) -> NDArray[np.int64]:
        image = self.folder / "model.vvp"
        defines = [f"-DMODEL={self.name}", f"-DIN_BITS={self.bits('in_data')}", f"-DOUT_BITS={self.bits('out_data')}"]
        if (bits := self.bits("label")) is not None:
            defines.append(f"-DLABEL_BITS={bits}")
        call_tool("iverilog", "-g2005", *defines, "-o", str(image), str(HARNESS / "bench.v"), str(file))
        samples, length = inputs.shape
        given = {"samples": samples, "inputs": length, "limit": LIMIT, "seed": seed}
        arguments = [f"+{name}={value}" for name, value in given.items()]
        return self.integers(call_tool("vvp", "-n", str(image), *arguments, given=spelled(inputs)), outputs)


def call_tool(*command: str, given: bytes = b"", folder: Path | None = None) -> bytes:
    """The output of a tool that runs in a folder.

    Raises `InputError` naming the package to install, or with the first error that the tool reports.
    """
    if shutil.which(command[0]) is None:
        raise InputError(f"'{command[0]}' is not installed; on Debian or Ubuntu: apt install {command[0]}")
    done = subprocess.run(command, capture_output=True, input=given, cwd=folder)
    if done.returncode != 0:
        said = (done.stderr + done.stdout).decode("utf-8", "replace").splitlines()
        # Some tools say how many errors there are before they say which.
        lines = [line for mark in ("ERROR:", "rror") for line in said if mark in line]
        raise InputError(f"{Path(command[0]).name} failed: {(lines or ['no message'])[0].strip()}")
    return done.stdout
