"""Detection of other packages `tinyml`: an installed distribution, or a module or folder found first on `sys.path`."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tinyml.dialects.distribution import DISTRIBUTION, FOREIGN, install_command


def namesake() -> str | None:
    """A line about another package `tinyml` and the cure; None if there is none."""
    try:
        found = version(FOREIGN)
    except PackageNotFoundError:
        place = _found_first()
        return place and (
            f"{place} is found on sys.path as the package tinyml, in place of that of {DISTRIBUTION}: rename it, or "
            "take its folder off PYTHONPATH"
        )
    return (
        f"'{FOREIGN}' {found} is installed beside {DISTRIBUTION}, and both install the package tinyml: "
        f"pip uninstall -y {FOREIGN}; {install_command()} --force-reinstall --no-deps"
    )


def _found_first() -> Path | None:
    """The module or folder `tinyml` that Python finds first on `sys.path`; None if it is ours or none is.

    Installed editably, ours is found by a finder of its own, after everything on `sys.path`.
    """
    spec = PathFinder.find_spec("tinyml")
    if spec is None:
        return None
    tools = Path(__file__).parents[1]
    own = (tools.parent, tools / "tinyml")
    folders = spec.submodule_search_locations
    place = Path(folders[0]) if folders else Path(spec.origin or "")
    return None if place in own else place


def warn_of_namesake() -> None:
    """Print the line about a namesake on standard error, if there is one."""
    if (line := namesake()) is not None:
        print(f"warning: {line}", file=sys.stderr)
