"""AVR assembly as lists of instructions, with their cycles, bytes and registers, and the construction of loops and
calls.

A loop consists of unrolled steps. Its caller jumps into the loop at the step from which exactly the required number of
steps remains. The C function of a kernel passes sums and pointers to the assembly code in registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from tinyml.targets.avr import isa as a
from tinyml.targets.composer.instructions import Code, Instruction, Line, LocalLabel, joined
from tinyml.targets.kernel import Composed

_COLUMNS = 108


def _instructions(lines: Iterable[Line]) -> Iterator[Instruction]:
    return (line for line in lines if isinstance(line, Instruction))


def cycles(lines: Iterable[Line]) -> int:
    """The cycles of straight-line code in which no branch is taken and no instruction is skipped."""
    return sum(instruction.time for instruction in _instructions(lines))


def bytes_of(lines: Iterable[Line]) -> int:
    return sum([line.size or 0 for line in lines if isinstance(line, Instruction)])


def moved(pointer: str, by: int) -> Code:
    """Code that adds `by` bytes, which may be negative, to a register pair.

    pointer: the lower register of the pair, r16 or above.
    """
    if by == 0:
        return ()
    if pointer in ("r24", "r26", "r28", "r30") and abs(by) < 64:
        return (a.adiw(pointer, by) if by > 0 else a.sbiw(pointer, -by),)
    low, high = a.pair(pointer)
    return a.subi(low, a.lo8(-by)), a.sbci(high, a.hi8(-by))


def copied(source: Sequence[str], to: Sequence[str]) -> Code:
    """Code that copies three bytes. The lower two bytes of source and destination are register pairs."""
    return a.movw(to[0], source[0]), a.mov(to[2], source[2])


def registers(lines: Iterable[Line]) -> set[int]:
    return {a.NUMBERS[name] for line in _instructions(lines) for name in (*line.reads, *line.writes)}


_RELATIVE = (a.call.name, a.jmp.name)
"""Instructions that parts without them replace by relative ones, which reach all of their flash."""


def statement(lines: Sequence[Line], operands: str = "") -> str:
    """An `asm` statement of C that consists of `lines`, with several instructions on each line.

    The operand of `call` may be a C function or a label.

    operands: the operands of the statement; "" for the body of a naked function.
    """
    rows, columns = [""], 0
    for line in lines:
        text = _in_statement(line)
        # Kernels for near and far weights have the same rows.
        width = len(text) - (isinstance(line, Instruction) and line.name == a.elpm.name)
        if columns + width > _COLUMNS:
            rows.append("")
            columns = 0
        rows[-1] += text
        columns += width
    text = "\n                     ".join(f'"{row}"' for row in rows)
    callees = sorted({line.callee for line in _instructions(lines) if line.callee})
    if any(line.name in _RELATIVE for line in _instructions(lines)):
        named = ", ".join(f'[{callee}] "i"({callee})' for callee in callees)
        operands = f" : : {named}".rstrip()
    return f"    __asm__ volatile({text}{operands});"


def _in_statement(line: Line) -> str:
    """A line of assembly in the form that it has inside the string of an extended `asm` statement."""
    if isinstance(line, LocalLabel):
        return f"{line.text}\\t"
    if line.name == a.UPPER.name:
        return f'" {line.text} "'
    text = f"{line.name} %x[{line.callee}]" if line.callee else line.text
    return f"{'%~' if line.name in _RELATIVE else ''}{text}\\n\\t"


END = (a.clr("r1"), a.ret())
_REACH = 128
"""The bytes that a conditional branch can jump back, including itself."""


@dataclass(frozen=True)
class Loop:
    """A loop over unrolled steps.

    * lines: the code. The label N precedes the last N steps; the label 0 follows all steps.
    * in_byte: true if the counter is a single register, which counts iterations.
    * at_once: the number of steps per iteration.
    * offsets: for each label, the number of bytes from the first label to it.
    * step: the cycles of a step, including its share of the loop's overhead.
    * least: the cycles of a call without steps, including the return from the function.
    """

    lines: Code
    in_byte: bool
    at_once: int
    offsets: Sequence[int]
    step: float
    least: float


def counted_in_byte(step: Code, at_once: int, counter: str, flush: Code = ()) -> Loop:
    """A loop whose counter is one register. Its initial value is the number of iterations, including a first iteration
    that may be partial.

    step: the code of a step.
    at_once: the number of steps per iteration.
    flush: code that is executed at the end.
    """
    return over_steps([step] * at_once, counter, flush)


def over_steps(steps: Sequence[Code], counter: str, flush: Code = ()) -> Loop:
    """A loop whose initial counter is the number of iterations. Each iteration executes the given steps in order.

    flush: code that is executed at the end.
    """
    body, at_once = _labelled(steps), len(steps)
    back = again(at_once, bytes_of(body) + 2)
    share = 1 + _taken(back)
    lines = joined(body, a.label(0), a.dec(counter), back, flush, END)
    time = (cycles(body) + share) / at_once
    return Loop(lines, True, at_once, _offsets(steps), time, 2 + cycles(flush) + cycles(END))


def counted_in_word(step: Code, at_once: int, counter: str, flush: Code = ()) -> Loop:
    """A loop whose counter is a register pair. Its initial value is the number of steps.

    step: the code of a step.
    at_once: the number of steps per iteration.
    flush: code that is executed at least once in 256 steps.
    """
    low, high = a.pair(counter)
    steps = [step] * at_once
    body = _labelled(steps)
    back = again(at_once, bytes_of(body) + 2, a.brcc, a.brcs)
    inner = joined(body, a.label(0), a.subi(low, at_once), back, flush, a.subi(high, 1))
    lines = joined(inner, again(at_once, bytes_of(inner), a.brcc, a.brcs), END)
    outer = cycles(flush) + 3
    share = 1 + _taken(back)
    time = cycles(step) + share / at_once + outer / 256
    return Loop(lines, False, at_once, _offsets(steps), time, 3 + outer + cycles(END))


def entry_by_count(counter: str) -> Code:
    """Code that jumps into the following loop so that the loop executes `counter` steps. An iteration has four
    steps.
    """
    return (
        *(a.sbrc(counter, 1), a.rjmp(ahead=31), a.sbrc(counter, 0), a.rjmp(ahead=1), a.rjmp(ahead=0)),
        *(a.label(31), a.sbrc(counter, 0), a.rjmp(ahead=3), a.rjmp(ahead=2)),
    )


def _labelled(steps: Sequence[Code]) -> Code:
    """The steps, each preceded by a label: the number of steps that remain, including the labelled one."""
    return joined(*(joined(a.label(len(steps) - number), step) for number, step in enumerate(steps)))


def _offsets(steps: Sequence[Code]) -> Sequence[int]:
    return [*accumulate((bytes_of(step) for step in steps), initial=0)]


def again(label: int, behind: int, condition: a.Opcode = a.brne, inverse: a.Opcode = a.breq) -> Code:
    """A conditional jump back to a label that is `behind` bytes before the jump.

    condition: the branch instruction.
    inverse: the opposite branch instruction, for a label that is too far for a branch.
    """
    if behind + 2 <= _REACH:
        return (condition(back=label),)
    return inverse(ahead=19), a.rjmp(back=label), a.label(19)


@dataclass(frozen=True)
class TimedCode:
    """Code whose loops have known trip counts.

    lines: the instructions and labels.
    cycles: the number of cycles, including called functions.
    """

    lines: Code
    cycles: int

    @staticmethod
    def once(*parts: Line | Iterable[Line]) -> TimedCode:
        """Straight-line code. Its number of cycles is the sum of the instructions' cycles."""
        lines = joined(*parts)
        return TimedCode(lines, cycles(lines))

    def followed_by(self, further: TimedCode) -> TimedCode:
        return TimedCode(joined(self.lines, further.lines), self.cycles + further.cycles)

    def then(self, *parts: Line | Iterable[Line]) -> TimedCode:
        return self.followed_by(TimedCode.once(*parts))

    def longer(self, cycles: int) -> TimedCode:
        return TimedCode(self.lines, self.cycles + cycles)

    def looped(self, label: int, count: int, counter: str) -> TimedCode:
        """A loop that executes the code `count` times. The branch back is taken in every iteration but the last.

        label: the number of the loop's label.
        counter: the register that contains `count` before the loop.
        """
        body = self.then(a.dec(counter))
        back = again(label, bytes_of(body.lines))
        return TimedCode(joined(a.label(label), body.lines, back), count * (body.cycles + _taken(back)) - 1)


def _taken(back: Code) -> int:
    return 2 if len(back) == 1 else cycles(back)


HEADER = "tinyml/enter.h"
AVR = 2
"""The value of TM_CORE."""

_CALL_CYCLES, _CALL_BYTES = 4, 4
_FAR_CYCLES = 12.0
"""The additional cycles of a call with a far row, including its address, as measured on dense layers."""
RETURN_ADDRESS = 2
"""The size of a return address on the stack, in bytes."""

CALLEES = {*range(2, 18), 28, 29}
"""The registers that a function has to save before it changes them."""
_OPERANDS = {0, 1, 26, 27, 30, 31}
"""Registers in no clobber list: r0 and r1 of products (r1 is zero again at the end), X and Z."""

C_SUMS = {16: "int16_t", 24: "TM_INT24", 32: "int32_t", 64: "int64_t"}


@dataclass(frozen=True)
class Entered(Composed):
    """A naked assembly function, NAME_steps, and the C function NAME, which jumps into it."""

    symbol: str = ""
    assembly: str = ""
    entry: str = ""

    @property
    def text(self) -> str:
        """The C text of both functions. On machines other than AVR, the function NAME consists of plain C."""
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


def framed(body: Code) -> Code:
    """A complete function: the body, preceded by pushes and followed by pops of the call-saved registers that it
    changes.

    The body may change r1.
    """
    kept = [f"r{number}" for number in sorted(registers(body) & CALLEES)]
    return joined(map(a.push, kept), body, map(a.pop, reversed(kept)), END)


@dataclass(frozen=True, kw_only=True)
class SumRegisters:
    """The registers of a sum in a loop.

    * sum: the bytes of the sum, the lowest first.
    * zero: a register that contains zero.
    * gathered: a register pair of a partial sum, which is zero before and after the loop; empty if there is none.
    """

    sum: Sequence[str]
    zero: str = ""
    gathered: Sequence[str] = ()


@dataclass(frozen=True)
class Variable:
    """A C variable in registers: `register CTYPE NAME __asm__(FIRST) = VALUE`.

    ctype, name, value: its C type, its name and its initial value.
    first: the first register.
    bytes: the number of registers, one for each byte.
    changed: true if the assembly code modifies the variable.
    """

    ctype: str
    name: str
    first: str
    value: str
    bytes: int
    changed: bool = True

    @property
    def numbers(self) -> set[int]:
        first = a.NUMBERS[self.first]
        return {*range(first, first + self.bytes)}

    @property
    def declared(self) -> str:
        return f'    register {self.ctype} {self.name} __asm__("{self.first}") = {self.value};'


FLASH, FAR_FLASH, RAM = "flash", "far", "ram"
"""Memories: the first 64 KB of flash, all of it, and RAM."""

_ENDS = {FLASH: "", FAR_FLASH: "_far", RAM: "_ram"}


@dataclass(frozen=True)
class Row:
    """The pointer to the weights of a row, which is the first parameter of a kernel.

    In far flash, the pointer is a 24-bit `tm_far`.

    * ctype: the C type of an element.
    * memory: the memory of the weights.
    * name: the name of the parameter in C.
    """

    ctype: str
    memory: str = FLASH
    name: str = "w"

    @property
    def far(self) -> bool:
        return self.memory == FAR_FLASH

    @property
    def end(self) -> str:
        return _ENDS[self.memory]

    @property
    def _pointer(self) -> str:
        return f"const {self.ctype} *"

    @property
    def parameter(self) -> str:
        return "tm_far far" if self.far else f"{self._pointer}{self.name}"

    @property
    def entry(self) -> Sequence[str]:
        """The C statements that set Z and RAMPZ to the address of a far row; empty for rows in other memories."""
        page = '    __asm__ volatile("out __RAMPZ__,%0" : : "r"((uint8_t)(far >> 16)));'
        return [f"    {self._pointer}{self.name} = ({self._pointer})(uint16_t)far;", page] if self.far else []

    def portable(self, body: str) -> str:
        """C statements without assembly that compute with the row.

        body: the statements for a row in near memory.
        """
        return f"    {self._pointer}{self.name} = ({self._pointer})far;\n{body}" if self.far else body


def number_of_steps(register: str, loop: Loop, steps: str = "n") -> Variable:
    """The C variable that initialises the counter of a loop.

    It contains the number of steps or, for a counter of one byte, the number of iterations.
    """
    if loop.in_byte:
        return Variable("uint8_t", "k", register, f"(uint8_t)({steps} / {loop.at_once} + 1)", 1)
    return Variable("uint16_t", "k", register, steps, 2)


def entered(
    symbol: str,
    signature: str,
    row: Row,
    portable: str,
    needed: SumRegisters,
    loop: Loop,
    *,
    bits: int,
    counter: Variable | None,
    others: Sequence[Variable] = (),
    steps: str = "n",
    of: int = 1,
    most: int = 0,
    functions: Sequence[str] = (),
    element: float = 0.0,
    start: str = "sum",
    ready: Sequence[str] = (),
    longest: int | None = None,
) -> Entered:
    """The two functions of a kernel whose loop adds to a sum: the assembly loop, and the C function that jumps into it.

    symbol: the name of the C function.
    signature: the head of the C function. Its first parameter is the row.
    row: the pointer to the weights.
    portable: the body of the C function on other machines.
    needed: the registers of the sum.
    loop: the loop.
    bits: the width of the sum.
    counter: the C variable of the loop's counter; None for a loop that initialises its counter itself and is entered at
        its first instruction.
    others: further C variables that the instructions use.
    steps: the number of steps as a C expression.
    of: the number of elements per step, by which the C function divides.
    most: the maximum number of steps per call, a multiple of the steps per iteration; 0 if only the counter limits it.
    functions: the functions that the C code calls.
    element: the time of an element, if it differs from the time of a step.
    start: the initial value of the sum as a C expression.
    ready: C statements after the declarations.
    longest: the maximum of n, for which the number of iterations fits the counter. If it is not None, divisions, which
        may be calls, are computed before the register variables are declared.
    """
    lines, used = loop.lines, registers(loop.lines)
    variables = [Variable(C_SUMS[bits], "s", needed.sum[0], start, bits // 8)]
    if needed.gathered:
        variables.append(Variable("uint16_t", "gathered", needed.gathered[0], "0", 2))
    if needed.zero and a.NUMBERS[needed.zero] in used and needed.zero not in needed.gathered:
        variables.append(Variable("uint8_t", "zero", needed.zero, "0", 1, changed=False))
    variables += others
    known = [*variables, counter] if counter is not None else variables
    changed = [f'"+r"({variable.name})' for variable in known if variable.changed]
    kept = "".join(f', "r"({variable.name})' for variable in known if not variable.changed)
    clobbers = used - _OPERANDS - {number for variable in known for number in variable.numbers}
    operands = ", ".join([*changed, f'"+z"({row.name})', '"+x"(x)'])
    named = ", ".join([*(f'"r{number}"' for number in sorted(clobbers)), '"memory"'])
    operands = f'{operands} : [kernel] "i"({symbol}_steps){kept} : {named}'
    entry = [*row.entry]
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
    call = _CALL_CYCLES + loop.least + arguments + (_FAR_CYCLES if row.far else 0)
    return Entered(
        HEADER,
        signature,
        {},
        row.portable(portable),
        costs={"": call, "element": element or loop.step},
        call=_CALL_BYTES + 2 * arguments,
        stack=2 + len(used & CALLEES),
        functions=functions,
        symbol=symbol,
        assembly=statement(lines),
        entry="\n".join(entry),
    )
