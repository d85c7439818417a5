"""Command-line arguments derived from declared options, and the parsers of their values."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, get_args

from tinyml.dialects.options import Option

LARGEST = 2**63 - 1
"""The largest integer that an option takes."""


class Container(Protocol):
    """An argument parser, or a group of its arguments."""

    def add_argument(self, *flags: str, **settings: Any) -> object: ...


def add_options(parser: Container, options: Iterable[Option]) -> None:
    """Add an argument for each option; options that are not given do not appear in the parsed namespace."""
    for option in options:
        settings: dict[str, Any] = {"help": option.help, "default": argparse.SUPPRESS}
        if option.type is bool:
            settings["action"] = "store_true"
        else:
            settings["type"] = _value_parser(option.type)
        if option.metavar is not None:
            settings["metavar"] = option.metavar
        if option.choices:
            settings["choices"] = option.choices
        if option.flags:
            settings["dest"] = option.name
            settings["required"] = option.required
        parser.add_argument(*(option.flags or (option.name,)), **settings)


def given(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """The values of the options given on a command line, by name."""
    values = vars(arguments)
    return {option.name: values[option.name] for option in options if option.name in values}


def _value_parser(type: Any) -> Callable[[str], Any]:
    """The parser of values of a type; for a union, that of its member that comes first in `_VALUE_PARSERS`."""
    if type in _VALUE_PARSERS:
        return _VALUE_PARSERS[type]
    parts = [part for part in get_args(type) if part is not None.__class__]
    return _VALUE_PARSERS[next(part for part in _VALUE_PARSERS if part in parts)]


def count(text: str) -> int:
    """A positive integer of 63 bits."""
    if not text.isdecimal() or not 1 <= int(text) <= LARGEST:
        raise argparse.ArgumentTypeError(f"expected a positive integer up to {LARGEST}, got '{text}'")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds, possibly infinite."""
    if not (value := _real(text)) >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got '{text}'")
    return value


def magnitude(text: str) -> float:
    """A finite number of at least 0."""
    if not 0 <= (value := _real(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0 up, got '{text}'")
    return value


def counts(text: str) -> tuple[int, ...]:
    """Positive integers, separated by commas."""
    return tuple(map(count, text.split(",")))


def names(text: str) -> tuple[str, ...]:
    """Names, separated by commas."""
    return tuple(text.split(","))


def _real(text: str) -> float:
    """The number that a text spells; NaN if it spells none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


_VALUE_PARSERS: dict[Any, Callable[[str], Any]] = {
    float: magnitude,
    int: count,
    tuple[int, ...]: counts,
    tuple[str, ...]: names,
    Path: Path,
    str: str,
}
