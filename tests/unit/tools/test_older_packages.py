"""Packages written for an earlier version, and all that had to change in them since: the page of changes names each.

`tests/plugins_2026_11_22` holds them as they worked on that day. Each edit is needed: without it the package does not
do what it is for. A change of an interface that breaks one of them needs an edit here, and a line on the page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from programs.environments import copy_installed
from programs.paths import ROOT
from programs.spread import spread

from tinyml.dialects.distribution import DISTRIBUTION

PACKAGES = ROOT / "tests" / "plugins_2026_11_22"
PAGE = ROOT / "docs" / "changes-for-packages.md"
USES = {
    "lns": ("--format", "lns", "--target", "host"),
    "tapered": ("--format", "tapered", "--target", "host"),
    "workstation": ("--target", "workstation"),
}
"""What `tinyml compile` is told for each package; it runs the program and compares it with the evaluator."""


@dataclass(frozen=True)
class Edit:
    """A text of a package's file that is another one now. heading, names: of the page, where it says so."""

    package: str
    file: str
    old: str
    new: str
    heading: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.package}: {self.names[0]}"


RUNNER, CHIP = "workstation/runner.py", "workstation/chip.py"
EDITS = [
    *(
        Edit(
            package, "pyproject.toml", '["tinyml"]', f'["{DISTRIBUTION}"]', "The distribution", (DISTRIBUTION, "tinyml")
        )
        for package in USES
    ),
    Edit("workstation", CHIP, '    macro="TM_WORKSTATION",\n', "", "Chips", ("Chip.macro",)),
    Edit("workstation", CHIP, "    programs={},\n", "", "Packages of models", ("Chip.programs",)),
    Edit(
        "workstation", RUNNER, "symbols(self.prefix, ", "symbols(self.chip, ", "Runners", ("Runner.prefix", "symbols")
    ),
    Edit(
        "workstation",
        RUNNER,
        'raw_inputs(interface, inputs), "workstation"))',
        'raw_inputs(interface, inputs), "workstation"), self.board.unit)',
        "Runners",
        ("result_of_records",),
    ),
]


def does_its_work(package: str, edits: list[Edit], folder: Path) -> bool:
    """True if the package, with some edits, is for this distribution, and a program compiled with it is right."""
    source, site = folder / package, folder / "site"
    shutil.copytree(PACKAGES / package, source)
    for edit in edits:
        file = source / edit.file
        text = file.read_text(encoding="utf-8")
        assert edit.old in text
        file.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
    if tomllib.loads((source / "pyproject.toml").read_text())["project"]["dependencies"] != [DISTRIBUTION]:
        return False
    site.mkdir()
    copy_installed(source, site)
    tour = ROOT / "docs" / "tour"
    files = [tour / "tour.sd", "--val", tour / "val.npz", "-o", folder / "out"]
    command = [sys.executable, "-m", "tinyml.tools.main", "compile", *map(str, files), *USES[package]]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    return done.returncode == 0 and "0/32" in done.stdout


@pytest.mark.parametrize("package", USES)
def test_the_edits_make_a_package_work(package: str, tmp_path: Path):
    assert does_its_work(package, [edit for edit in EDITS if edit.package == package], tmp_path)


@pytest.mark.parametrize("left_out", spread(EDITS, 2), ids=str)
def test_each_edit_is_needed(left_out: Edit, tmp_path: Path):
    edits = [edit for edit in EDITS if edit.package == left_out.package and edit is not left_out]
    assert not does_its_work(left_out.package, edits, tmp_path)


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_the_page_of_changes_names_it(edit: Edit):
    sections = dict(part.split("\n", 1) for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:])
    for name in edit.names:
        assert re.search(rf"`[^`]*\b{re.escape(name)}\b[^`]*`", sections[edit.heading]), name
