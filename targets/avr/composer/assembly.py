"""Lines of AVR assembly: their text as a C statement, their cycles, bytes and registers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tinyml.targets.composer.lines import Lines

_CYCLES = {
    **dict.fromkeys(("ld", "ldd", "st", "std", "push", "pop", "adiw", "sbiw", "rjmp", "ijmp"), 2),
    **dict.fromkeys(("mul", "muls", "mulsu", "fmul", "fmuls", "fmulsu", "lds", "sts"), 2),
    **dict.fromkeys(("lpm", "jmp", "rcall", "icall"), 3),
    **dict.fromkeys(("call", "ret"), 4),
}
"""The cycles of instructions that take more than one on an ATmega; of branches and skips, those without a jump."""

_TWO_WORDS = ("call", "jmp", "lds", "sts")
POINTERS = {"X": 26, "Y": 28, "Z": 30}
"""The lower registers of pointers."""

_COLUMNS = 108


def cycles(lines: Sequence[str]) -> int:
    """The time of straight-line code, in which no branch is taken and nothing is skipped."""
    return sum(_CYCLES.get(line.split()[0], 1) for line in lines if not line.endswith(":"))


def bytes_of(lines: Sequence[str]) -> int:
    """The bytes of flash."""
    return sum(4 if line.split()[0] in _TWO_WORDS else 2 for line in lines if not line.endswith(":"))


def pair(low: str) -> tuple[str, str]:
    """A register and the next one."""
    return low, f"r{int(low[1:]) + 1}"


def moved(pointer: str, by: int) -> Lines:
    """A pair of registers, from r16 on, moved on by a number of bytes."""
    if by == 0:
        return ()
    if pointer in ("r24", "r26", "r28", "r30") and abs(by) < 64:
        return (f"{'adiw' if by > 0 else 'sbiw'} {pointer},{abs(by)}",)
    low, high = pair(pointer)
    return f"subi {low},lo8({-by})", f"sbci {high},hi8({-by})"


def copied(source: Sequence[str], to: Sequence[str]) -> Lines:
    """Three bytes, of which the lower two are pairs, copied."""
    return f"movw {to[0]},{source[0]}", f"mov {to[2]},{source[2]}"


def registers(lines: Sequence[str]) -> set[int]:
    """The numbers of all registers that instructions name or use as parts of pairs, r0 and r1 included."""
    used: set[int] = set()
    for line in lines:
        used.update(named := [int(number) for number in re.findall(r"\br(\d+)", line)])
        if line.startswith(("movw", "adiw", "sbiw")):
            used.update(number + 1 for number in named)
        for pointer in re.findall(r"\b[XYZ]\b", line):
            used.update((POINTERS[pointer], POINTERS[pointer] + 1))
        if "mul" in line:
            used.update((0, 1))
    return used


def statement(lines: Sequence[str]) -> str:
    """The body of a naked function, with several instructions on each line of C; `call` names C functions."""
    rows = [""]
    callees = sorted({line.removeprefix("call ") for line in lines if line.startswith("call ")})
    calls = {f"call {callee}": f"%~call %x[{callee}]" for callee in callees}
    operands = ", ".join(f'[{callee}] "i"({callee})' for callee in callees)
    for line in (calls.get(line, line) for line in lines):
        text = f"{line}\\t" if line.endswith(":") else f"{line}\\n\\t"
        if len(rows[-1]) + len(text) > _COLUMNS:
            rows.append("")
        rows[-1] += text
    text = "\n                     ".join(f'"{row}"' for row in rows)
    return f"    __asm__ volatile({text}{f' : : {operands}' if operands else ''});"
