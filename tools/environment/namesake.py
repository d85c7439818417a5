"""Detection of other distributions that install a package `tinyml`."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

from tinyml.dialects.distribution import DISTRIBUTION, FOREIGN, install_command


def namesake() -> str | None:
    """A line about another installed distribution with a package `tinyml`, and the cure; None if there is none."""
    try:
        found = version(FOREIGN)
    except PackageNotFoundError:
        return None
    return (
        f"'{FOREIGN}' {found} is installed beside {DISTRIBUTION}, and both install the package tinyml: "
        f"pip uninstall -y {FOREIGN}; {install_command()} --force-reinstall --no-deps"
    )


def warn_of_namesake() -> None:
    """Print the line about a namesake on standard error, if there is one."""
    if (line := namesake()) is not None:
        print(f"warning: {line}", file=sys.stderr)
