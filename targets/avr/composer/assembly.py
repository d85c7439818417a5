"""Lines of AVR assembly: their text as a C statement, their cycles, bytes and registers."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CYCLES = {
    **dict.fromkeys(("ld", "ldd", "st", "std", "push", "pop", "adiw", "sbiw", "rjmp", "ijmp"), 2),
    **dict.fromkeys(("mul", "muls", "mulsu", "fmul", "fmuls", "fmulsu", "lds", "sts"), 2),
    **dict.fromkeys(("lpm", "jmp", "rcall", "icall"), 3),
    **dict.fromkeys(("call", "ret"), 4),
}
"""The cycles of instructions that take more than one on an ATmega; of branches and skips, those without a jump."""

_TWO_WORDS = ("call", "jmp", "lds", "sts")
_POINTERS = {"X": 26, "Y": 28, "Z": 30}
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


def registers(lines: Sequence[str]) -> set[int]:
    """The numbers of all registers that instructions name or use as parts of pairs, r0 and r1 included."""
    used: set[int] = set()
    for line in lines:
        used.update(named := [int(number) for number in re.findall(r"\br(\d+)", line)])
        if line.startswith(("movw", "adiw", "sbiw")):
            used.update(number + 1 for number in named)
        for pointer in re.findall(r"\b[XYZ]\b", line):
            used.update((_POINTERS[pointer], _POINTERS[pointer] + 1))
        if "mul" in line:
            used.update((0, 1))
    return used


def statement(lines: Sequence[str]) -> str:
    """The body of a naked function, with several instructions on each line of C."""
    rows = [""]
    for line in lines:
        text = f"{line}\\t" if line.endswith(":") else f"{line}\\n\\t"
        if len(rows[-1]) + len(text) > _COLUMNS:
            rows.append("")
        rows[-1] += text
    return "    __asm__ volatile(" + "\n                     ".join(f'"{row}"' for row in rows) + ");"
