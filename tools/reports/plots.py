"""Plots of searches, Pareto fronts and comparisons, drawn with matplotlib if it is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.package_metadata import install_command
from tinyml.tools.cli.atomic_output import write_file

FORMATS = (".svg", ".png")


def can_draw() -> bool:
    """Whether matplotlib (the extra `plots`) is installed."""
    return find_spec("matplotlib") is not None


def check_plot_path(path: Path) -> None:
    """Raise `InputError` for a file name that matplotlib cannot write, and if matplotlib is not installed. Callers
    check the path before any long work.
    """
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"a picture ends in {' or '.join(FORMATS)}", file=str(path))
    if not can_draw():
        raise InputError(f"pictures need matplotlib: {install_command('plots')}")


def new_figure(width: float, height: float) -> Any:
    """Create an empty matplotlib figure whose parts do not overlap.

    width, height: in inches.
    """
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    return Figure(figsize=(width, height), layout="constrained")


def save_picture(figure: Any, path: Path) -> None:
    """Write a matplotlib figure in the format that the file's suffix names, without the date."""
    picture = io.BytesIO()
    kind = path.suffix[1:].lower()
    figure.savefig(picture, format=kind, metadata={"Date": None} if kind == "svg" else {})
    write_file(path, picture.getvalue())
