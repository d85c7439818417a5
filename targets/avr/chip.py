"""The AVR chip. Constants are in program memory, which only LPM and ELPM can read, and int has 16 bits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tinyml.targets.avr.boards import BOARDS, MUL, memory_flags
from tinyml.targets.avr.composer.compose import functions
from tinyml.targets.avr.kernels import KERNEL_TABLE, PACKED_READS
from tinyml.targets.chip import Chip
from tinyml.targets.package import Package

_DEFINITION = re.compile(r"\b(tm_\w+)[(;]")


def _read_helpers(file: Path) -> tuple[str, Mapping[str, str]]:
    """The prelude of a file of C functions, and its other blocks by name, in file order.

    A block is text between blank lines. Its name is that of the `tm_...` function or type that it defines. A block that
    defines no such name belongs to the prelude. Blocks that begin with a comment are omitted.
    """
    prelude: list[str] = []
    helpers: dict[str, str] = {}
    for block in re.split(r"\n\n+", file.read_text("utf-8").strip("\n")):
        if block.startswith("/*"):
            continue
        if (definition := _DEFINITION.search(block)) is None:
            prelude.append(f"{block}\n")
        else:
            helpers[definition[1]] = f"{block}\n"
    return "\n".join(prelude), helpers


_FOLDER = Path(__file__).parent
_PRELUDE, _HELPERS = _read_helpers(_FOLDER / "helpers.h")

# gcc would hoist values that take one instruction to load out of loops, into registers that must be saved on the stack.
_OPTIONS = """\
#ifdef __AVR__
#pragma GCC optimize ("no-move-loop-invariants")
#endif
"""

# With -Os, gcc keeps pointers of loops in memory beside the sums, where an access takes 8 cycles.
_SUMS_OPTIONS = """\
#ifdef __AVR__
__attribute__((__optimize__("O2")))
#endif
"""

_INT24 = """\
#ifdef __AVR__
#define TM_INT24 __int24
#else
#define TM_INT24 int32_t
#endif
"""

_FLASH_TEXT = """\
/* The type by which Arduino's print and println tell strings in program memory from others; elsewhere there is none. */
#if defined(__AVR__) && defined(ARDUINO) && defined(__cplusplus)
class __FlashStringHelper;
#define TM_FLASH_TEXT __FlashStringHelper
#else
#define TM_FLASH_TEXT char
#endif
"""

LPM_BYTES = 1 << 16
"""The bytes of flash that LPM can address. The linker places constants before all code except the vectors."""

_OTHER_BYTES = 1024
"""The bytes reserved for the vectors of the largest part and for the constants of Arduino's core and of a short
sketch.
"""

CHIP = Chip(
    "avr",
    folder=_FOLDER,
    runner="tinyml.runtime.devices.avr:AvrRunner",
    figures="tinyml.tools.calibration.avr:print_costs",
    boards=BOARDS,
    memory_flags=memory_flags,
    memories_of_part=True,
    makers=KERNEL_TABLE,
    functions=functions,
    packed_reads=PACKED_READS,
    prefix="avr-",
    macros=("__AVR_",),
    harness_flags=(
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
    flash_bytes=LPM_BYTES - _OTHER_BYTES,
    flash_attribute="TM_FLASH",
    flash_text=_FLASH_TEXT,
    small_counter="uint8_t",
    weighted_sums=MUL,
    options=_OPTIONS,
    sums_options=_SUMS_OPTIONS,
    int24=_INT24,
    prelude=_PRELUDE,
    # The word 1 is not an instruction.
    trap='__asm__ volatile(".word 1");',
    helpers=_HELPERS,
)
