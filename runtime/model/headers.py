"""The C texts of the runtime and of the chips: headers, shipped as package data, and composed kernels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.targets.c.composer import elements
from tinyml.targets.registry import chips, first_answer, known_kernel

if TYPE_CHECKING:
    from tinyml.targets.kernel import Kernel

_INCLUDE = Path(__file__).parents[1] / "include"


@cache
def include_folders() -> Sequence[Path]:
    """The folders of headers `tinyml/*.h`: the shared folder first, then those of single chips."""
    return [_INCLUDE, *(folder for chip in chips() for folder in chip.files("include"))]


@cache
def _texts() -> dict[str, str]:
    headers = sorted(
        (file for folder in include_folders() for file in folder.glob("tinyml/*.h")), key=lambda file: file.name
    )
    return {f"tinyml/{file.name}": file.read_text("utf-8") for file in headers}


def definition_of(symbol: str) -> Sequence[tuple[str, str]]:
    """Names and texts: of what a function needs, then of what defines it, such as `tinyml/f32.h` for `tm_expf`.

    A composed function is a text of its own, by its symbol. Raises `InputError` for an unknown function.
    """
    kernel = known_kernel(symbol)
    if kernel is not None and kernel.composed is not None:
        return texts_of(kernel)
    text = first_answer(str, lambda chip: chip.functions(symbol))
    if text is not None:
        return [(elements.HEADER, _texts()[elements.HEADER]), (symbol, text)]
    definition = re.compile(rf"^static\b[^;{{}}=]*\b{re.escape(symbol)}\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for name, text in _texts().items():
        if definition.search(text):
            return [(name, text)]
    raise InputError(f"no header of the runtime defines the function '{symbol}'")


def texts_of(kernel: Kernel) -> Sequence[tuple[str, str]]:
    """Names and texts: of what a composed kernel needs, then of itself."""
    composed = kernel.composed
    if composed is None:
        raise InputError(f"the kernel '{kernel.symbol}' is not composed")
    headers = [(composed.header, _texts()[composed.header])] if composed.header else []
    needed = [text for function in composed.functions for text in definition_of(function)]
    shared = [(function.symbol, function.text) for function in composed.shared]
    return [*headers, *needed, *shared, (kernel.symbol, composed.text)]
