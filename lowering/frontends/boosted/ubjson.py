"""Import of XGBoost's models in Universal Binary JSON, the format that `save_model('model.ubj')` writes.

A value is a type letter followed by the bytes of the value, most significant byte first. A container may declare once
the type and the number of its elements (ubjson.org, draft 12).
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.boosted.json_fields import Fields
from tinyml.lowering.frontends.boosted.xgboost import import_xgboost

NUMBERS = {"i": "i1", "U": "u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
"""The numeric types, by numpy's names."""

CONSTANTS = {"Z": None, "T": True, "F": False}

DEEPEST = 64
"""The maximum nesting depth of containers; the depth of a model is less than ten."""


def read_ubjson(content: bytes, file: str) -> ModuleOp:
    """Import an XGBoost model in UBJSON. Raises `InputError` for an invalid file and for an unsupported model."""
    model = _Reader(content, file).document()
    if not isinstance(model, dict) or "learner" not in model:
        raise InputError("expected a model as XGBoost's save_model('model.ubj') writes it", file=file)
    return import_xgboost(Fields(model, file), file)


class _Reader:
    def __init__(self, content: bytes, file: str) -> None:
        self.content, self.file, self.at = content, file, 0

    def document(self) -> Any:
        value = self.value(self.letter(), DEEPEST)
        if self.at < len(self.content):
            raise self.error("expected the end of the file")
        return value

    def error(self, message: str) -> InputError:
        return InputError(f"not a file of Universal Binary JSON: {message} at byte {self.at}", file=self.file)

    def bytes(self, count: int) -> bytes:
        if not 0 <= count <= len(self.content) - self.at:
            raise self.error(f"{count} bytes do not follow")
        self.at += count
        return self.content[self.at - count : self.at]

    def takes(self, letter: bytes) -> bool:
        matches = self.content.startswith(letter, self.at)
        self.at += matches
        return matches

    def letter(self) -> str:
        while (letter := chr(self.bytes(1)[0])) == "N":
            pass
        return letter

    def value(self, kind: str, deepest: int) -> Any:
        """Parse a value whose type letter `kind` has already been consumed. Raises `InputError` for an unknown type,
        and for containers that are nested too deeply.

        deepest: the number of further container levels that the value may nest.
        """
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        if kind in NUMBERS:
            return self.numbers(kind, 1)[0]
        if kind == "C":
            return chr(self.bytes(1)[0])
        if kind in "SH":
            return self.text()
        if kind not in "[{":
            raise self.error(f"unknown type {kind!r}")
        if not deepest:
            raise self.error(f"more than {DEEPEST} containers within each other")
        return self.array(deepest - 1) if kind == "[" else self.object(deepest - 1)

    def numbers(self, kind: str, count: int) -> list[Any]:
        numbers = np.dtype(NUMBERS[kind])
        return np.frombuffer(self.bytes(count * numbers.itemsize), numbers).tolist()

    def length(self) -> int:
        if (kind := self.letter()) not in "iUIlL":
            raise self.error(f"expected an integer as a length, got the type {kind!r}")
        return self.numbers(kind, 1)[0]

    def text(self) -> str:
        try:
            return self.bytes(self.length()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error("expected a text in UTF-8") from error

    def stated(self) -> tuple[str | None, int | None]:
        """Return the element type and the element count that a container declares. Either is None if it is not
        declared. Raises `InputError` for a type without a count, and for a count of more elements than can follow.
        """
        kind = self.letter() if self.takes(b"$") else None
        if not self.takes(b"#"):
            if kind is not None:
                raise self.error("expected the number of elements behind their type")
            return None, None
        count = self.length()
        # Constants occupy no bytes, so that the file size does not limit their number.
        if not 0 <= count <= len(self.content):
            raise self.error(f"{count} elements do not follow")
        return kind, count

    def array(self, deepest: int) -> list[Any]:
        kind, count = self.stated()
        if count is not None:
            if kind in NUMBERS:
                return self.numbers(kind, count)
            return [self.value(kind or self.letter(), deepest) for _ in range(count)]
        values: list[Any] = []
        while (letter := self.letter()) != "]":
            values.append(self.value(letter, deepest))
        return values

    def object(self, deepest: int) -> dict[str, Any]:
        kind, count = self.stated()
        fields: dict[str, Any] = {}
        while not self.takes(b"}") if count is None else len(fields) < count:
            before = len(fields)
            name = self.text()
            fields[name] = self.value(kind or self.letter(), deepest)
            if len(fields) == before:
                raise self.error(f"the name {name[:60]!r} a second time")
        return fields
