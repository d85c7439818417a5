"""Arguments of a command line made from declared options, and kinds of values."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, get_args

from tinyml.dialects.options import Option


class Container(Protocol):
    """A parser, or a group of its arguments."""

    def add_argument(self, *flags: str, **how: Any) -> object: ...


def add_options(parser: Container, options: Iterable[Option]) -> None:
    """An argument for each option. Those that are not given do not appear in the parsed namespace."""
    for option in options:
        how: dict[str, Any] = {"help": option.help, "default": argparse.SUPPRESS}
        if option.type is bool:
            how["action"] = "store_true"
        else:
            how["type"] = _kind_of(option.type)
        if option.metavar is not None:
            how["metavar"] = option.metavar
        if option.choices:
            how["choices"] = option.choices
        if option.flags:
            how["dest"] = option.name
            how["required"] = option.required
        parser.add_argument(*(option.flags or (option.name,)), **how)


def given(arguments: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """The values of the options that stand on a command line, by their names."""
    values = vars(arguments)
    return {option.name: values[option.name] for option in options if option.name in values}


def _kind_of(type: Any) -> Callable[[str], Any]:
    """How values of a type are read; of a union without None the widest counts."""
    if type in _KINDS:
        return _KINDS[type]
    parts = [part for part in get_args(type) if part is not None.__class__]
    return _KINDS[next(part for part in _KINDS if part in parts)]


def count(text: str) -> int:
    """A positive integer."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got '{text}'")
    return int(text)


def seconds(text: str) -> float:
    """A number of seconds, perhaps infinite."""
    if not (value := _real(text)) >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got '{text}'")
    return value


def magnitude(text: str) -> float:
    """A finite number from 0 up."""
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
    """NaN for what is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


_KINDS: dict[Any, Callable[[str], Any]] = {
    float: magnitude,
    int: count,
    tuple[int, ...]: counts,
    tuple[str, ...]: names,
    Path: Path,
    str: str,
}
