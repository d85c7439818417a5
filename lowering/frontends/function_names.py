"""Names of C functions, made from the names of models' files."""

from __future__ import annotations

import re
from pathlib import Path


def function_name(file: str) -> str:
    """A C identifier made from the file's name, or from the folder's for `NAME/input.sd` and `NAME/seedot/input.sd`."""
    path = Path(file).absolute()
    name = path.stem
    if name == "input":
        folders = [folder.name for folder in path.parents if folder.name not in ("", "seedot")]
        name = folders[0] if folders else name
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"m_{name}" if name[:1].isdigit() else name
