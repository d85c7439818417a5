"""Values of options, parsed from the texts of the command line.

Parsers raise `ArgumentTypeError` for a string that is not a valid value.
"""

from __future__ import annotations

import math
import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from tinyml.dialects.options import Seconds, Size
from tinyml.targets.board import SIZES, bytes_of

MAX_INTEGER = 2**63 - 1
"""The largest integer that an option accepts."""


def value_parser(type: Any) -> Callable[[str], Any]:
    """The function that parses values of a type. For a union, it is the parser of the member that comes first in
    `_VALUE_PARSERS`.
    """
    if type in _VALUE_PARSERS:
        return _VALUE_PARSERS[type]
    parts = [part for part in get_args(type) if part is not None.__class__]
    return _VALUE_PARSERS[next(part for part in _VALUE_PARSERS if part in parts)]


def count(text: str) -> int:
    """Parse a positive integer of at most 63 bits; raises `ArgumentTypeError` for any other text."""
    if not text.isdecimal() or not 1 <= int(text) <= MAX_INTEGER:
        raise ArgumentTypeError(f"expected a positive integer up to {MAX_INTEGER}, got '{text}'")
    return int(text)


def seconds(text: str) -> float:
    """Parse a number of seconds, at least 0, which may be infinite; raises `ArgumentTypeError` for any other text."""
    if not (value := _real(text)) >= 0:
        raise ArgumentTypeError(f"expected a number of seconds, got '{text}'")
    return value


def magnitude(text: str) -> float:
    """Parse a finite number of at least 0; raises `ArgumentTypeError` for any other text."""
    if not 0 <= (value := _real(text)) < math.inf:
        raise ArgumentTypeError(f"expected a number from 0 up, got '{text}'")
    return value


def size(text: str) -> int:
    """Parse the size of a memory, in bytes, or with a suffix K (KiB) or M (MiB); return bytes. Raises
    `ArgumentTypeError` for any other text.
    """
    if (number := bytes_of(text)) is None:
        raise ArgumentTypeError(f"expected {SIZES}, got '{text}'")
    return number


def counts(text: str) -> tuple[int, ...]:
    """Parse positive integers separated by commas; raises `ArgumentTypeError` as `count` does."""
    return tuple(map(count, text.split(",")))


def names(text: str) -> tuple[str, ...]:
    """Parse names separated by commas. The parameters of a type, such as `!fixed.q<8, 7>`, belong to its name. The text
    is decoded as UTF-8 in every locale; raises `ArgumentTypeError` if it is not UTF-8.
    """
    try:
        decoded = os.fsencode(text).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ArgumentTypeError("expected names in UTF-8") from error
    parts, depth = [""], 0
    for character in decoded:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(parts)


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


_VALUE_PARSERS: dict[Any, Callable[[str], Any]] = {
    Seconds: seconds,
    Size: size,
    float: magnitude,
    int: count,
    tuple[int, ...]: counts,
    tuple[str, ...]: names,
    Path: Path,
    str: str,
}
