"""Calls: the C function that enters a kernel with sums and pointers in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tinyml.targets.avr.assembly.instructions import registers, statement
from tinyml.targets.avr.assembly.loops import END, Loop
from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Composed

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
    """A complete function: the body, which may change r1, between the saves and restores of the caller's registers."""
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

    bits: the width of the sum. counter: of the loop; a loop without one counts by itself and is entered at its first
    instruction. others: further variables in its instructions. steps: the number of steps, in C. row: the pointer to
    the weights. of: the number of elements in a step, which the C function divides by. most: the most steps of a call,
    a multiple of those of an iteration; 0 if only the counter limits them. functions: those that the C code calls.
    element: the time of an element, if it is not that of a step. start: the initial value of the sum. ready: statements
    after the declarations. longest: a limit on n within the range of the counter, if there is one; then divisions,
    which may be calls, precede the register variables.
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
