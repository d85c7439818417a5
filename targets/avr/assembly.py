"""AVR assembly: the table of instructions and what follows from it, loops, and calls.

Cycles, bytes and registers of lines follow from the table. Loops run over unrolled steps and are entered in the middle.
The C function of a kernel enters its assembly with sums and pointers in registers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Composed


@dataclass(frozen=True)
class _AvrInstruction:
    """An instruction.

    cycles: on an ATmega; for branches and skips, those without a jump. words: of flash, two bytes each. pairs: true if
    a register operand is the lower one of a pair. clobbers: the registers that it changes implicitly.
    """

    cycles: int = 1
    words: int = 1
    pairs: bool = False
    clobbers: tuple[int, ...] = ()


UPPER = "TM_UPPER"
"""A macro of enter.h that pops the upper byte of a three-byte return address into r0."""

_ONE_CYCLE = """
adc add and andi asr brcc brcs breq brge brlt brmi brne brpl clr com cp cpc cpi cpse dec eor in inc ldi lsl lsr mov neg
nop or ori out rol ror sbc sbci sbrc sbrs sec sub subi swap tst
"""
_INSTRUCTIONS = {
    **dict.fromkeys(_ONE_CYCLE.split(), _AvrInstruction()),
    "movw": _AvrInstruction(pairs=True),
    **dict.fromkeys(("adiw", "sbiw"), _AvrInstruction(2, pairs=True)),
    **dict.fromkeys(("ld", "ldd", "st", "std", "push", "pop", "rjmp"), _AvrInstruction(2)),
    **dict.fromkeys(("lds", "sts"), _AvrInstruction(2, words=2)),
    **dict.fromkeys(("mul", "muls", "mulsu", "fmul", "fmuls", "fmulsu"), _AvrInstruction(2, clobbers=(0, 1))),
    **dict.fromkeys(("lpm", "rcall"), _AvrInstruction(3)),
    "jmp": _AvrInstruction(3, words=2),
    "call": _AvrInstruction(4, words=2),
    "ret": _AvrInstruction(4),
    # Empty on parts with two-byte return addresses.
    UPPER: _AvrInstruction(0, words=0),
}
"""The instructions by their mnemonics."""

POINTERS = {"X": 26, "Y": 28, "Z": 30}
"""The lower register of each pointer."""

DATA = ".byte"
_DATA_COLUMNS = 24

_COLUMNS = 108


def instructions(lines: Sequence[str]) -> Iterator[tuple[str, _AvrInstruction]]:
    """Yield instruction lines, each with its table entry; raises `KeyError` for an unknown mnemonic.

    Constants among the lines, whole words of `.byte`, count as instructions that are never executed.
    """
    return ((line, _instruction(line)) for line in lines if not line.endswith(":"))


def _instruction(line: str) -> _AvrInstruction:
    mnemonic, *operands = line.split()
    if mnemonic == DATA:
        return _AvrInstruction(0, (operands[0].count(",") + 1) // 2)
    return _INSTRUCTIONS[mnemonic]


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

    Parts without `jmp` and `call` use relative ones, which reach all of their flash.
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


END = ("clr r1", "ret")
_REACH = 128
"""The bytes that a conditional branch can jump back, including itself."""


@dataclass(frozen=True)
class Loop:
    """A loop.

    lines: with a label N: in front of the last N steps and 0: after them. in_byte: true if the counter is a single
    register, which counts iterations. at_once: the number of steps in an iteration. offsets: the byte offset of each
    label from the first one. step: the cycles of a step, including its share of the loop's overhead. least: the cycles
    of a call without steps, including the end of the function.
    """

    lines: Lines
    in_byte: bool
    at_once: int
    offsets: Sequence[int]
    step: float
    least: float


def counted_in_byte(step: Lines, at_once: int, counter: str, flush: Lines = ()) -> Loop:
    """A loop whose counter holds the number of iterations, including a partial first one.

    flush: code that runs at the end.
    """
    return over_steps([step] * at_once, counter, flush)


def over_steps(steps: Sequence[Lines], counter: str, flush: Lines = ()) -> Loop:
    """A loop whose counter holds the number of iterations, each of which consists of different steps."""
    body, at_once = _labelled(steps), len(steps)
    back = again(at_once, bytes_of(body) + 2)
    share = 1 + _taken(back)
    lines = joined(body, "0:", f"dec {counter}", back, flush, END)
    time = (cycles(body) + share) / at_once
    return Loop(lines, True, at_once, _offsets(steps), time, 2 + cycles(flush) + cycles(END))


def counted_in_word(step: Lines, at_once: int, counter: str, flush: Lines = ()) -> Loop:
    """A loop whose counter, a pair of registers, holds the number of steps.

    flush: code that runs after at most 256 steps.
    """
    low, high = pair(counter)
    steps = [step] * at_once
    body = _labelled(steps)
    back = again(at_once, bytes_of(body) + 2, "brcc", "brcs")
    inner = joined(body, "0:", f"subi {low},{at_once}", back, flush, f"subi {high},1")
    lines = joined(inner, again(at_once, bytes_of(inner), "brcc", "brcs"), END)
    outer = cycles(flush) + 3
    share = 1 + _taken(back)
    time = cycles(step) + share / at_once + outer / 256
    return Loop(lines, False, at_once, _offsets(steps), time, 3 + outer + cycles(END))


def entry_by_count(counter: str) -> Lines:
    """Enter the following loop of four steps per iteration so that it runs as many steps as the counter says."""
    return (
        *(f"sbrc {counter},1", "rjmp 31f", f"sbrc {counter},0", "rjmp 1f", "rjmp 0f"),
        *("31:", f"sbrc {counter},0", "rjmp 3f", "rjmp 2f"),
    )


def _labelled(steps: Sequence[Lines]) -> Lines:
    """Steps, each labelled with the number of remaining steps, itself included."""
    return joined(*(joined(f"{len(steps) - number}:", step) for number, step in enumerate(steps)))


def _offsets(steps: Sequence[Lines]) -> Sequence[int]:
    return [*accumulate((bytes_of(step) for step in steps), initial=0)]


def again(label: int, behind: int, condition: str = "brne", inverse: str = "breq") -> Lines:
    """A conditional jump to a label `behind` bytes back."""
    if behind + 2 <= _REACH:
        return (f"{condition} {label}b",)
    return f"{inverse} 19f", f"rjmp {label}b", "19:"


@dataclass(frozen=True)
class TimedCode:
    """Lines with loops of known trip counts, and their cycles including callees."""

    lines: Lines
    time: int

    @staticmethod
    def once(*parts: str | Lines) -> TimedCode:
        """Straight-line code."""
        lines = joined(*parts)
        return TimedCode(lines, cycles(lines))

    def followed_by(self, further: TimedCode) -> TimedCode:
        return TimedCode(joined(self.lines, further.lines), self.time + further.time)

    def then(self, *parts: str | Lines) -> TimedCode:
        return self.followed_by(TimedCode.once(*parts))

    def longer(self, time: int) -> TimedCode:
        """The same lines with `time` more cycles, or fewer if it is negative."""
        return TimedCode(self.lines, self.time + time)

    def looped(self, label: int, count: int, counter: str) -> TimedCode:
        """Repeat the code `count` times, which a register holds initially. The last jump is not taken."""
        body = self.then(f"dec {counter}")
        back = again(label, bytes_of(body.lines))
        return TimedCode(joined(f"{label}:", body.lines, back), count * (body.time + _taken(back)) - 1)


def _taken(back: Lines) -> int:
    """The cycles of a jump back that is taken."""
    return 2 if len(back) == 1 else cycles(back)


HEADER = "tinyml/enter.h"
AVR = 2
"""The value of TM_CORE."""

_CALL_CYCLES, _CALL_BYTES = 4, 4
RETURN_ADDRESS = 2
"""The bytes of stack that a return address takes."""

_CALLEES = {*range(2, 18), 28, 29}
"""The registers that a function has to save before it changes them."""
_OPERANDS = {0, 1, 26, 27, 30, 31}
"""Registers in no clobber list: r0 and r1 of products (r1 is zero again at the end), X and Z."""

C_SUMS = {16: "int16_t", 24: "TM_INT24", 32: "int32_t", 64: "int64_t"}


@dataclass(frozen=True)
class Entered(Composed):
    """A naked function of assembly, NAME_steps, and the function NAME that enters it."""

    symbol: str = ""
    assembly: str = ""
    entry: str = ""

    @property
    def text(self) -> str:
        """Both functions; on other machines, the second one consists of plain C."""
        return "\n".join(
            [
                "#ifdef __AVR__",
                f"TM_KERNEL {self.symbol}_steps(void)",
                "{",
                self.assembly,
                "}",
                "#endif",
                f"static TM_INLINED {self.signature}",
                "{",
                "#ifdef __AVR__",
                self.entry,
                "    TM_RETURN(s)",
                "#else",
                self.portable,
                "#endif",
                "}",
                "",
            ]
        )


def framed(body: Lines) -> Lines:
    """A complete function: the body, which may change r1, between saves and restores of the call-saved registers."""
    kept = [f"r{number}" for number in sorted(registers(body) & _CALLEES)]
    return joined(
        [f"push {register}" for register in kept], body, [f"pop {register}" for register in reversed(kept)], END
    )


@dataclass(frozen=True, kw_only=True)
class SumRegisters:
    """The registers of a sum.

    sum: its bytes, the lowest first. zero: a register that holds zero. gathered: a register pair that is zero before
    and after, or empty.
    """

    sum: Sequence[str]
    zero: str = ""
    gathered: Sequence[str] = ()


@dataclass(frozen=True)
class Variable:
    """A C variable in registers: `register CTYPE NAME __asm__(FIRST) = VALUE`, of `bytes` bytes.

    changed: true if the kernel changes it.
    """

    ctype: str
    name: str
    first: str
    value: str
    bytes: int
    changed: bool = True

    @property
    def numbers(self) -> set[int]:
        first = int(self.first[1:])
        return {*range(first, first + self.bytes)}

    @property
    def declared(self) -> str:
        return f'    register {self.ctype} {self.name} __asm__("{self.first}") = {self.value};'


def number_of_steps(register: str, loop: Loop, steps: str = "n") -> Variable:
    """The counter of a loop: the number of steps or, in a single byte, of iterations."""
    if loop.in_byte:
        return Variable("uint8_t", "k", register, f"(uint8_t)({steps} / {loop.at_once} + 1)", 1)
    return Variable("uint16_t", "k", register, steps, 2)


def entered(
    symbol: str,
    signature: str,
    portable: str,
    needed: SumRegisters,
    loop: Loop,
    *,
    bits: int,
    counter: Variable | None,
    others: Sequence[Variable] = (),
    steps: str = "n",
    row: str = "w",
    of: int = 1,
    most: int = 0,
    functions: Sequence[str] = (),
    element: float = 0.0,
    start: str = "sum",
    ready: Sequence[str] = (),
    longest: int | None = None,
) -> Entered:
    """The functions of a kernel whose loop adds to a sum.

    bits: the width of the sum. counter: that of the loop; a loop without one counts by itself and is entered at its
    first instruction. others: further variables of its instructions. steps: the number of steps, in C. row: the pointer
    to the weights. of: the number of elements in a step, by which the C function divides. most: the maximum steps of a
    call, a multiple of those of an iteration; 0 if only the counter limits them. functions: those that the C code
    calls. element: the time of an element, if it is not that of a step. start: the initial value of the sum. ready:
    statements after the declarations. longest: a limit on n within the range of the counter, if there is one; then
    divisions, which may be calls, precede the register variables.
    """
    lines, used = loop.lines, registers(loop.lines)
    variables = [Variable(C_SUMS[bits], "s", needed.sum[0], start, bits // 8)]
    if needed.gathered:
        variables.append(Variable("uint16_t", "gathered", needed.gathered[0], "0", 2))
    if needed.zero and int(needed.zero[1:]) in used and needed.zero not in needed.gathered:
        variables.append(Variable("uint8_t", "zero", needed.zero, "0", 1, changed=False))
    variables += others
    known = [*variables, counter] if counter is not None else variables
    changed = [f'"+r"({variable.name})' for variable in known if variable.changed]
    kept = "".join(f', "r"({variable.name})' for variable in known if not variable.changed)
    clobbers = used - _OPERANDS - {number for variable in known for number in variable.numbers}
    operands = ", ".join([*changed, f'"+z"({row})', '"+x"(x)'])
    named = ", ".join([*(f'"r{number}"' for number in sorted(clobbers)), '"memory"'])
    operands = f'{operands} : [kernel] "i"({symbol}_steps){kept} : {named}'
    entry: list[str] = []
    if longest is not None and counter is not None:
        entry.append(f"    const uint8_t iterations = {counter.value};")
        entry.append(f"    const uint8_t rest = (uint8_t)(n % {loop.at_once});")
        counter, rest = replace(counter, value="iterations"), "rest"
    else:
        rest = steps
    entry += [variable.declared for variable in variables]
    entry += ready
    if counter is None:
        entry.append(f'    TM_ENTER("0", {operands});')
    else:
        if of > 1:
            entry.append(f"    {steps} = (uint16_t)(({steps} + {of - 1}) / {of});")
        if loop.in_byte and longest is None:
            most = most or 255 * loop.at_once
            entry += [
                f"    for (; {steps} > {most}; {steps} = (uint16_t)({steps} - {most})) {{",
                f'        register uint8_t k __asm__("{counter.first}") = {most // loop.at_once};',
                f'        TM_ENTER("0", {operands});',
                "    }",
            ]
        entry.append(counter.declared)
        offsets = loop.offsets[1:]
        if offsets == [number * offsets[0] for number in range(1, loop.at_once + 1)]:
            offsets = offsets[:1]
        macro = f"TM_ENTER_{loop.at_once}{'_AT' * (len(offsets) > 1)}"
        entry.append(f"    {macro}({', '.join([rest, *map(str, offsets)])},\n        {operands})")
    # Two pointers are moved, each byte of the others takes an instruction; the sum is in its final registers.
    arguments = 2 + sum(variable.bytes for variable in known if variable.name != "s")
    return Entered(
        HEADER,
        signature,
        {},
        portable,
        costs={"": _CALL_CYCLES + loop.least + arguments, "element": element or loop.step, "odd element": 0.0},
        call=_CALL_BYTES + 2 * arguments,
        stack=2 + len(used & _CALLEES),
        functions=functions,
        symbol=symbol,
        assembly=statement(lines),
        entry="\n".join(entry),
    )
