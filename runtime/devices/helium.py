"""The runner of Cortex-M cores with Helium in QEMU. A model of the core's pipeline estimates the cycles."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from tinyml.runtime.devices.cortex_m import disassembled
from tinyml.runtime.devices.device import Build
from tinyml.runtime.devices.qemu import QemuRunner
from tinyml.runtime.devices.toolchain import call_tool, symbols
from tinyml.targets.board import Timing
from tinyml.targets.chip import Chip
from tinyml.targets.composer.instructions import Instruction, cycles_of_each
from tinyml.targets.helium.mve import GATHERED_PER_CYCLE, INTEGER, MEMORY, MULTIPLY, VECTOR_CYCLES

_LOOP, _ALIGNMENT = 0x100, 9
"""In the plugin's table, the bit that marks the end of a low-overhead loop, and the position of the alignment."""


@dataclass(frozen=True)
class _Vector:
    """A decoded vector instruction.

    unit, held: the execution unit, and the number of cycles for which the instruction occupies it.
    aligned: the required alignment of each memory access, in bytes.
    """

    unit: str
    held: int = VECTOR_CYCLES
    aligned: int = 1


@lru_cache(1 << 12)
def decoded(code: int) -> _Vector | None:
    """The vector instruction that an opcode encodes; None for other opcodes.

    The result contains the properties that determine cycles and alignment. Source: Arm DDI 0553, Armv8-M Architecture
    Reference Manual, C2.4.
    """
    high, low = code >> 16, code & 0xFFFF
    if high >> 10 & 0b111011 != 0b111011:
        return None
    if (high >> 9 & 7, low >> 9 & 7) == (0b110, 0b111):
        return _access(high, low)
    # Bits 11 to 8 of the first halfword are equal for all vector operations on registers.
    match high >> 8 & 0xF:
        case 0b1111:
            # VMUL of integers and floats, VFMA and VFMS, VQDMULH and VQRDMULH.
            product = high & 0x80 == 0 and low & 0xF50 in (0x950, 0xD50, 0xC50, 0xB40)
            return _Vector(MULTIPLY if product else INTEGER)
        case 0b1110 if low >> 9 & 7 == 0b111:
            across = high & 0x83 == 0x81 and low >> 8 & 1 == 1  # VADDV
            sums = high & 0x80 == 0x80 and low & 0xD0 == 0 and not across  # VMLADAV and its relatives
            plain = high & 0x80 == 0 and high >> 4 & 3 != 3
            by_scalar = plain and low & 0x160 in (0x40, 0x60)  # VMLA, VMUL, VQDMULH, VQRDMULH
            long = plain and low & 0x150 == 0 and high & 1 == 1  # VMULL, VMULH
            return _Vector(MULTIPLY if sums or by_scalar or long else INTEGER)
        case 0b1110 if low >> 8 & 0xF == 0b1011 and low & 0xF == 0:
            # VDUP; moves of single lanes are scalar.
            return _Vector(INTEGER) if low & 0x50 == 0x10 and high & 0xB0 == 0xA0 else None
        case _:
            return None


def _access(high: int, low: int) -> _Vector | None:
    """The vector load or store that two halfwords encode; None for a move between core registers and lanes."""
    indexed, added, written = high >> 8 & 1, high >> 7 & 1, high >> 5 & 1
    plain = low >> 12 & 1
    if plain and high >> 12 == 0xF:
        # A vector of addresses.
        return _Vector(MEMORY, aligned=4)
    if indexed or written:
        size = low >> 7 & 3 if plain else high >> 3 & 1
        return _Vector(MEMORY, aligned=1 << min(size, 2))
    if not added:
        # A move between two core registers and two lanes.
        return None
    size = (low >> 6 & 1) << 1 | low >> 4 & 1
    elements = 16 >> (low >> 7 & 3)
    return _Vector(MEMORY, max(elements // GATHERED_PER_CYCLE, VECTOR_CYCLES), 1 << min(size, 2))


def _instruction(code: int) -> Instruction | None:
    vector = decoded(code)
    return None if vector is None else Instruction("", "", 4, unit=vector.unit, held=vector.held)


@lru_cache(4)
def _table(chip: Chip, elf: Path, timing: Timing, written: int) -> bytes:
    """The table of the instructions of a program, in the format that the QEMU plugin reads. The result is cached.

    timing: the timing of the core.
    written: the file's modification time, which is part of the cache key.
    """
    table, text = symbols(chip, elf), call_tool(chip, "objdump", ["-d", elf])
    first, end = table["tm_harness_start"], table["tm_program_end"]
    codes = dict[int, int]()
    for line in text.splitlines():
        parts = line.split("\t")
        if len(parts) > 1 and len(parts[1].replace(" ", "")) == 8:
            codes[int(parts[0].strip(" :"), 16)] = int(parts[1].replace(" ", ""), 16)
    halfwords = array("H", bytes(end - first))
    instructions = disassembled(text, _instruction)
    inside = {at: instructions[at] for at in sorted(instructions) if first <= at < end}
    for (at, instruction), cycles in zip(inside.items(), cycles_of_each(timing, inside.values()), strict=True):
        vector = decoded(codes[at]) if at in codes else None
        aligned = 0 if vector is None or vector.unit != MEMORY else vector.aligned.bit_length()
        loop = _LOOP if instruction.name in ("le", "letp") else 0
        halfwords[(at - first) // 2] = min(cycles, 0xFF) | loop | aligned << _ALIGNMENT
    return halfwords.tobytes()


@dataclass(frozen=True)
class HeliumRunner(QemuRunner):
    """The runner of a Cortex-M55 in QEMU, which also executes the programs of a Cortex-M85.

    The branch at the end of a low-overhead loop is counted in each iteration, because QEMU executes this instruction
    although the core skips it. The plugin raises a fault for a vector access without the alignment that the
    architecture requires, because QEMU does not.
    """

    emulator: ClassVar[Sequence[str]] = ("qemu-system-arm", "-M", "mps3-an547")
    code: ClassVar[int] = 1

    def table(self, build: Build) -> bytes | None:
        timing = self.board.timing
        assert timing is not None
        return _table(self.chip, build.elf, timing, build.elf.stat().st_mtime_ns)
