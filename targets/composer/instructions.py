"""Instructions as records: what composers join, price and print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tinyml.targets.composer.lines import Lines

CycleClass: TypeAlias = Literal["load", "store", "several", "branch", "it", "other"]
"""Loads and stores of a single register and of several ones, branches, IT, and instructions that compute."""


@dataclass(frozen=True)
class Instruction:
    """An instruction.

    name: the mnemonic without its width. size: bytes, those of a branch that is not far; None where the assembler
    chooses. words: registers of 32 bits that a load or store of several ones transfers. address: the registers that the
    address of a load or store is computed from. reads, writes: all registers that it reads, those of the address
    included, and that it writes; "flags" is one of them. stack: bytes of stack that it allocates.
    """

    text: str
    name: str
    size: int | None = 2
    cycles: CycleClass = "other"
    words: int = 0
    address: Sequence[str] = ()
    reads: Sequence[str] = ()
    writes: Sequence[str] = ()
    stack: int = 0


@dataclass(frozen=True)
class LocalLabel:
    """A numeric label, to which branches lead back or ahead."""

    number: int

    @property
    def text(self) -> str:
        return f"{self.number}:"


Line: TypeAlias = "Instruction | LocalLabel"
Code: TypeAlias = "tuple[Line, ...]"
"""Instructions and labels."""

_SINGLE = (Instruction, LocalLabel)


def joined(*parts: Line | Iterable[Line]) -> Code:
    """Concatenate instructions and fragments."""
    return tuple(line for part in parts for line in ((part,) if isinstance(part, _SINGLE) else part))


def instructions(lines: Iterable[Line]) -> int:
    """The number of instructions, which is the time of straight-line code if all of them take the same time."""
    return sum(isinstance(line, Instruction) for line in lines)


def most_bytes(lines: Iterable[Line]) -> int:
    """An upper bound of the bytes of flash: four for each instruction."""
    return 4 * instructions(lines)


def stack_of(lines: Iterable[Line]) -> int:
    """The bytes of stack that instructions allocate."""
    return sum(line.stack for line in lines if isinstance(line, Instruction))


def printed(lines: Iterable[Line]) -> Lines:
    """The text of the assembly."""
    return tuple(line.text for line in lines)
