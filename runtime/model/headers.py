"""The C sources of the runtime and of the chips: headers, which are installed as package data, and the texts of
composed kernels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.targets.c.composer.elements import HEADER
from tinyml.targets.registry import chip_of, element_function

if TYPE_CHECKING:
    from tinyml.targets.chip import Chip
    from tinyml.targets.kernel import Kernel

_INCLUDE = Path(__file__).parents[1] / "include"


def include_folders(chip: Chip) -> Sequence[Path]:
    """The folders that contain `tinyml/*.h` for programs of a chip: the folder of the runtime, then that of the
    chip.
    """
    return [_INCLUDE, *chip.include_folders]


@cache
def header_texts(chip: Chip) -> dict[str, str]:
    """The content of each header of the runtime and the chip. The key is the name of a header, such as `tinyml/f32.h`.

    If a chip replaces a header of the runtime, the text is still that of the runtime. Raises `InputError` if the chip
    has a header with the name of a runtime header without declaring the replacement, or if a replacement does not
    define all functions of the runtime's header.
    """
    runtime_headers = {_name(file): file for file in _headers(_INCLUDE)}
    for name in chip.replaces:
        _check_replacement(chip, name, runtime_headers.get(name))
    files = dict(runtime_headers)
    for folder in chip.include_folders:
        for file in _headers(folder):
            if files.setdefault(_name(file), file) != file and _name(file) not in chip.replaces:
                known = f"the runtime has a header {_name(file)}, too"
                advice = "rename that of the chip, or name it in Chip.replaces"
                raise InputError(f"chip '{chip.name}': {known}; {advice}")
    return {name: file.read_text("utf-8") for name, file in sorted(files.items())}


def _headers(folder: Path) -> Sequence[Path]:
    return sorted(folder.glob("tinyml/*.h"))


def _name(file: Path) -> str:
    return f"tinyml/{file.name}"


_INCLUDED = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)
"""An include of another runtime header, whose text must precede this one."""

_DEFINED = re.compile(r"^static\b[^;{}=()]*(?:\(\([^()]*\)\))?[^;{}=()]*\b(tm_\w+)\(", re.MULTILINE)


def _check_replacement(chip: Chip, name: str, original: Path | None) -> None:
    """Raise `InputError` unless a chip's header `name` exists and defines all functions of the header `ours`."""
    text = chip.replacement(name)
    if original is None or text is None:
        place = "the runtime" if original is None else f"its folder {chip.folder}"
        raise InputError(f"chip '{chip.name}' replaces {name}, but {place} has no such header")
    if missing := sorted({*_DEFINED.findall(original.read_text("utf-8"))} - {*_DEFINED.findall(text)}):
        raise InputError(f"chip '{chip.name}': its header {name} does not define {', '.join(missing)}")


def definition_of(symbol: str, target: str) -> Sequence[tuple[str, str]]:
    """The headers that a program needs to call a function, as pairs (name, text): first the headers on which the
    function depends, last the header that defines it.

    A name is, for example, `tinyml/f32.h`.

    symbol: the name of a function that is not a composed kernel.
    target: the board of the program that calls the function.

    Raises `InputError` for an unknown function or board.
    """
    headers = header_texts(chip_of(target))
    function = RUNTIME_FUNCTIONS.get(symbol)
    if function is not None and function.header is not None:
        return _with_included(f"{function.header.parent.name}/{function.header.name}", _text(function.header), headers)
    if (text := element_function(symbol, target)) is not None:
        return [(HEADER, headers[HEADER]), (symbol, text)]
    if not (definition := _in_headers(symbol, chip_of(target))):
        raise InputError(f"no header of the runtime defines the function '{symbol}' for the target '{target}'")
    return definition


@cache
def _in_headers(symbol: str, chip: Chip) -> Sequence[tuple[str, str]]:
    """The pairs that `definition_of` returns if a header of the chip or of the runtime defines the function; empty
    otherwise.
    """
    headers = header_texts(chip)
    function = rf"static\b[^;{{}}=]*\b{re.escape(symbol)}\([^;{{}}]*\)\s*\{{"
    definition = re.compile(rf"^(?:{function}|#define {re.escape(symbol)}\()", re.MULTILINE)
    for name, text in headers.items():
        if definition.search(text):
            return _with_included(name, text, headers)
    return []


def _with_included(name: str, text: str, headers: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Pairs (name, text) of the runtime headers that a header includes, and then of the header itself. Raises
    `InputError` if an included header does not exist.
    """
    names = [f"tinyml/{include}" for include in _INCLUDED.findall(text)]
    if missing := [include for include in names if include not in headers]:
        raise InputError(f"{name} includes {missing[0]}, and the runtime has no such header")
    needed = [(include, _INCLUDED.sub("", headers[include])) for include in names]
    return [*needed, (name, _INCLUDED.sub("", text))]


def _text(header: Path) -> str:
    try:
        return header.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the header cannot be read: {error}", file=str(header)) from error


def texts_of(kernel: Kernel, target: str) -> Sequence[tuple[str, str]]:
    """Pairs (name, text) of the headers on which a kernel depends, and then of the text that defines the kernel.

    The text of a composed kernel has the name of the kernel's symbol. Raises `InputError` for a kernel that is not
    defined for the board `target`.
    """
    if (composed := kernel.composed) is None:
        return definition_of(kernel.symbol, target)
    headers = [(composed.header, header_texts(chip_of(target))[composed.header])] if composed.header else []
    needed = [text for function in composed.functions for text in definition_of(function, target)]
    shared = [(function.symbol, function.text) for function in composed.shared]
    return [*headers, *needed, *shared, (kernel.symbol, composed.text)]
