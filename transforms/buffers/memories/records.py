"""The record of a choice on the arena: an attribute that `place-memories` writes and later passes and reports read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError


@dataclass(frozen=True)
class Placed:
    """A memory and what lies in it.

    * macro, section: how C places a variable in it.
    * size, read, write: as in `Memory`.
    * offset, bytes: the part of the arena.
    * stack: the bytes of the stack.
    * hot: the bytes of each constant that is copied to it, by the digest of its value.
    """

    name: str
    macro: str
    section: str
    size: int
    read: int
    write: int
    offset: int
    bytes: int
    stack: int
    hot: Mapping[str, int]

    def holds(self, offset: int) -> bool:
        """Whether a byte of the arena is in this memory."""
        return self.offset <= offset < self.offset + self.bytes


@dataclass(frozen=True)
class Record:
    """The memories in their order in the arena, and the choice.

    cost, bound: the wait cycles of one inference and their lower bound. proof: of the bound, as in `Choice`. checked:
    the judge that agreed, or "".
    """

    memories: Sequence[Placed]
    cost: int
    bound: int
    proof: str
    checked: str

    @property
    def attribute(self) -> DictionaryAttr:
        memories = [_attribute(vars(memory)) for memory in self.memories]
        return _attribute({**vars(self), "memories": ArrayAttr(memories)})

    @classmethod
    def of(cls, attribute: DictionaryAttr) -> Record:
        """Read the attribute; raises `InputError` for any other."""
        try:
            plain = _plain(attribute)
            memories = [Placed(**memory) for memory in plain.pop("memories")]
            return cls(memories, **plain)
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(f"'memories' of the arena is not what 'place-memories' writes: {error}") from error


def digest_of(value: Attribute) -> str:
    """The text by which the value of a constant is found again at lower levels."""
    return f"v{sha256(str(value).encode()).hexdigest()[:16]}"


def _attribute(values: Mapping[str, Any]) -> DictionaryAttr:
    def attribute(value: Any) -> Attribute:
        if isinstance(value, Mapping):
            return _attribute(cast("Mapping[str, Any]", value))
        if isinstance(value, Attribute):
            return value
        return StringAttr(value) if isinstance(value, str) else IntegerAttr(value, i64)

    return DictionaryAttr({name: attribute(value) for name, value in values.items()})


def _plain(record: DictionaryAttr) -> dict[str, Any]:
    def plain(attribute: Attribute) -> Any:
        match attribute:
            case DictionaryAttr():
                return _plain(attribute)
            case ArrayAttr():
                return [plain(each) for each in attribute]
            case StringAttr():
                return attribute.data
            case _:
                return cast("IntegerAttr[Any]", attribute).value.data

    return {name: plain(attribute) for name, attribute in record.data.items()}
