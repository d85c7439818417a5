"""Boards that a model is compiled for: how C is printed for them, which device stands for them, what they hold."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.errors import InputError


@dataclass(frozen=True)
class Board:
    """printed_for: the target of the C printer. device: the runner that measures; mcu: its chip, where it has a choice.

    flash, ram: bytes that a program may use, None where nothing limits it. unit: what the device counts.
    """

    name: str
    printed_for: str
    device: str
    mcu: str | None
    flash: int | None
    ram: int | None
    unit: str


_AVR = {
    # Flash less the boot loader's section.
    "atmega328p": (32256, 2048),
    "atmega1284p": (130048, 16384),
}

UNO = Board("uno", "avr", "simavr", "atmega328p", *_AVR["atmega328p"], "cycles")

BOARDS = {
    board.name: board
    for board in (
        UNO,
        Board("avr", "avr", "simavr", "atmega328p", *_AVR["atmega328p"], "cycles"),
        # BBC micro:bit (nRF51822) and Arduino Nano 33 BLE (nRF52840).
        Board("cortex-m0", "cortex-m", "cortex-m0", None, 262144, 16384, "instructions"),
        Board("cortex-m4", "cortex-m", "cortex-m4", None, 1048576, 262144, "instructions"),
        Board("host", "host", "host", None, None, None, "cycles"),
    )
}


def board(name: str, mcu: str | None = None) -> Board:
    """A board by name, with another chip where it may have one; raises `InputError` for what does not exist."""
    if name not in BOARDS:
        raise InputError(f"unknown target '{name}' (one of {', '.join(BOARDS)})")
    found = BOARDS[name]
    if mcu is None:
        return found
    if name != "avr":
        raise InputError(f"target '{name}' has no choice of mcu: use --target avr --mcu {mcu}")
    if mcu not in _AVR:
        raise InputError(f"unknown mcu '{mcu}' (one of {', '.join(_AVR)})")
    flash, ram = _AVR[mcu]
    return Board(name, found.printed_for, found.device, mcu, flash, ram, found.unit)
