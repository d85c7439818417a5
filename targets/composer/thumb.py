"""Cycles of Thumb code by the published timing of a core."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tinyml.targets.board import Timing
from tinyml.targets.composer.instructions import Instruction, Run


def cycles_of_block(timing: Timing, instructions: Iterable[Instruction]) -> int:
    """Cycles of straight-line code; a branch at its end counts as not taken."""
    cycles, before = 0, None
    for instruction in instructions:
        cycles += _cycles(timing, instruction, before)
        before = instruction
    return cycles


def cycles_of_runs(timing: Timing, runs: Sequence[Run]) -> int:
    """Cycles of composed code; branches within a run count as not taken."""
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
