"""A compilation target: a board, or a bare part, the memory it offers to programs and the timing of its core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Timing:
    """Cycles of a core's instructions as its maker publishes them, with memories that never wait.

    source: the publication. load: cycles of a load of a single register, or of a store with an index register; one less
    right after another load that it does not take its address from. several: cycles of a load or store of N registers
    beside N. stall: further cycles of a load or store whose address the instruction before computes. refill: further
    cycles of a taken branch. cycles: those of other instructions by mnemonic, without condition and width; `vmov core`
    stands for moves between core and floating-point registers. An instruction that is not listed takes one cycle. mean:
    measured cycles of an instruction of compiled programs.
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

    part: the chip on it, as the simulator calls it; flags: the C compiler flags for that part. flash, ram: bytes
    available to a program, None if unlimited. unit: the unit of time of the runner. costs: the name of the cost table
    in the chip's folder, "" if there is none; boards with the same core share a table. larger: a board with the same
    core and more memory, used to measure programs that do not fit. features: instruction sets and extensions that
    kernels may need. timing: the published timing of its core, if the runner counts instructions and the memories do
    not wait.
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
