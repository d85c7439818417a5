"""Operands of Thumb instructions: registers, lists of them, constants and addresses."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

LOW = frozenset(f"r{number}" for number in range(8))
"""The registers that most instructions of 16 bits can name."""

_REGISTERS = LOW | {*(f"r{number}" for number in range(8, 13)), "sp", "lr", "pc"}
_KEPT = 1 << 12


class Address(NamedTuple):
    """The address of a load or store.

    offset: bytes from the base, or a register with them, shifted to the left by `lsl`. step: bytes by which the base
    moves behind the access.
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
"""A list of registers; a range stands for those with its numbers."""

Operand: TypeAlias = "str | int | Address | Registers"


@lru_cache(_KEPT)
def at(base: str, offset: int | str | None = None, lsl: int = 0) -> Address:
    """The address some bytes behind that in a register, or the sum of two registers."""
    return Address(base, offset, lsl)


@lru_cache(_KEPT)
def post(base: str, step: int) -> Address:
    """The address in a register, which then moves by some bytes."""
    return Address(base, step=step)


@lru_cache(_KEPT)
def slot(offset: int) -> Address:
    """A stack slot, some bytes behind the stack pointer."""
    return Address("sp", offset)


def is_register(name: str) -> bool:
    """True for a core register, and for one that the C compiler allocates to an operand of inline assembly."""
    return name in _REGISTERS or name.startswith("%")


def names(registers: Registers) -> list[str]:
    """The registers of a list."""
    listed = ((each,) if isinstance(each, str) else (f"r{number}" for number in each) for each in registers)
    return [name for names in listed for name in names]


def shown(operand: Operand) -> str:
    """The text of an operand."""
    match operand:
        case str() | Address():
            return str(operand)
        case tuple():
            runs = (each if isinstance(each, str) else f"r{each[0]}-r{each[-1]}" for each in operand)
            return f"{{{', '.join(runs)}}}"
        case int():
            return f"#{operand}"
