"""Cycles of Thumb code by the published timing of a core, from its disassembly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from tinyml.runtime.devices.toolchain import call_tool
from tinyml.targets.board import Timing
from tinyml.targets.chip import Chip
from tinyml.targets.composer.thumb import ThumbInstruction, cycles_of_block

_LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f]{4}(?: [0-9a-f]{4})?) *\t([a-z]\S*)(?:\t([^@;<\n]*))?", re.MULTILINE)


class ThumbCycles:
    """Cycles of the blocks of a linked program.

    Data-dependent effects are ignored: early termination of divisions (the timing has a mean), failing conditions in IT
    blocks, unaligned accesses, stalls on floating-point results, and instruction fetches that conflict with loads from
    flash.
    """

    def __init__(self, timing: Timing, chip: Chip, elf: Path) -> None:
        self._timing = timing
        self._instructions = _disassembly(chip, elf, elf.stat().st_mtime_ns)

    @property
    def refill(self) -> int:
        """Extra cycles of a taken branch."""
        return self._timing.refill

    def block(self, addresses: Sequence[int]) -> int:
        """Cycles of consecutive instructions; a branch at the end counts as not taken."""
        instructions = [self._instructions[address] for address in addresses if address in self._instructions]
        # Illegal instructions have no disassembly.
        return len(addresses) - len(instructions) + cycles_of_block(self._timing, instructions)


@lru_cache(4)
def _disassembly(chip: Chip, elf: Path, written: int) -> dict[int, ThumbInstruction]:
    """The instructions of an ELF file by address. written: its modification time, part of the cache key."""
    text = call_tool(chip, "objdump", ["-d", elf])
    return {
        int(address, 16): ThumbInstruction(2 if len(code) == 4 else 4, name.split(".")[0], operands or "")
        for address, code, name, operands in _LINE.findall(text)
    }
