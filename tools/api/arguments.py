"""Arguments of the Python API: checks of keyword values, as on the command line, and errors that name arguments."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args, get_origin

from tinyml.dialects.errors import InputError, did_you_mean, unknown
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.lookup import ALIASES, formats
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.modules import is_installed
from tinyml.dialects.options import Option, Size
from tinyml.lowering.options import AUTO_FORMAT
from tinyml.tools.cli.user_errors import as_input_error
from tinyml.tools.cli.values import value_parser
from tinyml.tools.driver.compile_request import compile_options
from tinyml.tools.driver.packages.packaging_table import packaging_names
from tinyml.tools.driver.request import searches

PYTHON_NAMES = {"target": "board", "val": "X_val", "test": "X_test", "out": "save(folder)"}
"""The arguments of `compile` whose names differ from the command-line option, by option."""


def checked_values(function: str, given: Mapping[str, object], options: Iterable[Option]) -> dict[str, Any]:
    """The values of a function's options from its keyword arguments; None selects the default of an option.

    given: the keyword arguments.

    Raises `TypeError` for a keyword that is not an option and for a value of the wrong type. Raises `InputError`, as
    the command line does, for a value that an option does not accept.
    """
    known = {option.name: option for option in options}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            near = f", did you mean '{PYTHON_NAMES[name]}'?" if name in PYTHON_NAMES else did_you_mean(name, known)
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'{near}")
        if value is not None:
            values[name] = _checked(known[name], value)
    return values


def text(name: str, value: object) -> str:
    """Return a string argument; raises `TypeError` for a value of any other type."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {type(value).__name__}")
    return value


def _checked(option: Option, value: object) -> Any:
    """The value of an option, checked and converted as on the command line.

    Raises `TypeError` for a value of the wrong type, and `InputError` for a value that the option does not accept.
    """
    if option.type is bool:
        return bool(_expected(option, value, "True or False", bool, np.bool_))
    text = _text(option, value)
    if option.choices and text not in option.choices:
        if (reason := option.absence(text)) is not None:
            raise InputError(reason)
        raise unknown(option.name, text, option.choices)
    try:
        return value_parser(option.type)(text)
    except argparse.ArgumentTypeError as error:
        raise InputError(f"{option.name}: {error}") from error


def _text(option: Option, value: object) -> str:
    kinds = _kinds(option.type)
    if tuple in kinds:
        if isinstance(value, str):
            return value
        items = cast("Sequence[object]", _expected(option, value, "a sequence", Sequence, np.ndarray))
        return ",".join(map(str, items))
    if float in kinds:
        return repr(float(_expected(option, value, "a number", Real)))
    if Size in get_args(option.type) and isinstance(value, str):
        return value
    if int in kinds:
        return str(_expected(option, value, "an integer", Integral))
    if Path in kinds:
        path: os.PathLike[str] = _expected(option, value, "a path", str, os.PathLike)
        return os.fspath(path)
    return _expected(option, value, "a string", str)


def _kinds(type: Any) -> set[Any]:
    """The classes that values of a declared type may have. For a tuple type, the types of the elements are ignored."""
    supertype = getattr(type, "__supertype__", type)
    if get_origin(supertype) is tuple:
        return {tuple}
    return {kind for part in get_args(supertype) for kind in _kinds(part)} or {supertype}


def _expected(option: Option, value: Any, what: str, *kinds: type) -> Any:
    """Return `value` unchanged; raise `TypeError` if its class is not one of `kinds`, or if it is a bool and `bool` is
    not one of them.

    what: the noun for the expected values, for the message.
    """
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{option.name}: expected {what}, got {type(value).__name__}")
    return value


Arguments: TypeAlias = tuple[str, str]
"""The names of two arguments: inputs and their labels, such as `X_val` and `y_val`."""


@contextmanager
def python_terms(files: Mapping[Path, Arguments]) -> Generator[None]:
    """A context in which a user error is raised as an `InputError` whose message names arguments instead of options and
    files; internal errors are unchanged.

    files: maps each temporary file to the arguments whose content it stores.
    """
    try:
        yield
    except Exception as error:
        if (known := as_input_error(error)) is None:
            raise
        # Subclasses, such as `MismatchError`, keep their type.
        made = type(error) if isinstance(error, InputError) else InputError
        message, file = in_python(known.message), known.file
        for x, y in (arguments for path, arguments in files.items() if str(path) == file):
            named = message.replace("`x`", x).replace("`y`", y)
            message, file = named, None if named != message else f"{x}, {y}"
        raise made(message, file=file, line=known.line, column=known.column) from None


def in_python(message: str) -> str:
    """Convert a message to Python terms. For example, `--loss 0.8` becomes `loss=0.8`, `--row-scales` becomes
    `row_scales=True`, and `--val` becomes X_val.

    Options without a corresponding argument, and options of another tool's command, such as `mlir-opt`, are unchanged.
    """
    if "--" not in message:
        return message
    spelled = re.sub(rf"{OTHER_COMMAND}|--([a-z][a-z-]*)(?: ([\w.:,+-]*\w))?", _argument, message)
    return re.sub(r"(\b\w+=(?:'[^']*'|\w+)) (?=\w+=)", r"\1, ", spelled)


OTHER_COMMAND = r"\b(?:[a-z-]+-opt|pip install) [^;,()]*"
"""A command of another tool quoted in a message, up to the end of its clause."""


def _argument(found: re.Match[str]) -> str:
    """The text that replaces a match in a message: the Python argument for an option, including the next word if that
    word is the option's value.

    Unknown options and options of other commands are unchanged.
    """
    if found[1] is None:
        return found[0]
    flag, word = f"--{found[1]}", found[2]
    option = next((option for option in _options(found[1]) if flag in option.flags), None)
    if option is None:
        return found[0]
    argument, rest = PYTHON_NAMES.get(option.name, option.name), "" if word is None else f" {word}"
    if option.type is bool:
        return f"{argument}=True{rest}"
    if word is None or not _is_value(option, word):
        return argument + rest
    if Path in _kinds(option.type):
        return argument
    value = value_parser(option.type)(word)
    return f"{argument}={[*value] if isinstance(value, tuple) else value!r}"


_FINETUNE = "tinyml.tools.driver.finetuning_options:finetune_options"


def _options(name: str) -> Iterator[Option]:
    yield from compile_options([name.replace("-", "_")])
    if is_installed(_FINETUNE):
        yield from imported(_FINETUNE)()


def _is_value(option: Option, word: str) -> bool:
    """Whether a word is the value of the preceding option, rather than the next word of a sentence."""
    if option.choices:
        return word in option.choices
    try:
        value_parser(option.type)(word)
    except argparse.ArgumentTypeError:
        return False
    # Names of formats and searches are words; other values contain digits or punctuation, such as `fixed:8` and
    # `VAL.npz`.
    if not word.isalpha():
        return True
    names: dict[str, Callable[[], Iterable[str]]] = {
        "format": lambda: (AUTO_FORMAT, *ALIASES, *formats()),
        "search": searches,
        "packages": packaging_names,
    }
    return option.name in names and word in names[option.name]()
