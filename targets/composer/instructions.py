"""Instructions as records, which composers concatenate, print and assign costs to, and code whose loops have known trip
counts.

The cost of Thumb code is its number of cycles according to the published timing of a core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from tinyml.targets.board import Timing

Lines: TypeAlias = "tuple[str, ...]"
"""Instructions, and labels that end in a colon."""


CycleClass: TypeAlias = Literal["load", "store", "several", "branch", "it", "other"]
"""The class of an instruction for its cycles: loads and stores of one register or of several, branches, IT, and all
others.
"""


@dataclass(frozen=True)
class Instruction:
    """An assembly instruction and its properties.

    * text: the line of assembly.
    * name: the mnemonic without its width.
    * size: the size in bytes; for a branch, the size of its short form; None if the assembler chooses.
    * cycles: the class of instructions to which the published timing of a core assigns cycles.
    * words: the number of 32-bit registers that a load or store multiple transfers.
    * address: the registers from which the address of a load or store is computed.
    * reads: all registers that the instruction reads, including those of the address.
    * writes: all registers that the instruction writes. In `reads` and `writes`, "flags" stands for the condition
      flags, for chips whose instructions list them.
    * stack: the bytes of stack that the instruction allocates, negative if it frees them.
    * time: the cycles, if they are equal for all cores; otherwise 1.
    * callee: the C function that the instruction calls.
    * unit, held: the execution unit of a vector instruction, and the number of cycles for which the instruction
      occupies it.
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
    unit: str = ""
    held: int = 1


@dataclass(frozen=True)
class LocalLabel:
    """A numeric label, which may be the target of backward and forward branches."""

    number: int

    @property
    def text(self) -> str:
        return f"{self.number}:"


Line: TypeAlias = "Instruction | LocalLabel"
Code: TypeAlias = "tuple[Line, ...]"
"""Instructions and labels."""

_SINGLE = (Instruction, LocalLabel)


def joined(*parts: Line | Iterable[Line]) -> Code:
    """The concatenation of instructions and fragments of code."""
    return tuple(line for part in parts for line in ((part,) if isinstance(part, _SINGLE) else part))


def instructions(lines: Iterable[Line]) -> int:
    """The number of instructions. It is also the time of straight-line code, measured in instructions."""
    return sum(isinstance(line, Instruction) for line in lines)


def max_bytes(lines: Iterable[Line]) -> int:
    return 4 * instructions(lines)


def stack_of(lines: Iterable[Line]) -> int:
    return sum(line.stack for line in lines if isinstance(line, Instruction))


def printed(lines: Iterable[Line]) -> Lines:
    return tuple(line.text for line in lines)


def statement(lines: Sequence[str]) -> str:
    """The body of a naked C function that consists of these assembly lines."""
    rows = [f'"{line}\\n\\t"' for line in lines[:-1]] + [f'"{lines[-1]}"']
    return "    __asm__ volatile(" + "\n                     ".join(rows) + ");"


class Printed(Mapping[tuple[int | str, ...], str]):
    """The body of a function as text, in a version for each instruction set. A version is generated when it is
    first printed.
    """

    def __init__(self, bodies: Mapping[tuple[int | str, ...], Callable[[], str]]) -> None:
        self._bodies = {cores: cache(body) for cores, body in bodies.items()}

    def __getitem__(self, cores: tuple[int | str, ...]) -> str:
        return self._bodies[cores]()

    def __iter__(self) -> Iterator[tuple[int | str, ...]]:
        return iter(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)


class Run(NamedTuple):
    """Consecutive instructions. Only the last instruction may be a branch.

    lines: the instructions.
    times: the number of executions of the run per call of the function.
    taken: the number of these executions in which the branch at the end is taken.
    """

    lines: Code
    times: int = 1
    taken: int = 0

    @property
    def time(self) -> int:
        """The number of instructions that all executions of the run in a call of the function comprise."""
        return self.times * instructions(self.lines)

    def repeated(self, count: int) -> Run:
        return Run(self.lines, count * self.times, count * self.taken)


@dataclass(frozen=True)
class Repeated:
    """Code with loops, and the runs of instructions that a call of the code executes."""

    lines: Code
    runs: Sequence[Run]

    @staticmethod
    def once(lines: Code) -> Repeated:
        return Repeated(lines, (Run(lines),) if lines else ())

    @property
    def time(self) -> int:
        """The number of instructions that a call executes."""
        return sum(run.time for run in self.runs)

    def followed_by(self, further: Repeated) -> Repeated:
        return Repeated(joined(self.lines, further.lines), (*self.runs, *further.runs))

    def then(self, lines: Code) -> Repeated:
        return self.followed_by(Repeated.once(lines))

    def calling(self, function: Code) -> Repeated:
        """The code, whose last branch is a call of `function`, with the executed instructions of the function added.
        The text of the called function is printed separately.
        """
        *before, last = self.runs
        return Repeated(self.lines, (*before, last._replace(taken=last.times), Run(function, last.times, last.times)))

    def looped(self, begin: Code, end: Code, count: int, label: int, skipped: int = 0) -> Repeated:
        """A loop that contains the code: `begin`, then `count` times a label, the code and `end`. `end` branches back
        to the label.

        skipped: the number of instructions of `end` that are executed only before a branch back.

        For a single iteration, `begin` and `end` are omitted.
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
        """A loop of `count` iterations that contains the code, whose last instruction branches back to the label."""
        runs = [run.repeated(count) for run in self.runs]
        runs[-1] = runs[-1]._replace(taken=count - 1)
        return replace(self, lines=joined(LocalLabel(label), self.lines), runs=runs)


def balanced(count: int, most: int) -> list[tuple[int, int]]:
    """The division of `count` elements into groups of at most `most`, as pairs (number of groups, group size).

    There are as few groups as possible, and their sizes differ by at most one.
    """
    groups = -(-count // most)
    size, larger = divmod(count, groups)
    return [group for group in ((larger, size + 1), (groups - larger, size)) if group[0]]


def cycles_of_block(timing: Timing, instructions: Iterable[Instruction]) -> int:
    """The cycles of straight-line code. A branch at its end counts as not taken."""
    return sum(cycles_of_each(timing, instructions))


def cycles_of_each(timing: Timing, instructions: Iterable[Instruction]) -> Iterator[int]:
    """For each instruction of straight-line code, yield the cycles from its start to the start of the next instruction.

    An instruction waits until its execution unit is free.
    """
    before: Instruction | None = None
    # The cycles until each unit is free again.
    busy: dict[str, int] = {}
    for instruction in instructions:
        cycles = _cycles(timing, instruction, before)
        if instruction.unit:
            cycles += busy.get(instruction.unit, 0)
            busy[instruction.unit] = cycles - 1 + instruction.held
        busy = {unit: left - cycles for unit, left in busy.items() if left > cycles}
        yield cycles
        before = instruction


def cycles_of_runs(timing: Timing, runs: Sequence[Run]) -> int:
    """The cycles of a call of composed code. Branches within a run count as not taken."""
    return sum(
        run.times * cycles_of_block(timing, (line for line in run.lines if isinstance(line, Instruction)))
        + run.taken * timing.refill
        for run in runs
    )


def _cycles(timing: Timing, instruction: Instruction, before: Instruction | None) -> int:
    address = instruction.address
    computed = before.writes if before is not None and before.cycles == "other" else ()
    stall = timing.stall if any(register in computed for register in address) else 0
    match instruction.cycles:
        case "several":
            return timing.several + instruction.words + stall
        case "load" | "store":
            indexed = sum(register != "pc" for register in address) > 1
            if instruction.cycles == "store" and not indexed:
                return timing.store + stall
            follows = before is not None and before.cycles == "load" and before.writes[0] not in address
            return timing.load - (follows and timing.pipelined) + stall
        case "it":
            # IT is folded into a preceding 16-bit instruction; an instruction of unknown size counts as one.
            return 0 if before is not None and before.size != 4 else 1
        case _:
            listed = next((key for key in (instruction.name, instruction.name[:-2]) if key in timing.cycles), None)
            return 1 if listed is None else timing.cycles[listed]
