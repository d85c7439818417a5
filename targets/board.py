"""A board, or a part alone: what a `--target` is, and how much memory programs have there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A target by its name.

    part: the chip on it, as the simulator calls it; flags: what the C compiler is told of that part. flash, ram: bytes
    that a program may use, None where nothing limits them. unit: what the runner counts. costs: the name of the cost
    table in the chip's folder, "" without one; boards with the same core share one. larger: a board with the same core
    and more memory, on which a program that does not fit is measured instead. arduino: does the Arduino IDE know it?
    """

    name: str
    part: str
    flash: int | None = None
    ram: int | None = None
    unit: str = "instructions"
    flags: tuple[str, ...] = ()
    costs: str = ""
    larger: str | None = None
    arduino: bool = False
