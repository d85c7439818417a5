"""The distribution of others that installs a package `tinyml`, over ours or beside it."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

from tinyml.dialects.distribution import DISTRIBUTION, FOREIGN, install_command


def namesake() -> str | None:
    """A line about a package of others that is installed under our name, and the cure; None without one."""
    try:
        found = version(FOREIGN)
    except PackageNotFoundError:
        return None
    return (
        f"'{FOREIGN}' {found} is installed beside {DISTRIBUTION}, and both install the package tinyml: "
        f"pip uninstall -y {FOREIGN}; {install_command()} --force-reinstall --no-deps"
    )


def warn_of_namesake() -> None:
    """Print that line, if there is one, on standard error."""
    if (line := namesake()) is not None:
        print(f"warning: {line}", file=sys.stderr)
