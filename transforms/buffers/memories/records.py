"""The attribute `memories` of the arena. `place-memories` writes the attribute, and later passes and reports read it.
It contains the memories of the board, the content of each memory, and the wait cycles.
"""

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
    """A memory and its content.

    * macro, section: the macro and the linker section that place a C variable in the memory.
    * size, read, write: as in `Memory`.
    * offset, bytes: the part of the arena in this memory.
    * stack: the bytes of the stack.
    * hot: the bytes of each constant that is copied to the memory, by the digest of the constant's value.
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
        return self.offset <= offset < self.offset + self.bytes


@dataclass(frozen=True)
class Record:
    """The assignment of buffers, constants and the stack to memories, and its cost.

    memories: the memories, in the order of their parts of the arena.
    bound, proof: as in `Choice`.
    checked: the name of the independent check that agreed, or "".
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
        """Parse the attribute `memories`. Raises `InputError` unless it has the form that `place-memories` writes."""
        try:
            plain = _plain(attribute)
            memories = [Placed(**memory) for memory in plain.pop("memories")]
            return cls(memories, **plain)
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(f"'memories' of the arena is not what 'place-memories' writes: {error}") from error


def digest_of(value: Attribute) -> str:
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
