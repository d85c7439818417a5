"""Compilation targets: a board or a bare part, its memory for programs, and the timing of its core."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

TimeSource: TypeAlias = Literal["simulated", "published", "modelled", "least"]
"""The source of a board's times.

A cycle-accurate simulator of its core; the published timing of its core, without wait states; a model of its pipeline,
if no timing is published; or one cycle per instruction, a lower bound.
"""


@dataclass(frozen=True)
class Timing:
    """The cycles of a core's instructions as published by its maker, with memories without wait states.

    source: the publication. load: cycles of a load of a single register, or of a store with an index register; one less
    directly after another load that does not supply its address, if loads are `pipelined`. store: cycles of a store
    without an index register. several: cycles of a load or store of N registers in addition to N. stall: additional
    cycles of a load or store whose address the previous instruction computes. refill: additional cycles of a taken
    branch. cycles: those of other instructions, by mnemonic without condition and width; `vmov core` denotes moves
    between core and floating-point registers. An instruction that is not listed takes one cycle. mean: measured cycles
    of an instruction of compiled programs. modelled: true for a model of a core whose timing is not published.
    """

    source: str
    load: int
    several: int
    stall: int
    refill: int
    cycles: Mapping[str, int] = field(hash=False)
    mean: float = 1.0
    store: int = 1
    pipelined: bool = True
    modelled: bool = False


class Logic:
    """The logic of an FPGA; the backend of its chip (`Chip.backend`) defines the details."""


@dataclass(frozen=True)
class Board:
    """A target and its properties.

    part: the chip on it, by the simulator's name; flags: the C compiler flags for that part. flash, ram: bytes
    available to a program, None if unlimited. unit: the unit of time of the runner. costs: the name of the cost table
    in the folder of the chip or of the one that it extends, "" if there is none; boards with the same core share a
    table. larger: a board with the same
    core and more memory, used to measure programs that do not fit. features: instruction sets and extensions that
    kernels may need. timing: the published timing of its core, if the runner counts instructions and the memories have
    no wait states.

    title: the name printed on it; aliases: other names of the target, for boards with the same part and memories. core:
    the core of the part. clock: in Hz, as its usual software sets it; None if unknown. source: the publication of its
    clock and memories. issues: instructions that the core may start in a cycle. waits: the memory whose wait states its
    times exclude. arduino: its names for Arduino's tools, `VENDOR:ARCHITECTURE:BOARD`, the usual one first. platformio:
    its name for PlatformIO, `PLATFORM:BOARD`, or the platform alone if that needs no board. fabric: the logic of an
    FPGA, for which programs become hardware modules.
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
    title: str = ""
    aliases: tuple[str, ...] = ()
    core: str = ""
    clock: int | None = None
    issues: int = 1
    source: str = ""
    waits: str = ""
    arduino: tuple[str, ...] = ()
    platformio: str = ""
    fabric: Logic | None = None

    @property
    def names(self) -> Sequence[str]:
        """The name and the aliases."""
        return (self.name, *self.aliases)

    @property
    def time_source(self) -> TimeSource | None:
        """Source of times in seconds: `simulated` cycles, `published` or `modelled` timing, or `least`, where only
        instructions are counted; None without a clock.
        """
        if self.clock is None:
            return None
        if self.unit == "cycles":
            return "simulated"
        if self.timing is None:
            return "least"
        return "modelled" if self.timing.modelled else "published"

    def with_memories(self, flash: int, ram: int) -> Board:
        """The same core and clock with other memories, in bytes.

        Its name is that of the board followed by both sizes, such as `cortex-m33-512K-128K`.
        """
        if (flash, ram) == (self.flash, self.ram):
            return self
        return replace(
            self,
            name=f"{self.name}-{_spelled(flash)}-{_spelled(ram)}",
            flash=flash,
            ram=ram,
            title=f"{self.core or self.name} with {_spelled(flash)} of flash and {_spelled(ram)} of RAM",
            aliases=(),
            source="",
        )

    def misfit(self, why: str) -> str:
        """The message for a program that does not fit the board. why: its needs, or a missing feature."""
        return f"does not fit {self.name} ({self.part}): {why}"

    def need(self, flash: int, ram: int | str) -> str:
        """The required and available bytes, for `misfit`; flash is 0 if it is unknown."""
        needed = f"{f'{flash} bytes of flash and ' if flash else ''}{ram} bytes of RAM"
        return f"needs {needed}, the board has {self.flash} of flash and {self.ram} of RAM"

    def milliseconds(self, count: float | None, core_cycles: float | None) -> float | None:
        """The time of an inference; None if it or the clock is unknown.

        count: in `unit`. core_cycles: by the published timing; None without one.
        """
        cycles = None if count is None else count / self.issues
        cycles = cycles if core_cycles is None else core_cycles
        return None if cycles is None or self.clock is None else 1000 * cycles / self.clock


_UNITS: Mapping[str, int] = {"M": 1 << 20, "K": 1 << 10, "": 1}

_LARGEST, _GRAIN = 1 << 28, 16
"""The largest memory in bytes, and the number of which each size is a multiple, since stacks must be aligned."""

SIZES = f"a multiple of {_GRAIN} bytes up to 256M, such as 65536, 512K or 2M"
"""The syntax that `bytes_of` accepts, for messages."""


def bytes_of(text: str) -> int | None:
    """The bytes of a memory size in text (`SIZES`); None for any other text."""
    found = re.fullmatch(r"([0-9]{1,9})([KMkm]?)", text)
    size = 0 if found is None else int(found[1]) * _UNITS[found[2].upper()]
    return size if 0 < size <= _LARGEST and size % _GRAIN == 0 else None


def _spelled(size: int) -> str:
    """The shortest exact spelling that `bytes_of` reads."""
    return next(f"{size // unit}{suffix}" for suffix, unit in _UNITS.items() if size % unit == 0)


def emulated_memories(board: Board) -> Sequence[str]:
    """Linker flags for the memories of a board, in the form that linker scripts of emulated chips use."""
    return f"-Wl,--defsym=tm_flash_bytes={board.flash}", f"-Wl,--defsym=tm_ram_bytes={board.ram}"
