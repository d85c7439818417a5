"""Cycles of Thumb code by the published timing of a core, from its disassembly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from tinyml.runtime.devices.toolchain import call_tool
from tinyml.targets.board import Timing
from tinyml.targets.chip import Chip

_LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f]{4}(?: [0-9a-f]{4})?) *\t([a-z]\S*)(?:\t([^@;<\n]*))?", re.MULTILINE)
_CONDITION = r"(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
_SINGLE = re.compile(rf"(ldr|str)(?:b|h|sb|sh)?{_CONDITION}")
_SEVERAL = re.compile(
    rf"(?:(?:ldr|str)d|(?:ldm|stm)(?:ia|db|ea|fd)?|v?push|v?pop|v(?:ldr|str)|v(?:ldm|stm)(?:ia|db)?){_CONDITION}"
)
_BRANCH = re.compile(rf"b(?:l|x|lx)?{_CONDITION}|cbn?z|tb[bh]")
_COMPARISON = re.compile(rf"(?:cmp|cmn|tst|teq){_CONDITION}")
_LONG = re.compile(r"[us]m[lu](?:al|ll|sld)|umaal")
_REGISTER = re.compile(r"\b(?:r\d+|ip|sp|lr|pc|fp|sl|[sd]\d+)\b")
_RUN = re.compile(r"\b([rsd])(\d+)-\1(\d+)\b|" + _REGISTER.pattern)


@dataclass(frozen=True)
class _Instruction:
    """A disassembled instruction; size in bytes, name without its width."""

    size: int
    name: str
    operands: str

    @cached_property
    def registers(self) -> Sequence[str]:
        return _REGISTER.findall(self.operands)

    @cached_property
    def single(self) -> str | None:
        """`ldr` or `str` for a load or store of a single core register."""
        match = _SINGLE.fullmatch(self.name)
        return match[1] if match else None

    @cached_property
    def words(self) -> int:
        """Registers of 32 bits that a load or store of several ones transfers; 0 for any other instruction."""
        if not _SEVERAL.fullmatch(self.name):
            return 0
        if self.name.startswith(("ldrd", "strd")):
            return 2
        if self.name.startswith(("vldr", "vstr")):
            return 2 if self.operands.startswith("d") else 1
        count = 0
        for match in _RUN.finditer(self.operands[self.operands.index("{") :]):
            registers = int(match[3]) - int(match[2]) + 1 if match[1] else 1
            count += 2 * registers if match[0].startswith("d") else registers
        return count

    @cached_property
    def address(self) -> Sequence[str]:
        """The registers that the address of a load or store is computed from."""
        if "[" in self.operands:
            return _REGISTER.findall(self.operands[self.operands.index("[") : self.operands.index("]")])
        if self.name.startswith(("push", "pop", "vpush", "vpop")):
            return ("sp",)
        return self.registers[:1] if self.words else ()

    @cached_property
    def computed(self) -> Sequence[str]:
        """The registers that an instruction other than a load, a store or a branch writes."""
        if self.single or self.words or self.name.startswith("it"):
            return ()
        if _BRANCH.fullmatch(self.name) or _COMPARISON.fullmatch(self.name):
            return ()
        return self.registers[: 2 if _LONG.match(self.name) else 1]


class ThumbCycles:
    """Cycles of the blocks of a linked program.

    What depends on data is left out: early ends of divisions (a mean stands in the timing), failing conditions in an IT
    block, accesses that are not aligned, floating-point results that the next instruction waits for, and fetches that
    meet loads from flash.
    """

    def __init__(self, timing: Timing, chip: Chip, elf: Path) -> None:
        self._timing = timing
        self._instructions = _disassembly(chip, elf, elf.stat().st_mtime_ns)

    @property
    def refill(self) -> int:
        """Further cycles of a taken branch."""
        return self._timing.refill

    def block(self, addresses: Sequence[int]) -> int:
        """Cycles of instructions that run one after the other, without a branch at their end being taken."""
        instructions = [self._instructions[address] for address in addresses if address in self._instructions]
        # Illegal instructions have no disassembly.
        cycles = len(addresses) - len(instructions)
        before = None
        for instruction in instructions:
            cycles += self._cycles(instruction, before)
            before = instruction
        return cycles

    def _cycles(self, instruction: _Instruction, before: _Instruction | None) -> int:
        timing = self._timing
        address = set(instruction.address)
        stall = timing.stall if before is not None and address & set(before.computed) else 0
        if instruction.words:
            return timing.several + instruction.words + stall
        if instruction.single:
            indexed = sum(register != "pc" for register in instruction.address) > 1
            if instruction.single == "str" and not indexed:
                return 1 + stall
            follows = before is not None and before.single == "ldr" and before.registers[0] not in address
            return timing.load - follows + stall
        if instruction.name.startswith("it"):
            # It is folded into an instruction of 16 bits before it.
            return 0 if before is not None and before.size == 2 else 1
        name = instruction.name
        if name.startswith("vmov") and any(register[0] not in "sd" for register in instruction.registers):
            name = "vmov core"
        listed = next((key for key in (name, name[:-2]) if key in timing.cycles), None)
        return 1 if listed is None else timing.cycles[listed]


@lru_cache(4)
def _disassembly(chip: Chip, elf: Path, written: int) -> dict[int, _Instruction]:
    """The instructions of an ELF file by address. written: its modification time, because a program may be rebuilt."""
    text = call_tool(chip, "objdump", ["-d", elf])
    return {
        int(address, 16): _Instruction(2 if len(code) == 4 else 4, name.split(".")[0], operands or "")
        for address, code, name, operands in _LINE.findall(text)
    }
