"""The AVR chip: constants live in program memory, which only LPM can read, and int has 16 bits."""

from pathlib import Path

from tinyml.targets.avr.composer.compose import compose, functions
from tinyml.targets.avr.kernels import CODER, FORESTS, KERNELS, PACKED_READS, TILES
from tinyml.targets.board import Board
from tinyml.targets.c.helpers import read_helpers
from tinyml.targets.chip import INPUTS, Chip
from tinyml.targets.package import Package

_FOLDER = Path(__file__).parent
_PRELUDE, _HELPERS = read_helpers(_FOLDER / "helpers.h")

# gcc would hoist values that take one instruction to load out of loops, into registers that must be saved on the stack.
_OPTIONS = """\
#ifdef __AVR__
#pragma GCC optimize ("no-move-loop-invariants")
#endif
"""

CHIP = Chip(
    "avr",
    folder=_FOLDER,
    programs={input: _FOLDER / f"{input}.ino.in" for input in INPUTS},
    runner="tinyml.runtime.devices.avr:AvrRunner",
    figures="tinyml.tools.calibration.avr:print_costs",
    boards=(
        # The boot loader's section is not available to programs.
        Board(
            "uno",
            "atmega328p",
            flash=32256,
            ram=2048,
            unit="cycles",
            flags=("-mmcu=atmega328p",),
            costs="uno",
            larger="atmega1284p",
        ),
        Board(
            "atmega1284p",
            "atmega1284p",
            flash=130048,
            ram=16384,
            unit="cycles",
            flags=("-mmcu=atmega1284p",),
            costs="uno",
        ),
    ),
    kernels=KERNELS,
    compose=compose,
    tiles=TILES,
    coder=CODER,
    forests=FORESTS,
    functions=functions,
    packed_reads=PACKED_READS,
    prefix="avr-",
    flags=(
        "-DF_CPU=16000000UL",
        # Let the linker accept programs that are too large for the part, so that reports can say by how much.
        "-Wl,--defsym=__TEXT_REGION_LENGTH__=0x40000",
        "-Wl,--defsym=__DATA_REGION_LENGTH__=0xfe00",
    ),
    packages=(
        Package("gcc-avr", command="avr-gcc"),
        Package("avr-libc", header="avr/io.h", compiler=("avr-gcc", "-mmcu=atmega328p")),
        Package("libsimavr-dev", header="simavr/sim_avr.h"),
        Package("libelf-dev", header="libelf.h"),
    ),
    alignment=1,
    object_bytes=32767,
    flash_bytes=65536,
    flash_attribute="TM_FLASH",
    small_counter="uint8_t",
    options=_OPTIONS,
    int24=_HELPERS["tm_int24"],
    prelude=_PRELUDE,
    # The word 1 is no instruction.
    trap='__asm__ volatile(".word 1");',
    helpers=_HELPERS,
)
