"""Compilation targets: a board or a bare part, the memory that it offers to programs, and the timing of its core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Timing:
    """The cycles of a core's instructions as published by its maker, with memories without wait states.

    source: the publication. load: cycles of a load of a single register, or of a store with an index register; one less
    directly after another load that does not supply its address. several: cycles of a load or store of N registers in
    addition to N. stall: additional cycles of a load or store whose address the previous instruction computes. refill:
    additional cycles of a taken branch. cycles: of other instructions, by mnemonic without condition and width; `vmov
    core` stands for moves between core and floating-point registers. An instruction that is not listed takes one cycle.
    mean: measured cycles of an instruction of compiled programs.
    """

    source: str
    load: int
    several: int
    stall: int
    refill: int
    cycles: Mapping[str, int] = field(hash=False)
    mean: float = 1.0


@dataclass(frozen=True)
class Board:
    """A target and its properties.

    part: the chip on it, by the simulator's name; flags: the C compiler flags for that part. flash, ram: bytes
    available to a program, None if unlimited. unit: the unit of time of the runner. costs: the name of the cost table
    in the chip's folder, "" if there is none; boards with the same core share a table. larger: a board with the same
    core and more memory, used to measure programs that do not fit. features: instruction sets and extensions that
    kernels may need. timing: the published timing of its core, if the runner counts instructions and the memories have
    no wait states.
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
    timing: Timing | None = None
