"""Compilation targets. A target is a board or a bare part, with the memory available to programs and the timing of the
core.
"""

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
    """The cycles of a core's instructions as published by its manufacturer, for memories without wait states.

    * source: the publication.
    * load: the cycles of a load of a single register, or of a store with an index register.
    * pipelined: true if a load directly after another load takes one cycle less, unless its address is the result of
      the other load.
    * store: the cycles of a store without an index register.
    * several: the cycles of a load or store of N registers in addition to N.
    * stall: the additional cycles of a load or store whose address the previous instruction computes.
    * refill: the additional cycles of a taken branch.
    * cycles: the cycles of other instructions, by mnemonic without condition and width. `vmov core` denotes moves
      between core and floating-point registers. An instruction that is not listed takes one cycle.
    * mean: the measured cycles per instruction of compiled programs.
    * modelled: true for a model of a core whose timing is not published.
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
    """The base class of an FPGA's logic. The hardware backend of the chip (`Chip.backend`) defines the fields."""


@dataclass(frozen=True)
class Board:
    """A compilation target and its properties.

    * name: the name of the target.
    * part: the chip on the board, by the simulator's name.
    * flags: the C compiler flags for that part.
    * flash, ram: the bytes available to a program, None if unlimited.
    * unit: the unit in which the runner measures time.
    * costs: the name of the cost table in the folder of the chip or of the chip that it extends, "" if there is none.
      Boards with the same core share a table.
    * larger: a board with the same core and more memory, on which programs that do not fit this board are measured.
    * features: instruction sets and extensions that kernels may need.
    * timing: the published timing of the core, if the runner counts instructions and the memories have no wait states.
    * title: the name printed on the board.
    * aliases: other names of the target, for boards with the same part and memories.
    * core: the core of the part.
    * clock: the frequency in Hz that the board's usual software sets; None if unknown.
    * source: the publication of the clock and memories.
    * issues: the number of instructions that the core may start per cycle.
    * waits: the memory whose wait states are not included in times.
    * arduino: the board's names for Arduino's tools, `VENDOR:ARCHITECTURE:BOARD`, the primary name first.
    * platformio: the board's name for PlatformIO, `PLATFORM:BOARD`, or only the platform if no board is needed.
    * fabric: the logic of an FPGA, for which programs are compiled to hardware modules.
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
        """The name of the board, followed by its aliases."""
        return (self.name, *self.aliases)

    @property
    def time_source(self) -> TimeSource | None:
        """The method by which times in seconds are determined; None for a board without a clock.

        The result is `simulated` for simulated cycles, `published` or `modelled` for a timing, and `least` if only
        instructions are counted.
        """
        if self.clock is None:
            return None
        if self.unit == "cycles":
            return "simulated"
        if self.timing is None:
            return "least"
        return "modelled" if self.timing.modelled else "published"

    def with_memories(self, flash: int, ram: int) -> Board:
        """A board with the same core and clock, but with memories of the given sizes in bytes.

        Its name is that of this board followed by both sizes, such as `cortex-m33-512K-128K`. If the sizes are those of
        this board, the result is this board.
        """
        if (flash, ram) == (self.flash, self.ram):
            return self
        return replace(
            self,
            name=f"{self.name}-{spelled_size(flash)}-{spelled_size(ram)}",
            flash=flash,
            ram=ram,
            title=f"{self.core or self.name} with {spelled_size(flash)} of flash and {spelled_size(ram)} of RAM",
            aliases=(),
            source="",
        )

    def misfit(self, why: str) -> str:
        """The error message for a program that does not fit the board.

        why: the required memory, or a missing feature.
        """
        return f"does not fit {self.name} ({self.part}): {why}"

    def shortage(
        self,
        flash: float,
        ram: float,
        *,
        flash_limit: int | None = None,
        ram_limit: int | None = None,
        without_stack: bool = False,
    ) -> str:
        """The part of the message of `misfit` that states the required and the available bytes of each memory that a
        program exceeds. If it exceeds none, the text states that it fills almost all memory of the board.

        flash: the required bytes of flash; 0 if unknown.
        ram: the required bytes of RAM.
        flash_limit, ram_limit: the limits of the options `--flash` and `--ram`.
        without_stack: true if `ram` is a lower bound, without the stack.
        """
        short: list[str] = []
        for memory, needed, limit, available, more in (
            ("RAM", ram, ram_limit, self.ram, "more than " if without_stack else ""),
            ("flash", flash, flash_limit, self.flash, ""),
        ):
            if limit is not None and needed > limit:
                short.append(f"needs {more}{needed:,.0f} bytes of {memory}, --{memory.lower()} allows {limit:,}")
            elif available is not None and needed > available:
                short.append(f"needs {more}{needed:,.0f} bytes of {memory}, the board has {available:,}")
        return (
            " and ".join(short) or f"needs {ram:,.0f} bytes of RAM and {flash:,.0f} of flash, almost all of the board's"
        )

    def milliseconds(self, count: float | None, core_cycles: float | None) -> float | None:
        """The time of an inference in milliseconds; None if the time or the clock is unknown.

        count: the time in `unit`.
        core_cycles: the time in cycles by the published timing; None without a published timing.
        """
        cycles = None if count is None else count / self.issues
        cycles = cycles if core_cycles is None else core_cycles
        return None if cycles is None or self.clock is None else 1000 * cycles / self.clock


_UNITS: Mapping[str, int] = {"M": 1 << 20, "K": 1 << 10, "": 1}

_LARGEST, _GRAIN = 1 << 28, 16
"""The largest memory size in bytes, and the number of which each size must be a multiple, since stacks are aligned."""

SIZES = f"a multiple of {_GRAIN} bytes up to 256M, such as 65536, 512K or 2M"
"""The syntax that `bytes_of` accepts, for messages."""


def bytes_of(text: str) -> int | None:
    """The number of bytes if `text` is a valid memory size (`SIZES` describes the form); None for any other string."""
    found = re.fullmatch(r"([0-9]{1,9})([KMkm]?)", text)
    size = 0 if found is None else int(found[1]) * _UNITS[found[2].upper()]
    return size if 0 < size <= _LARGEST and size % _GRAIN == 0 else None


def spelled_size(size: int) -> str:
    """The shortest text from which `bytes_of` parses exactly this memory size."""
    return next(f"{size // unit}{suffix}" for suffix, unit in _UNITS.items() if size % unit == 0)


def emulated_memories(board: Board) -> Sequence[str]:
    """The linker flags that define the memories of a board for the linker scripts of emulated chips."""
    return f"-Wl,--defsym=tm_flash_bytes={board.flash}", f"-Wl,--defsym=tm_ram_bytes={board.ram}"
