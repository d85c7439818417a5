"""A 32-bit RISC-V core with the vector extension for integers, in registers of at least 128 bits."""

from pathlib import Path

from rvv.kernels import MAKERS
from tinyml.extend.chips import Board, Chip, Package, emulated_memories
from tinyml.extend.runners import chip_of

_PREFIX = "riscv64-unknown-elf-"
_LIBRARIES = [
    f"-L{folder}" for folder in sorted(Path("/usr/lib/gcc/riscv64-unknown-elf").glob("*/rv32imac/ilp32"), reverse=True)
]
"""Options with the folders of libgcc, the newest version first. clang does not search these folders by itself."""

CHIP = Chip(
    "rvv",
    folder=Path(__file__).parent,
    runner="rvv.runner:RvvRunner",
    extends=chip_of("riscv"),
    boards=(
        Board(
            "rvv",
            "rv32imac_zve32x_zvl128b",
            flash=4194304,
            ram=2097152,
            flags=("-march=rv32imac_zve32x_zvl128b", "-mabi=ilp32"),
            costs="riscv",
            features=("m",),
            title="RV32IMAC with vectors of 128 bits, 4 MiB of flash and 2 MiB of RAM",
        ),
    ),
    memory_flags=emulated_memories,
    makers=MAKERS,
    prefix=_PREFIX,
    compiler="clang-19",
    macros=("__riscv",),
    # clang also counts the characters of assembly.
    flags=("--target=riscv32-unknown-elf", "-ffreestanding", "-Wno-overlength-strings"),
    # No warnings about attributes of gcc in the harness, or about linker options where nothing is linked.
    harness_flags=(
        *("-nostdlib", f"--ld-path=/usr/bin/{_PREFIX}ld", "-Wl,-melf32lriscv"),
        *("-Wno-unused-command-line-argument", "-Wno-unknown-attributes"),
    ),
    libraries=(*_LIBRARIES, "-lgcc"),
    packages=(
        Package("clang-19", command="clang-19"),
        Package("gcc-riscv64-unknown-elf", command=f"{_PREFIX}gcc"),
        Package("qemu-system-misc", command="qemu-system-riscv32"),
    ),
    # The halfword 0 is not an instruction.
    trap='__asm__ volatile(".half 0");',
    alignment=4,
    constant_alignment=4,
    replaces=("tinyml/copy.h",),
)
