"""The table of AVR instructions, and the cycles, bytes and registers of assembly that follow from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml.targets.composer.lines import Lines


@dataclass(frozen=True)
class AvrInstruction:
    """An instruction.

    cycles: on an ATmega; for branches and skips, those without a jump. words: of flash, two bytes each. pairs: true if
    a register operand is the lower one of a pair. clobbers: the registers that it changes implicitly.
    """

    cycles: int = 1
    words: int = 1
    pairs: bool = False
    clobbers: tuple[int, ...] = ()


UPPER = "TM_UPPER"
"""A macro of enter.h, which takes the upper byte of a return address of three bytes from the stack, into r0."""

_ONE_CYCLE = """
adc add and andi asr brcc brcs breq brge brlt brmi brne brpl clr com cp cpc cpi cpse dec eor in inc ldi lsl lsr mov neg
nop or ori out rol ror sbc sbci sbrc sbrs sec sub subi swap tst
"""
INSTRUCTIONS = {
    **dict.fromkeys(_ONE_CYCLE.split(), AvrInstruction()),
    "movw": AvrInstruction(pairs=True),
    **dict.fromkeys(("adiw", "sbiw"), AvrInstruction(2, pairs=True)),
    **dict.fromkeys(("ld", "ldd", "st", "std", "push", "pop", "rjmp"), AvrInstruction(2)),
    **dict.fromkeys(("lds", "sts"), AvrInstruction(2, words=2)),
    **dict.fromkeys(("mul", "muls", "mulsu", "fmul", "fmuls", "fmulsu"), AvrInstruction(2, clobbers=(0, 1))),
    **dict.fromkeys(("lpm", "rcall"), AvrInstruction(3)),
    "jmp": AvrInstruction(3, words=2),
    "call": AvrInstruction(4, words=2),
    "ret": AvrInstruction(4),
    # Nothing on parts with return addresses of two bytes.
    UPPER: AvrInstruction(0, words=0),
}
"""The instructions by their mnemonics."""

POINTERS = {"X": 26, "Y": 28, "Z": 30}
"""The lower register of each pointer."""

DATA = ".byte"
_DATA_COLUMNS = 24

_COLUMNS = 108


def instructions(lines: Sequence[str]) -> Iterator[tuple[str, AvrInstruction]]:
    """Yield instruction lines, each with its table entry; raises `KeyError` for an unknown mnemonic.

    Constants among the lines, whole words of `.byte`, count as instructions that do not run.
    """
    return ((line, _instruction(line)) for line in lines if not line.endswith(":"))


def _instruction(line: str) -> AvrInstruction:
    mnemonic, *operands = line.split()
    if mnemonic == DATA:
        return AvrInstruction(0, (operands[0].count(",") + 1) // 2)
    return INSTRUCTIONS[mnemonic]


def constants(numbers: Sequence[int]) -> Lines:
    """Bytes among the code, in whole words."""
    padded = [*numbers, *[0] * (len(numbers) % 2)]
    rows = (padded[first : first + _DATA_COLUMNS] for first in range(0, len(padded), _DATA_COLUMNS))
    return tuple(f"{DATA} {','.join(map(str, row))}" for row in rows)


def cycles(lines: Sequence[str]) -> int:
    """The cycles of straight-line code in which no branch is taken and no instruction is skipped."""
    return sum(instruction.cycles for _, instruction in instructions(lines))


def bytes_of(lines: Sequence[str]) -> int:
    """The size of code in flash, in bytes."""
    return sum(2 * instruction.words for _, instruction in instructions(lines))


def pair(low: str) -> tuple[str, str]:
    """A register and the next one."""
    return low, f"r{int(low[1:]) + 1}"


def moved(pointer: str, by: int) -> Lines:
    """Advance a pair of registers, r16 or above, by a number of bytes."""
    if by == 0:
        return ()
    if pointer in ("r24", "r26", "r28", "r30") and abs(by) < 64:
        return (f"{'adiw' if by > 0 else 'sbiw'} {pointer},{abs(by)}",)
    low, high = pair(pointer)
    return f"subi {low},lo8({-by})", f"sbci {high},hi8({-by})"


def copied(source: Sequence[str], to: Sequence[str]) -> Lines:
    """Copy three bytes, the lower two of which are register pairs."""
    return f"movw {to[0]},{source[0]}", f"mov {to[2]},{source[2]}"


def registers(lines: Sequence[str]) -> set[int]:
    """The numbers of all registers that instructions use, explicitly, as parts of pairs, or implicitly."""
    used: set[int] = set()
    for line, instruction in instructions(lines):
        used.update(instruction.clobbers, named := [int(number) for number in re.findall(r"\br(\d+)", line)])
        if instruction.pairs:
            used.update(number + 1 for number in named)
        for pointer in re.findall(r"\b[XYZ]\b", line):
            used.update((POINTERS[pointer], POINTERS[pointer] + 1))
    return used


def statement(lines: Sequence[str]) -> str:
    """The body of a naked function, several instructions on each line of C; `call` names C functions or labels.

    Jumps and calls are relative on parts that have no others, whose flash these reach everywhere.
    """
    rows = [""]
    callees = sorted({line.removeprefix("call ") for line in lines if re.match(r"call [A-Za-z_]", line)})
    calls = {f"call {callee}": f"%~call %x[{callee}]" for callee in callees}
    calls |= {line: f"%~{line}" for line in lines if line.startswith(("call ", "jmp ")) and line not in calls}
    operands = ", ".join(f'[{callee}] "i"({callee})' for callee in callees)
    for line in (calls.get(line, line) for line in lines):
        text = f"{line}\\t" if line.endswith(":") else f'" {line} "' if line == UPPER else f"{line}\\n\\t"
        if len(rows[-1]) + len(text) > _COLUMNS:
            rows.append("")
        rows[-1] += text
    text = "\n                     ".join(f'"{row}"' for row in rows)
    return f"    __asm__ volatile({text}{f' : : {operands}'.rstrip() if calls else ''});"
