"""The Xtensa LX106 of the ESP8266. Programs are freestanding and use the software floats of libgcc.

Flash can be read only by words, so constants are in RAM. The linker script of the ESP8266's Arduino core places
constants there.
"""

from pathlib import Path

from tinyml.targets.board import emulated_memories
from tinyml.targets.chip import Chip
from tinyml.targets.package import Package
from tinyml.targets.xtensa.boards import BOARDS
from tinyml.targets.xtensa.kernels import KERNEL_TABLE

CHIP = Chip(
    "xtensa",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.xtensa:XtensaRunner",
    boards=BOARDS,
    memory_flags=emulated_memories,
    makers=KERNEL_TABLE,
    prefix="xtensa-lx106-elf-",
    macros=("__xtensa", "__XTENSA"),
    flags=("-ffreestanding", "-mtext-section-literals", "-mlongcalls"),
    harness_flags=("-nostdlib",),
    libraries=("-lgcc",),
    packages=(
        Package("gcc-xtensa-lx106", command="xtensa-lx106-elf-gcc"),
        Package("qemu-system-misc", command="qemu-system-xtensa"),
    ),
    trap='__asm__ volatile("ill");',
    instruction_alignment=1,
    alignment=4,
    constants_in_ram=True,
    constant_alignment=4,
)
