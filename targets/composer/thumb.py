"""Cycles of Thumb code by the published timing of a core."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tinyml.targets.board import Timing
from tinyml.targets.composer.lines import Lines
from tinyml.targets.composer.repeated import Run

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
class ThumbInstruction:
    """An instruction of Thumb; size in bytes, name without its width."""

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


def cycles_of_block(timing: Timing, instructions: Iterable[ThumbInstruction]) -> int:
    """Cycles of instructions that run one after the other, without a branch at their end being taken."""
    cycles, before = 0, None
    for instruction in instructions:
        cycles += _cycles(timing, instruction, before)
        before = instruction
    return cycles


def cycles_of_runs(timing: Timing, runs: Sequence[Run]) -> int:
    """Cycles of composed code; branches within a run count as not taken."""
    return sum(
        run.times * cycles_of_block(timing, _instructions(run.lines)) + run.taken * timing.refill for run in runs
    )


def _instructions(lines: Lines) -> Iterable[ThumbInstruction]:
    return (_parsed(line) for line in lines if not line.endswith(":"))


@lru_cache(1 << 14)
def _parsed(line: str) -> ThumbInstruction:
    """A line of assembly. Its size is not known: one before IT counts as one of 16 bits."""
    name, _, operands = line.partition(" ")
    return ThumbInstruction(2, name.split(".")[0], operands)


def _cycles(timing: Timing, instruction: ThumbInstruction, before: ThumbInstruction | None) -> int:
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
