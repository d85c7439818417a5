"""The figures in `docs/figures/`: results of commands, and tables that are stored as a whole.

`measured.json` maps a command to its figures and the `commit` at which it ran. Each other file stores a table: a
mapping from row labels to cells by column heading. A row names the `commit` at which it was measured, or the `source`
of published figures.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from layout.sources import ROOMS
from programs.paths import ROOT

FOLDER = ROOT / "docs/figures"
MEASURED = FOLDER / "measured.json"

SOURCES = {"commit", "source"}
"""Keys of entries that are not measured here: each has at least one of them beside its cells."""

Values = Mapping[str, Any]
"""Measured values by name."""

Figures = dict[str, dict[str, Any]]
"""Values by name for each entry."""


def read(file: Path) -> Figures:
    """The entries of a file; empty if there is no such file."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write(file: Path, figures: Figures) -> None:
    """Write entries in sorted order, one per line."""
    lines = (f"{json.dumps(key)}: {json.dumps(values, ensure_ascii=False)}" for key, values in sorted(figures.items()))
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def compilers() -> dict[str, str | None]:
    """The versions of the cross compilers of this machine; None for each compiler that is not installed."""
    return {name: _version(name) for name in ("avr-gcc", "arm-none-eabi-gcc", "riscv64-unknown-elf-gcc")}


@cache
def _version(compiler: str) -> str | None:
    try:
        return subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
    except FileNotFoundError:
        return None


def has_measured_compilers() -> bool:
    """Whether this machine has the compiler versions with which the figures were measured.

    Other versions produce other sizes and cycles.
    """
    return read(MEASURED)["compilers"] == compilers()


def head() -> str:
    """The abbreviated commit of the working tree; raises `SystemExit` if the product has uncommitted changes."""
    if _differs("HEAD"):
        raise SystemExit("error: commit your changes first: figures name the commit that they were measured at")
    return _git("rev-parse", "--short=8", "HEAD").stdout.strip()


@cache
def is_current(commit: str) -> bool:
    """Whether the files of the product are equal at a commit and in the working tree."""
    return not _differs(commit)


def _differs(commit: str) -> bool:
    return _git("diff", "--quiet", commit, "--", *ROOMS).returncode != 0


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


PARTS = ROOT / "build/papers"
"""A file for each measurement; what is complete goes to the figures of its rows."""


def by_parts(name: str, parts: Sequence[str], measure: Callable[[str], Values]) -> dict[str, Values]:
    """The figures of each part. Only parts that were not yet measured with the current version of the product are
    measured.

    name: the name of the measurement and of its file.

    Errors of `measure` are raised unchanged; the figures of the parts before the error remain stored.
    """
    PARTS.mkdir(parents=True, exist_ok=True)
    file = PARTS / f"{name}.json"
    stored = {part: entry for part, entry in read(file).items() if is_current(entry["commit"])}
    for number, part in enumerate(parts, 1):
        if part not in stored:
            print(f"{name}: {part}, {number} of {len(parts)}", file=sys.stderr)
            commit = head()
            stored[part] = {"commit": commit, **measure(part)}
            complete = file.with_suffix(".new")
            write(complete, stored)
            complete.replace(file)
    return {part: {key: value for key, value in stored[part].items() if key != "commit"} for part in parts}
