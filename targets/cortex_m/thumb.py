"""Thumb instructions as records: their operands, the encodings that accept these operands, and the table of opcodes.

The table contains opcodes of ARMv6-M and ARMv7E-M. Calling an entry of the table creates an instruction: `add("r4",
"r4", "r4", asr=31)`, `ldr("r3", post("r0", 4))`, `bne(back=1)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from tinyml.targets.composer.instructions import CycleClass, Instruction, LocalLabel

LOW = frozenset(f"r{number}" for number in range(8))
"""The registers that most 16-bit instructions can name."""

_REGISTERS = LOW | {*(f"r{number}" for number in range(8, 13)), "sp", "lr", "pc"}
_KEPT_ADDRESSES = 1 << 12


class Address(NamedTuple):
    """The address operand of a load or store.

    base: the base register.
    offset: the number of bytes from the base, or a register that is shifted left by `lsl`; None for no offset.
    step: the number of bytes added to the base after the access.
    """

    base: str
    offset: int | str | None = None
    lsl: int = 0
    step: int = 0

    @property
    def registers(self) -> tuple[str, ...]:
        return (self.base, self.offset) if isinstance(self.offset, str) else (self.base,)

    def __str__(self) -> str:
        if self.step:
            return f"[{self.base}], #{self.step}"
        offset = "" if self.offset is None else f", {shown(self.offset)}"
        return f"[{self.base}{offset}{f', lsl #{self.lsl}' if self.lsl else ''}]"


Registers: TypeAlias = "tuple[str | range, ...]"
"""A list of registers; a range includes all registers between its ends."""

Operand: TypeAlias = "str | int | Address | Registers"


@lru_cache(_KEPT_ADDRESSES)
def at(base: str, offset: int | str | None = None, lsl: int = 0) -> Address:
    """The address operand `base` plus a byte offset or another register, which is shifted left by `lsl`."""
    return Address(base, offset, lsl)


@lru_cache(_KEPT_ADDRESSES)
def post(base: str, step: int) -> Address:
    """The address operand `base`. After the access, `step` bytes are added to the register."""
    return Address(base, step=step)


@lru_cache(_KEPT_ADDRESSES)
def slot(offset: int) -> Address:
    return Address("sp", offset)


def _is_register(name: str) -> bool:
    """True for a core register, or for a register that the C compiler allocates to an operand of inline assembly."""
    return name in _REGISTERS or name.startswith("%")


def names(registers: Registers) -> list[str]:
    """The names of the registers in a list."""
    listed = ((each,) if isinstance(each, str) else (f"r{number}" for number in each) for each in registers)
    return [name for names in listed for name in names]


def shown(operand: Operand) -> str:
    """The assembly text of an operand."""
    match operand:
        case str() | Address():
            return str(operand)
        case tuple():
            runs = (each if isinstance(each, str) else f"r{each[0]}-r{each[-1]}" for each in operand)
            return f"{{{', '.join(runs)}}}"
        case int():
            return f"#{operand}"


REACH, BEFORE, _PAIR = 4095, 255, 1020
"""The maximum offsets of a load or store: positive, negative or post-indexed, and of a register pair."""

IMMEDIATE = 0xFFFF
"""The greatest constant that one instruction moves to a register."""

_SLOTS, _BEHIND = 1020, 31
"""The maximum offsets of 16-bit encodings: of stack slots and, in units of the access, from a low register."""


def is_constant(value: int) -> bool:
    """True for a valid immediate of an addition: an integer of 12 bits, or a pattern of eight bits that are shifted or
    repeated.
    """
    low, next = value & 0xFF, value >> 8 & 0xFF
    repeated = value in (low * 0x10001, next * 0x1000100, low * 0x1010101)
    return 0 <= value <= REACH or repeated or (value >> 32 == 0 and value < (value & -value) << 8)


def fits(kind: str, operand: Operand) -> bool:
    """True if an operand is of the kind that a letter denotes:

    * w, r, u, p: a register.
    * v: a register or a constant. m: a register or a wide constant. i: a wide constant.
    * a: an address. d: an address of two registers.
    * l, L: a list of registers.
    * c: a condition.
    """
    match operand:
        case Address(base, offset, _, step):
            if isinstance(offset, str):
                return kind == "a" and _is_register(base) and _is_register(offset)
            distance = step or offset or 0
            if kind == "d":
                return _is_register(base) and abs(distance) <= _PAIR and distance % 4 == 0
            return kind == "a" and _is_register(base) and -BEFORE <= distance <= (BEFORE if step else REACH)
        case tuple():
            return kind in "lL" and all(map(_is_register, names(operand)))
        case str():
            return operand == "eq" if kind == "c" else kind in "wrupvm" and _is_register(operand)
        case int():
            return is_constant(operand) if kind == "v" else kind in "mi" and 0 <= operand <= IMMEDIATE


def is_short(form: str, operands: tuple[Operand, ...]) -> bool:
    """True if ARMv6-M can encode the instruction with these operands.

    `form` has one code per operand:

    * l: a low register. h: any register. =: the first operand again. sp: the stack pointer.
    * N: a constant from 0 to N. N*M: a constant from 0 to N that is a multiple of M.
    * a1, a2, a4: the address of an access of 1, 2 or 4 bytes. x: the sum of two registers.
    * list: a list of low registers. lr, pc: such a list, which may also contain lr or pc.
    """
    kinds = form.split()
    pairs = zip(kinds, operands, strict=False)
    return len(kinds) == len(operands) and all(_is_short(kind, operand, operands[0]) for kind, operand in pairs)


def _is_short(kind: str, operand: Operand, first: Operand) -> bool:
    match operand:
        case Address(base, offset, lsl, step):
            if isinstance(offset, str):
                return kind in ("x", "a1", "a2", "a4") and lsl == 0 and {base, offset} <= LOW
            if kind not in ("a1", "a2", "a4") or step:
                return False
            bytes, distance = int(kind[1]), offset or 0
            most = _SLOTS if base == "sp" else _BEHIND * bytes
            return (base in LOW or (base, bytes) == ("sp", 4)) and 0 <= distance <= most and distance % bytes == 0
        case tuple():
            return kind in ("list", "lr", "pc") and {*names(operand)} <= {*LOW, kind}
        case str():
            return kind == "h" or (kind == "l" and operand in LOW) or operand == (first if kind == "=" else kind)
        case int():
            most, _, of = kind.partition("*")
            return most.isdigit() and 0 <= operand <= int(most) and operand % int(of or 1) == 0


_KEPT_INSTRUCTIONS = 1 << 14
"""The size of the cache of instructions."""

SHIFTS = ("lsl", "lsr", "asr", "ror")
TARGETS = {"back": "b", "ahead": "f"}
"""The directions of a branch, and the suffix of a label's number."""


@dataclass(frozen=True, eq=False)
class Opcode:
    """A mnemonic. Calling it with operands creates an instruction.

    * name: the mnemonic.
    * operands: the kind of each operand, as in `fits`. Registers are written (w), read (r) or both (u). "w r v" also
      accepts two operands, the first of which is written and read.
    * short: the operands of ARMv6-M encodings, as in `is_short`.
    * size: the number of bytes of these encodings.
    * keywords: the keywords that calls accept.
    * cycles: the class of instructions that determines the cycles.
    * words: the number of 32-bit registers that the instruction transfers, excluding the registers of a list.
    * reads, writes: registers that the instruction reads or writes although they are not operands.
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
        """The instruction with these operands. Raises `ValueError` for operands that no encoding supports."""
        return _made(self, operands, *keywords.items())

    def kinds(self, count: int) -> list[str]:
        return ["u", "v"] if count == 2 and self.operands == "w r v" else self.operands.split()

    def text(self, operands: tuple[Operand, ...], keywords: Mapping[str, int]) -> str:
        """The assembly text of the instruction."""
        parts = list(map(shown, operands))
        for keyword, value in keywords.items():
            if keyword == "update":
                parts[0] += "!"
            else:
                parts += [f"{value}{TARGETS[keyword]}" if keyword in TARGETS else f"{keyword} #{value}"]
        return f"{self.name} {', '.join(parts)}"


@lru_cache(_KEPT_INSTRUCTIONS)
def _made(opcode: Opcode, operands: tuple[Operand, ...], *keywords: tuple[str, int]) -> Instruction:
    options, kinds = dict(keywords), opcode.kinds(len(operands))
    text = opcode.text(operands, options)
    backward = "back" in opcode.keywords
    if len(kinds) != len(operands) or not backward <= len(options) <= 1 or not options.keys() <= {*opcode.keywords}:
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
            writes += [operand] * (kind in "wu" or "update" in options)
    # Encodings of ARMv6-M do not shift operands, and those with a list always update the pointer.
    plain = not options.keys() & {*SHIFTS} and ("update" in opcode.keywords) == ("update" in options)
    is_known = plain and any(is_short(form, operands) for form in opcode.short)
    size = opcode.size if is_known else None
    stack = operands[-1] if opcode.name == "sub" and operands[0] == "sp" else 0
    if opcode.name in ("push", "pop"):
        address, stack = ["sp"], 4 * words if opcode.name == "push" else 0
    assert isinstance(stack, int)
    registers = tuple(address), (*address, *reads), tuple(writes)
    return Instruction(text, opcode.name, size, opcode.cycles, words, *registers, stack)


_FLAGS = ("flags",)
_COMPUTED = ("l l l", "l 255", "l = 255", "l l 7")
_STACK = "sp 508*4", "sp sp 508*4"

_flags = partial(Opcode, writes=_FLAGS)
_shifted = partial(Opcode, keywords=SHIFTS)
_load, _store = partial(Opcode, cycles="load"), partial(Opcode, cycles="store")
_several = partial(Opcode, cycles="several")
_branch = partial(Opcode, keywords=tuple(TARGETS), cycles="branch")
_branch_if = partial(_branch, short=("",), reads=_FLAGS)

add = _shifted("add", "w r v", ("h = h", "l sp 1020*4", *_STACK))
sub = _shifted("sub", "w r v", _STACK)
adds, subs = (_flags(name, "w r v", _COMPUTED) for name in ("adds", "subs"))
adcs = _flags("adcs", "w r v", ("l = l",), reads=_FLAGS)
rsb, rsbs = Opcode("rsb", "w r v"), _flags("rsbs", "w r v", ("l l 0",))
mul, muls = Opcode("mul", "w r r"), _flags("muls", "w r r", ("l l =",))
eor, eors = Opcode("eor", "w r v"), _flags("eors", "w r v", ("l = l",))
lsls = _flags("lsls", "w r v", ("l l 31", "l = l"))
asrs, lsrs = (_flags(name, "w r v", ("l l 32", "l = l")) for name in ("asrs", "lsrs"))
asr, lsl, lsr = (Opcode(name, "w r v") for name in ("asr", "lsl", "lsr"))
and_, orr = _shifted("and", "w r v"), _shifted("orr", "w r v")
mov, movs = Opcode("mov", "w m", ("h h",)), _flags("movs", "w v", ("l 255", "l l"))
movw, movt, mvn, bfi = Opcode("movw", "w i"), Opcode("movt", "u i"), Opcode("mvn", "w v"), Opcode("bfi", "u r i i")
cmp, cmn = _flags("cmp", "r v", ("h h", "l 255")), _flags("cmn", "r v")
it, mvneq = Opcode("it", "c", cycles="it", reads=_FLAGS), Opcode("mvneq", "u v", reads=_FLAGS)

mla, mls, smmla, smmlar = (Opcode(name, "w r r r") for name in ("mla", "mls", "smmla", "smmlar"))
smlad, smlabb, smlabt = (Opcode(name, "w r r r") for name in ("smlad", "smlabb", "smlabt"))
usada8 = Opcode("usada8", "w r r r")
smlatb, smlatt = (Opcode(name, "w r r r") for name in ("smlatb", "smlatt"))
smlal, smlald = Opcode("smlal", "u u r r"), Opcode("smlald", "u u r r")
smuad, sadd16, ssub16 = (Opcode(name, "w r r") for name in ("smuad", "sadd16", "ssub16"))
qadd8, qsub8 = Opcode("qadd8", "w r r"), Opcode("qsub8", "w r r")
pkhbt, pkhtb = _shifted("pkhbt", "w r r"), _shifted("pkhtb", "w r r")
ssat, usat = _shifted("ssat", "w i r"), _shifted("usat", "w i r")
sxtb, sxth = Opcode("sxtb", "w r", ("l l",)), Opcode("sxth", "w r", ("l l",))
sxtb16, uxtb16 = _shifted("sxtb16", "w r"), _shifted("uxtb16", "w r")

ldr, ldrh, ldrb = (_load(name, "w a", (f"l a{bytes}",)) for name, bytes in (("ldr", 4), ("ldrh", 2), ("ldrb", 1)))
ldrsh, ldrsb = _load("ldrsh", "w a", ("l x",)), _load("ldrsb", "w a", ("l x",))
str_, strh, strb = (_store(name, "r a", (f"l a{bytes}",)) for name, bytes in (("str", 4), ("strh", 2), ("strb", 1)))
ldrd, strd = _several("ldrd", "w w d", words=2), _several("strd", "r r d", words=2)
ldm, ldmia = (_several(name, "p L", ("l list",), ("update",)) for name in ("ldm", "ldmia"))
stm, stmia = (_several(name, "p l", ("l list",), ("update",)) for name in ("stm", "stmia"))
push, pop = _several("push", "l", ("lr",)), _several("pop", "L", ("pc",))

b, bl = _branch("b", short=("",)), _branch("bl", short=("",), size=4, writes=("lr",))
beq, bne, bge, blt, bls = (_branch_if(name) for name in ("beq", "bne", "bge", "blt", "bls"))
cbz, bx = _branch("cbz", "r"), Opcode("bx", "r", ("h",), cycles="branch")
label = LocalLabel
