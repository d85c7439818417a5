"""Tools and sources of others that no package manager installs, for tests of the folders for these tools."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

FROM = "FOLDERS_FROM"
"""The environment variable with the folder that contains the sources (`make folders FROM=DIR`)."""


def from_folder(name: str, file: str) -> Path:
    """A file in the sources `name`; skips the test if it is missing."""
    root = os.environ.get(FROM)
    if root is None:
        pytest.skip(f"sources of {name} are needed: make folders FROM=DIR, with DIR/{name}")
    if not (path := Path(root).resolve() / name / file).exists():
        pytest.skip(f"there is no {path}")
    return path


def passed(
    command: Sequence[str | Path],
    *,
    folder: Path | None = None,
    path: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """The output of a command that must succeed.

    folder: the working directory.
    path: a folder that precedes those of PATH.
    environment: further variables of the environment.
    """
    variables = {**os.environ, **(environment or {})}
    if path is not None:
        variables["PATH"] = f"{path}{os.pathsep}{variables['PATH']}"
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
