"""The RISC-V chip. Programs are freestanding and use the software floats of libgcc."""

from pathlib import Path

from tinyml.targets.board import emulated_memories
from tinyml.targets.chip import Chip
from tinyml.targets.package import Package
from tinyml.targets.riscv.boards import BOARDS
from tinyml.targets.riscv.kernels import KERNEL_TABLE

CHIP = Chip(
    "riscv",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.riscv:RiscvRunner",
    boards=BOARDS,
    memory_flags=emulated_memories,
    makers=KERNEL_TABLE,
    prefix="riscv64-unknown-elf-",
    macros=("__riscv",),
    triple="riscv32-none-elf",
    flags=("-ffreestanding",),
    harness_flags=("-nostdlib",),
    libraries=("-lgcc",),
    packages=(Package("gcc-riscv64-unknown-elf", command="riscv64-unknown-elf-gcc"),),
    modules=("unicorn",),
    # The halfword 0 is not an instruction.
    trap='__asm__ volatile(".half 0");',
    alignment=4,
    constant_alignment=4,
)
