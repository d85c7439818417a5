"""Reader of a chip's helper functions: a C file of blocks, of which each program contains only the ones it uses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_DEFINITION = re.compile(r"\b(tm_\w+)[(;]")


def read_helpers(file: Path) -> tuple[str, Mapping[str, str]]:
    """The prelude, and the blocks by the function or type that each defines, in file order.

    Blank lines separate blocks. Blocks that begin with a comment are dropped; a block that defines no `tm_...` name
    belongs to the prelude.
    """
    prelude: list[str] = []
    helpers: dict[str, str] = {}
    for block in re.split(r"\n\n+", file.read_text("utf-8").strip("\n")):
        if block.startswith("/*"):
            continue
        if (definition := _DEFINITION.search(block)) is None:
            prelude.append(f"{block}\n")
        else:
            helpers[definition[1]] = f"{block}\n"
    return "\n".join(prelude), helpers
