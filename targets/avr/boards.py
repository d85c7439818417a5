"""The AVR boards. The flash of a board is the memory that programs can use, without the boot loader section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tinyml.targets.board import Board

MUL = "mul"
"""Board feature: a hardware multiplier for bytes."""

ELPM = "elpm"
"""Board feature: more than 64 KB of flash, read with ELPM."""

_ARDUINO = "arduino-core-avr 1.8.7, boards.txt"


def _flags(part: str, clock: int) -> tuple[str, ...]:
    return f"-mmcu={part}", f"-DF_CPU={clock}UL"


_UNO = Board(
    "uno",
    "atmega328p",
    flash=32256,
    ram=2048,
    unit="cycles",
    flags=_flags("atmega328p", 16_000_000),
    costs="uno",
    larger="atmega1284p",
    features=(MUL,),
    title="Arduino Uno",
    aliases=("atmega328p",),
    core="AVR with MUL",
    clock=16_000_000,
    source=_ARDUINO,
    arduino=("arduino:avr:uno",),
    platformio="atmelavr:uno",
)

BOARDS = (
    _UNO,
    # The boot loader of older boards takes 2 KiB.
    replace(
        _UNO,
        name="nano",
        flash=30720,
        title="Arduino Nano",
        aliases=(),
        arduino=("arduino:avr:nano",),
        platformio="atmelavr:nanoatmega328",
    ),
    replace(
        _UNO,
        name="mega",
        part="atmega2560",
        flash=253952,
        ram=8192,
        flags=_flags("atmega2560", 16_000_000),
        features=(MUL, ELPM),
        title="Arduino Mega 2560",
        aliases=("atmega2560",),
        larger=None,
        arduino=("arduino:avr:mega:cpu=atmega2560",),
        platformio="atmelavr:megaatmega2560",
    ),
    replace(
        _UNO,
        name="leonardo",
        part="atmega32u4",
        flash=28672,
        ram=2560,
        flags=_flags("atmega32u4", 16_000_000),
        title="Arduino Leonardo, Micro",
        aliases=("micro", "atmega32u4"),
        arduino=("arduino:avr:leonardo",),
        platformio="atmelavr:leonardo",
    ),
    Board(
        "attiny85",
        "attiny85",
        flash=8192,
        ram=512,
        unit="cycles",
        flags=_flags("attiny85", 8_000_000),
        costs="attiny85",
        larger="avr35",
        title="ATtiny85",
        core="AVR without MUL",
        clock=8_000_000,
        source="ATtiny85 data sheet; the internal oscillator, programmed without a boot loader",
    ),
    # The core of an ATmega32U2 with the memories of an ATmega1284P, for programs too large for an ATtiny85.
    Board(
        "avr35",
        "atmega1284p",
        flash=130048,
        ram=16384,
        unit="cycles",
        flags=("-mmcu=atmega32u2", "-Wl,--defsym=__stack=0x40ff"),
        costs="attiny85",
        title="AVR without MUL with the memories of an ATmega1284P",
        core="AVR without MUL",
    ),
    replace(
        _UNO,
        name="atmega1284p",
        part="atmega1284p",
        flash=130048,
        ram=16384,
        flags=_flags("atmega1284p", 16_000_000),
        larger=None,
        features=(MUL, ELPM),
        title="ATmega1284P",
        aliases=(),
        source="ATmega1284P data sheet; a boot loader of 1 KiB, a crystal of 16 MHz",
        arduino=(),
        platformio="",
    ),
)

_RAM_START: Mapping[str, int] = {"atmega2560": 0x200, "attiny85": 0x60}
"""The start address of RAM, after the registers, by part; 0x100 for others."""

_DATA_SPACE = 0x800000
"""The offset of RAM addresses in ELF files."""


def memory_flags(board: Board) -> Sequence[str]:
    """The linker flags that define the memories of a board."""
    memories = {
        "TEXT_REGION_LENGTH": board.flash,
        "DATA_REGION_ORIGIN": _DATA_SPACE + _RAM_START.get(board.part, 0x100),
        "DATA_REGION_LENGTH": board.ram,
    }
    return [f"-Wl,--defsym=__{name}__={value}" for name, value in memories.items()]
