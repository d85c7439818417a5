"""The C headers of the runtime, shipped as data."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from tinyml.dialects.errors import InputError

INCLUDE = "include/tinyml"


@cache
def _texts() -> dict[str, str]:
    folder = files("tinyml.runtime") / INCLUDE
    headers = sorted((item for item in folder.iterdir() if item.name.endswith(".h")), key=lambda item: item.name)
    return {f"tinyml/{item.name}": item.read_text("utf-8") for item in headers}


def header_defining(symbol: str) -> tuple[str, str]:
    """Name and text of the header that defines a function, such as `tinyml/f32.h` for `tm_expf`.

    Raises InputError where no header does.
    """
    definition = re.compile(rf"^static\b[^;{{}}=]*\b{re.escape(symbol)}\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for name, text in _texts().items():
        if definition.search(text):
            return name, text
    raise InputError(f"no header of the runtime defines the function '{symbol}'")
