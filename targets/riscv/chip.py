"""The RISC-V chip: freestanding programs with the software floats of libgcc."""

from pathlib import Path

from tinyml.targets.board import Board
from tinyml.targets.c.composer.compose import compose
from tinyml.targets.chip import Chip
from tinyml.targets.package import Package
from tinyml.targets.riscv.kernels import KERNELS, TILES

CHIP = Chip(
    "riscv",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.riscv:RiscvRunner",
    # The memory sizes are those of a GD32VF103.
    boards=(Board("riscv", "rv32imc", 131072, 32768, costs="riscv"),),
    kernels=KERNELS,
    compose=compose,
    tiles=TILES,
    prefix="riscv64-unknown-elf-",
    flags=("-march=rv32imc", "-mabi=ilp32", "-ffreestanding", "-nostdlib"),
    libraries=("-lgcc",),
    packages=(Package("gcc-riscv64-unknown-elf", command="riscv64-unknown-elf-gcc"),),
    modules=("unicorn",),
    # The halfword 0 is not an instruction.
    trap='__asm__ volatile(".half 0");',
    alignment=4,
    constant_alignment=4,
)
