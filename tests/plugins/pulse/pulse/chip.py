"""The description of the chip `pulse`, a 32-bit RISC-V core without compressed instructions.

It has separate kernels in C and in assembly.
"""

from pathlib import Path

from pulse.kernels import MAKERS
from tinyml.extend.chips import Board, Chip, Package, emulated_memories

CHIP = Chip(
    "pulse",
    folder=Path(__file__).parent,
    runner="pulse.runner:PulseRunner",
    boards=(Board("pulse", "rv32im", flash=131072, ram=32768),),
    prefix="riscv64-unknown-elf-",
    flags=("-march=rv32im", "-mabi=ilp32", "-ffreestanding"),
    harness_flags=("-nostdlib",),
    libraries=("-lgcc",),
    packages=(Package("gcc-riscv64-unknown-elf", command="riscv64-unknown-elf-gcc"),),
    modules=("unicorn",),
    makers=MAKERS,
    memory_flags=emulated_memories,
    alignment=4,
    constant_alignment=4,
)
