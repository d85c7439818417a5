"""An entry of the table of instructions, which makes records of its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tinyml.targets.composer.instructions import CycleClass, Instruction
from tinyml.targets.cortex_m.assembly.encodings import fits, is_short
from tinyml.targets.cortex_m.assembly.operands import Address, Operand, names, shown

_KEPT = 1 << 14
"""The instructions that are kept, so that equal ones are made once."""

SHIFTS = ("lsl", "lsr", "asr", "ror")
TARGETS = {"back": "b", "ahead": "f"}
"""The directions of a branch, and what follows the number of a label there."""


@dataclass(frozen=True, eq=False)
class Opcode:
    """A mnemonic, called with operands.

    operands: their kinds, as in `encodings.fits`: registers that are written (w), read (r) or both (u), and others; of
    "w r v" two may be given, the first of which is both. short: what encodings of ARMv6-M take, as in
    `encodings.is_short`; size: their bytes. keywords: of calls. words: registers of 32 bits that it transfers besides
    those of a list. reads, writes: registers besides operands.
    """

    name: str
    operands: str = ""
    short: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    cycles: CycleClass = "other"
    size: int = 2
    words: int = 0
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    def __call__(self, *operands: Operand, **keywords: int) -> Instruction:
        """The instruction; raises ValueError if it takes other operands."""
        return _made(self, operands, *keywords.items())

    def kinds(self, count: int) -> list[str]:
        """The kinds of some operands."""
        return ["u", "v"] if count == 2 and self.operands == "w r v" else self.operands.split()

    def text(self, operands: tuple[Operand, ...], keywords: Mapping[str, int]) -> str:
        """The text of the assembly."""
        parts = list(map(shown, operands))
        for keyword, value in keywords.items():
            if keyword == "update":
                parts[0] += "!"
            else:
                parts += [f"{value}{TARGETS[keyword]}" if keyword in TARGETS else f"{keyword} #{value}"]
        return f"{self.name} {', '.join(parts)}"


@lru_cache(_KEPT)
def _made(opcode: Opcode, operands: tuple[Operand, ...], *keywords: tuple[str, int]) -> Instruction:
    given, kinds = dict(keywords), opcode.kinds(len(operands))
    text = opcode.text(operands, given)
    least = "back" in opcode.keywords
    if len(kinds) != len(operands) or not least <= len(given) <= 1 or not given.keys() <= {*opcode.keywords}:
        raise ValueError(f"{text}: {opcode.name} has other operands")
    reads, writes, address, words = [*opcode.reads], [*opcode.writes], list[str](), opcode.words
    for kind, operand in zip(kinds, operands, strict=True):
        if not fits(kind, operand):
            raise ValueError(f"{text}: {opcode.name} does not take {shown(operand)}")
        if isinstance(operand, Address):
            address += operand.registers
            writes += [operand.base] * (operand.step != 0)
        elif isinstance(operand, tuple):
            words += len(names(operand))
            (writes if kind == "L" else reads).extend(names(operand))
        elif isinstance(operand, str) and kind != "c":
            (address if kind == "p" else reads).extend([operand] * (kind != "w"))
            writes += [operand] * (kind in "wu" or "update" in given)
    # Encodings of ARMv6-M shift no operand, and those with a list always update the pointer.
    plain = not given.keys() & {*SHIFTS} and ("update" in opcode.keywords) == ("update" in given)
    is_known = plain and any(is_short(form, operands) for form in opcode.short)
    size = opcode.size if is_known else None
    stack = operands[-1] if opcode.name == "sub" and operands[0] == "sp" else 0
    if opcode.name in ("push", "pop"):
        address, stack = ["sp"], 4 * words if opcode.name == "push" else 0
    assert isinstance(stack, int)
    registers = tuple(address), (*address, *reads), tuple(writes)
    return Instruction(text, opcode.name, size, opcode.cycles, words, *registers, stack)
