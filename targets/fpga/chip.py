"""FPGAs, described as a chip: programs are compiled to hardware modules in Verilog, and also to plain C."""

from pathlib import Path

from tinyml.targets.chip import Chip
from tinyml.targets.fpga.boards import BOARDS
from tinyml.targets.package import Package

CHIP = Chip(
    "fpga",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.fpga:FpgaRunner",
    boards=BOARDS,
    # This is the number of 8-bit elements that `unroll-loops` processes at once.
    buffer_alignment=64,
    # Pragmas are hints for high-level synthesis; other compilers ignore them.
    options='#ifdef __GNUC__\n#pragma GCC diagnostic ignored "-Wunknown-pragmas"\n#endif\n',
    macros=(),
    backend="tinyml.tools.driver.hardware",
    packages=(
        Package("verilator", command="verilator"),
        Package("g++", command="g++"),
        Package("make", command="make"),
    ),
)
