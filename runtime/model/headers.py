"""The C headers of the runtime and of the chips, shipped as package data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import chips

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


def header_defining(symbol: str) -> tuple[str, str]:
    """Name and text of the header that defines a function, such as `tinyml/f32.h` for `tm_expf`.

    Raises InputError if no header defines it.
    """
    definition = re.compile(rf"^static\b[^;{{}}=]*\b{re.escape(symbol)}\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for name, text in _texts().items():
        if definition.search(text):
            return name, text
    raise InputError(f"no header of the runtime defines the function '{symbol}'")
