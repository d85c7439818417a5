"""Packing problems in MiniMalloc's CSV format: a buffer per line, with columns `id,lower,upper,size` and more."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.transforms.buffers.packing import Placement, Rectangle, stays

_REQUIRED = ("id", "lower", "upper", "size")

_MOST = 1 << 128
"""Limit on sizes, alignments and points: Python refuses to spell integers of more than some thousand digits."""


def read_problem(path: Path) -> list[Rectangle]:
    """The buffers of a problem, alive from point `lower` until just before `upper`, of `size` bytes each.

    The column `alignment` is optional. Raises InputError, with the line, for a malformed file.
    """
    try:
        text = read_bytes(path, "problem").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("the text is not UTF-8", file=str(path)) from error
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True, strict=True)
    rectangles: list[Rectangle] = []
    seen: set[str] = set()
    try:
        missing = [name for name in _REQUIRED if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"no column '{missing[0]}'; expected a header with {','.join(_REQUIRED)}")
        for row in reader:
            rectangle = _rectangle(row)
            if rectangle.name in seen:
                raise InputError(f"buffer '{rectangle.name}' is there twice")
            seen.add(rectangle.name)
            rectangles.append(rectangle)
    except InputError as error:
        raise InputError(error.message, file=str(path), line=max(reader.line_num, 1)) from error
    except csv.Error as error:
        raise InputError(str(error), file=str(path), line=reader.line_num + 1) from error
    return rectangles


def _rectangle(row: Mapping[str | None, object]) -> Rectangle:
    def number(name: str, least: int | None) -> int:
        text = row.get(name)
        try:
            value = int(str(text))
        except ValueError:
            raise InputError(f"{name} must be an integer, got {_quote(text)}") from None
        if least is not None and value < least:
            raise InputError(f"{name} must be at least {least}, got {_quote(text)}")
        if abs(value) > _MOST:
            raise InputError(f"{name} must be at most 2^128, got {_quote(text)}")
        return value

    if None in row:
        raise InputError("more fields than the header has")
    lower, upper = number("lower", None), number("upper", None)
    if upper <= lower:
        raise InputError(f"upper must be above lower, got {lower} and {upper}")
    alignment = number("alignment", 1) if row.get("alignment") not in (None, "") else 1
    return Rectangle(str(row["id"]), number("size", 0), alignment, lower, upper - 1)


def _quote(text: object) -> str:
    if text is None:
        return "nothing"
    spelled = repr(str(text))
    return spelled if len(spelled) <= 40 else f"{spelled[:20]}... ({len(str(text))} characters)"


def spell_solution(rectangles: Sequence[Rectangle], placement: Placement) -> str:
    """The problem as CSV with a column `offset`, and a column `alignment` if any buffer is aligned.

    A buffer that moves has a line for each of its offsets.
    """
    aligned = any(rectangle.alignment > 1 for rectangle in rectangles)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_REQUIRED, *(["alignment"] if aligned else []), "offset"])
    for stay in stays(rectangles, placement):
        rectangle = rectangles[stay.number]
        points = (stay.first, stay.last + 1)
        alignment = [rectangle.alignment] if aligned else []
        writer.writerow([rectangle.name, *points, rectangle.size, *alignment, stay.offset])
    return text.getvalue()
