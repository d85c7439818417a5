"""Instructions as records, which composers join, price and print, and code with loops of known trip counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from tinyml.targets.composer.lines import Lines

CycleClass: TypeAlias = Literal["load", "store", "several", "branch", "it", "other"]
"""Loads and stores of a single register and of several, branches, IT, and other instructions."""


@dataclass(frozen=True)
class Instruction:
    """An instruction.

    name: the mnemonic without its width. size: bytes, for a branch those of its short form; None if the assembler
    chooses. words: 32-bit registers that a load or store multiple transfers. address: the registers from which the
    address of a load or store is computed. reads, writes: all registers that it reads, including those of the address,
    and writes; "flags" is one of them where a chip records it. stack: bytes of stack that it allocates, negative
    if it frees them. time: cycles, where all cores take the same; otherwise 1. callee: the C function that it calls.
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
    time: int = 1
    callee: str = ""


@dataclass(frozen=True)
class LocalLabel:
    """A numeric label, the target of branches backwards or forwards."""

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
    """The number of instructions: the time of straight-line code if all of them take one unit."""
    return sum(isinstance(line, Instruction) for line in lines)


def most_bytes(lines: Iterable[Line]) -> int:
    """An upper bound on the bytes of flash: four per instruction."""
    return 4 * instructions(lines)


def stack_of(lines: Iterable[Line]) -> int:
    """The bytes of stack that instructions allocate."""
    return sum(line.stack for line in lines if isinstance(line, Instruction))


def printed(lines: Iterable[Line]) -> Lines:
    """The text of the assembly."""
    return tuple(line.text for line in lines)


class Run(NamedTuple):
    """Consecutive instructions, the last of which may be a branch.

    times: the executions in a call of the function. taken: the executions in which the branch at the end is taken.
    """

    lines: Code
    times: int = 1
    taken: int = 0

    @property
    def time(self) -> int:
        """The instructions that a call executes."""
        return self.times * instructions(self.lines)

    def repeated(self, count: int) -> Run:
        return Run(self.lines, count * self.times, count * self.taken)


@dataclass(frozen=True)
class Repeated:
    """Code with loops, and the runs of instructions that a call executes."""

    lines: Code
    runs: Sequence[Run]

    @staticmethod
    def once(lines: Code) -> Repeated:
        return Repeated(lines, (Run(lines),) if lines else ())

    @property
    def time(self) -> int:
        """The instructions that a call executes."""
        return sum(run.time for run in self.runs)

    def followed_by(self, further: Repeated) -> Repeated:
        return Repeated(joined(self.lines, further.lines), (*self.runs, *further.runs))

    def then(self, lines: Code) -> Repeated:
        return self.followed_by(Repeated.once(lines))

    def calling(self, function: Code) -> Repeated:
        """The same code, whose last branch calls a function that is printed elsewhere."""
        *before, last = self.runs
        return Repeated(self.lines, (*before, last._replace(taken=last.times), Run(function, last.times, last.times)))

    def looped(self, begin: Code, end: Code, count: int, label: int, skipped: int = 0) -> Repeated:
        """The code in a loop: `begin`, then `count` times a label, the code and `end`, which branches to the label.

        A single iteration omits `begin` and `end`. skipped: the instructions of `end` that are executed only before a
        branch back.
        """
        if count == 1:
            return self
        body, back = end[: len(end) - skipped], end[len(end) - skipped :]
        iteration = [run.repeated(count) for run in (*self.runs, Run(body))]
        if back:
            ends = [iteration[-1]._replace(taken=1), Run(back, count - 1, count - 1)]
        else:
            ends = [iteration[-1]._replace(taken=count - 1)]
        looped = Repeated(joined(LocalLabel(label), self.lines, end), (*iteration[:-1], *ends))
        return Repeated.once(begin).followed_by(looped)

    def counted(self, label: int, count: int) -> Repeated:
        """The code in a loop of `count` iterations whose last instruction branches back to a label."""
        runs = [run.repeated(count) for run in self.runs]
        runs[-1] = runs[-1]._replace(taken=count - 1)
        return replace(self, lines=joined(LocalLabel(label), self.lines), runs=runs)


def balanced(count: int, most: int) -> list[tuple[int, int]]:
    """Pairs of a group size, at most `most`, and its number: as few groups as possible, of nearly equal sizes."""
    groups = -(-count // most)
    size, larger = divmod(count, groups)
    return [group for group in ((larger, size + 1), (groups - larger, size)) if group[0]]
