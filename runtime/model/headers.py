"""The C texts of the runtime and of the chips: headers, shipped as package data, and composed kernels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.targets.c.composer import elements
from tinyml.targets.registry import chips, known_kernel

if TYPE_CHECKING:
    from tinyml.targets.chip import Chip
    from tinyml.targets.kernel import Kernel

_INCLUDE = Path(__file__).parents[1] / "include"


@cache
def include_folders() -> Sequence[Path]:
    """The folders of headers `tinyml/*.h`: the shared folder first, then those of single chips."""
    return [_INCLUDE, *(folder for chip in chips() for folder in chip.files("include"))]


@cache
def header_texts() -> dict[str, str]:
    """The texts of all headers by their names, such as `tinyml/f32.h`, without those that replace one of ours.

    Raises `InputError` for a chip whose header has the name of another one, and for a replacement that leaves out a
    function.
    """
    owners: dict[str, tuple[Path, str]] = {_name(file): (file, "the runtime") for file in _headers(_INCLUDE)}
    ours = dict(owners)
    for chip in chips():
        for name in chip.replaces:
            _check_replacement(chip, name, ours[name][0] if name in ours else None)
        for folder in chip.files("include"):
            for file in _headers(folder):
                name = _name(file)
                if name in ours and name in chip.replaces:
                    continue
                known, owner = owners.setdefault(name, (file, f"chip '{chip.name}'"))
                if known != file:
                    raise InputError(
                        f"chip '{chip.name}': {owner} has a header {name}, too; rename that of the chip"
                        + (", or name it in Chip.replaces" if name in ours else "")
                    )
    return {name: file.read_text("utf-8") for name, (file, _) in sorted(owners.items())}


def _headers(folder: Path) -> Sequence[Path]:
    return sorted(folder.glob("tinyml/*.h"))


def _name(file: Path) -> str:
    return f"tinyml/{file.name}"


_DEFINED = re.compile(r"^static\b[^;{}=()]*(?:\(\([^()]*\)\))?[^;{}=()]*\b(tm_\w+)\(", re.MULTILINE)


def _check_replacement(chip: Chip, name: str, ours: Path | None) -> None:
    """Raise `InputError` unless a chip has a header of a name of ours, with all functions that ours defines."""
    text = chip.replacement(name)
    if ours is None or text is None:
        where = "the runtime" if ours is None else f"its folder {chip.folder}"
        raise InputError(f"chip '{chip.name}' replaces {name}, but {where} has no such header")
    if missing := sorted({*_DEFINED.findall(ours.read_text("utf-8"))} - {*_DEFINED.findall(text)}):
        raise InputError(f"chip '{chip.name}': its header {name} does not define {', '.join(missing)}")


def definition_of(symbol: str) -> Sequence[tuple[str, str]]:
    """Names and texts: of what a function needs, then of what defines it, such as `tinyml/f32.h` for `tm_expf`.

    A composed function is a text of its own, by its symbol. Raises `InputError` for an unknown function.
    """
    kernel = known_kernel(symbol)
    if kernel is not None and kernel.composed is not None:
        return texts_of(kernel)
    text = next((text for chip in chips() if (text := chip.functions(symbol)) is not None), None)
    if text is not None:
        return [(elements.HEADER, header_texts()[elements.HEADER]), (symbol, text)]
    definition = re.compile(rf"^static\b[^;{{}}=]*\b{re.escape(symbol)}\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for name, text in header_texts().items():
        if definition.search(text):
            return [(name, text)]
    raise InputError(f"no header of the runtime defines the function '{symbol}'")


def texts_of(kernel: Kernel) -> Sequence[tuple[str, str]]:
    """Names and texts: of what a composed kernel needs, then of itself."""
    composed = kernel.composed
    if composed is None:
        raise InputError(f"the kernel '{kernel.symbol}' is not composed")
    headers = [(composed.header, header_texts()[composed.header])] if composed.header else []
    needed = [text for function in composed.functions for text in definition_of(function)]
    shared = [(function.symbol, function.text) for function in composed.shared]
    return [*headers, *needed, *shared, (kernel.symbol, composed.text)]
