"""AVR instructions as records with their operands, and the table of opcodes.

Calling an entry of the table creates an instruction: `add("r24", "r0")`, `lpm("r18", "Z+")`, `ldd("r24", at("Y", 5))`,
`brne(back=1)`. An instruction records the registers that it reads and writes, but not the condition flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from tinyml.targets.composer.instructions import Code, Instruction, LocalLabel

NUMBERS: Mapping[str, int] = {f"r{number}": number for number in range(32)}
"""The numbers of the registers."""

POINTERS: Mapping[str, str] = {"X": "r26", "Y": "r28", "Z": "r30"}
"""The lower register of each pointer."""

_POINTERS: Mapping[str, str] = {
    name: low for pointer, low in POINTERS.items() for name in (pointer, f"{pointer}+", f"-{pointer}")
}
"""The lower register of each pointer, whether or not an access moves it."""


class Address(NamedTuple):
    """An operand that is the address at an offset from a pointer register."""

    pointer: str
    offset: int


class Expression(NamedTuple):
    """A constant operand that the assembler computes."""

    text: str


Operand: TypeAlias = "str | int | Address | Expression"
"""A register, which C chooses for `%0`; a constant; a pointer such as `Z+`, or an address; the C name of a function."""

at = Address

DISPLACEMENT = 63
"""The greatest offset of an address."""


def lo8(value: int | str) -> Expression:
    return Expression(f"lo8({value})")


def hi8(value: int | str) -> Expression:
    return Expression(f"hi8({value})")


STACK_POINTER = Expression("0x3d"), Expression("0x3e")
"""The I/O addresses of the stack pointer's bytes, the lower one first."""
STATUS = Expression("0x3f")
"""The I/O address of the flags, that of interrupts among them."""


def pair(low: str) -> tuple[str, str]:
    return low, f"r{NUMBERS[low] + 1}"


def _shown(operand: Operand) -> str:
    match operand:
        case Address():
            return f"{operand.pointer}+{operand.offset}"
        case Expression():
            return operand.text
        case _:
            return str(operand)


_KEPT_INSTRUCTIONS = 1 << 14
"""The size of the cache of instructions."""


@dataclass(frozen=True, eq=False)
class Opcode:
    """A mnemonic. Calling it with operands creates an instruction.

    * name: the mnemonic.
    * operands: the kind of each operand. Registers are written (w), read (r) or both (u). Other kinds are constants
      (k), pointers and addresses (a), labels (l), and labels or functions (f).
    * cycles: the cycles on an ATmega; for branches and skips, the cycles if they do not jump.
    * words: the number of words of flash, two bytes each.
    * among: the numbers of the registers that are valid operands.
    * pairs: true if a register operand is the lower register of a pair.
    * writes: registers that the instruction writes although they are not operands.
    * stack: the number of bytes that the instruction pushes on the stack, negative for pops.
    """

    name: str
    operands: str = ""
    cycles: int = 1
    words: int = 1
    among: range = range(32)
    pairs: bool = False
    writes: tuple[str, ...] = ()
    stack: int = 0

    def __call__(self, *operands: Operand, back: int | None = None, ahead: int | None = None) -> Instruction:
        """The instruction with these operands.

        back, ahead: the numeric label of a backward or forward jump.

        Raises `ValueError` for invalid operands.
        """
        return _made(self, operands, back, ahead)

    def registers(self, kind: str, operand: Operand) -> tuple[str, ...]:
        """The registers that an operand names. Raises `ValueError` if the operand is not valid for the kind `kind`."""
        match operand:
            case str() if kind in "wru" and NUMBERS.get(operand) in self.among:
                return pair(operand) if self.pairs else (operand,)
            case str() if kind in "wru" and operand.startswith("%"):
                return (operand,)
            case str() if kind == "a" and operand in _POINTERS:
                return pair(_POINTERS[operand])
            case Address(pointer, offset) if kind == "a" and pointer in ("Y", "Z") and 0 <= offset <= DISPLACEMENT:
                return pair(POINTERS[pointer])
            case int() | Expression() if kind == "k":
                return ()
            case str() if kind == "f" and operand.isidentifier():
                return ()
            case _:
                raise ValueError(f"{self.name} does not take {_shown(operand)}")


@lru_cache(_KEPT_INSTRUCTIONS)
def _made(opcode: Opcode, operands: tuple[Operand, ...], back: int | None, ahead: int | None) -> Instruction:
    kinds, shown, callee = opcode.operands.split(), [*map(_shown, operands)], ""
    labels = [f"{number}{way}" for number, way in ((back, "b"), (ahead, "f")) if number is not None]
    text = " ".join([opcode.name, *filter(None, [",".join([*shown, *labels])])])
    if labels:
        if not {*kinds} & {"l", "f"}:
            raise ValueError(f"{text}: {opcode.name} has no label")
        kinds = kinds[:-1]
    elif kinds == ["f"]:
        [callee] = shown
    if len(kinds) != len(operands) or len(labels) > 1:
        raise ValueError(f"{text}: {opcode.name} has other operands")
    reads, writes = list[str](), [*opcode.writes]
    for kind, operand in zip(kinds, operands, strict=True):
        named = opcode.registers(kind, operand)
        reads += named if kind in "rua" else ()
        writes += named if kind in "wu" or (isinstance(operand, str) and kind == "a" and len(operand) > 1) else ()
    return Instruction(
        text,
        opcode.name,
        2 * opcode.words,
        reads=tuple(reads),
        writes=tuple(writes),
        stack=opcode.stack,
        time=opcode.cycles,
        callee=callee,
    )


_DATA_COLUMNS = 24


def constants(numbers: Sequence[int]) -> Code:
    """Constant bytes between instructions, padded to whole words."""
    padded = [*numbers, *[0] * (len(numbers) % 2)]
    rows = (padded[first : first + _DATA_COLUMNS] for first in range(0, len(padded), _DATA_COLUMNS))
    return tuple(Instruction(f".byte {','.join(map(str, row))}", ".byte", len(row), time=0) for row in rows)


label = LocalLabel
_PRODUCT = ("r0", "r1")
_UPPER, _MIDDLE, _PAIRS, _UPPERMOST = range(16, 32), range(16, 24), range(0, 32, 2), range(24, 32, 2)
"""Sets of registers that instructions can name."""

_binary, _unary = partial(Opcode, operands="u r"), partial(Opcode, operands="u")
_immediate = partial(Opcode, operands="u k", among=_UPPER)
_branch, _product = partial(Opcode, operands="l"), partial(Opcode, operands="r r", cycles=2, writes=_PRODUCT)

add, adc, sub, sbc = (_binary(name) for name in ("add", "adc", "sub", "sbc"))
eor, or_ = _binary("eor"), _binary("or")
asr, com, dec, inc, lsl, lsr = (_unary(name) for name in ("asr", "com", "dec", "inc", "lsl", "lsr"))
neg, rol, ror, swap = (_unary(name) for name in ("neg", "rol", "ror", "swap"))
andi, subi, sbci = (_immediate(name) for name in ("andi", "subi", "sbci"))
adiw, sbiw = (Opcode(name, "u k", cycles=2, among=_UPPERMOST, pairs=True) for name in ("adiw", "sbiw"))
cli, out = Opcode("cli"), Opcode("out", "k r")
clr, ldi = Opcode("clr", "w"), Opcode("ldi", "w k", among=_UPPER)
mov, movw, in_ = Opcode("mov", "w r"), Opcode("movw", "w r", among=_PAIRS, pairs=True), Opcode("in", "w k")
cp, cpc, cpse = (Opcode(name, "r r") for name in ("cp", "cpc", "cpse"))
cpi = Opcode("cpi", "r k", among=_UPPER)
tst, sbrc, sbrs, sec = Opcode("tst", "r"), Opcode("sbrc", "r k"), Opcode("sbrs", "r k"), Opcode("sec")

mul, muls = _product("mul"), _product("muls", among=_UPPER)
mulsu, fmulsu = (_product(name, among=_MIDDLE) for name in ("mulsu", "fmulsu"))

ld, ldd = (Opcode(name, "w a", cycles=2) for name in ("ld", "ldd"))
st, std = (Opcode(name, "a r", cycles=2) for name in ("st", "std"))
lpm, elpm = (Opcode(name, "w a", cycles=3) for name in ("lpm", "elpm"))
push, pop = Opcode("push", "r", cycles=2, stack=1), Opcode("pop", "w", cycles=2, stack=-1)

brcc, brcs, breq, brne = (_branch(name) for name in ("brcc", "brcs", "breq", "brne"))
brge, brlt, brmi, brpl = (_branch(name) for name in ("brge", "brlt", "brmi", "brpl"))
rjmp, rcall = Opcode("rjmp", "l", cycles=2), Opcode("rcall", "l", cycles=3)
jmp, call = Opcode("jmp", "l", cycles=3, words=2), Opcode("call", "f", cycles=4, words=2)
ret = Opcode("ret", cycles=4)

UPPER = Opcode("TM_UPPER", cycles=0, words=0, writes=("r0",))
"""A macro of enter.h that pops the upper byte of a three-byte return address into r0; empty on other parts."""
