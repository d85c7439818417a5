"""A compilation target: a board, or a bare part, and the memory it offers to programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Board:
    """A target and its properties.

    part: the chip on it, as the simulator calls it; flags: the C compiler flags for that part. flash, ram: bytes
    available to a program, None if unlimited. unit: the unit of time of the runner. costs: the name of the cost table
    in the chip's folder, "" if there is none; boards with the same core share a table. larger: a board with the same
    core and more memory, used to measure programs that do not fit. features: instruction sets and extensions that
    kernels may need.
    """

    name: str
    part: str
    flash: int | None = None
    ram: int | None = None
    unit: str = "instructions"
    flags: tuple[str, ...] = ()
    costs: str = ""
    larger: str | None = None
    features: tuple[str, ...] = ()
