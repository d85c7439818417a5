"""Tests as the commands of rows: all that are due run in one go, since a run of one takes as long to begin."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from programs.paths import ROOT

from papers.row import Values


class Failed(Exception):
    """A row whose command failed, or whose verdict its figures do not bear out."""


def passed(names: tuple[str, ...], together: tuple[str, ...] = ()) -> Values:
    """The number of tests that some node ids below `tests/` name and that passed; raises `Failed` unless all did."""
    ended = _ended(together or names)
    results = [result for name in names for result in _of(name, ended)]
    if not results or any(result != "passed" for result in results):
        raise Failed(", ".join(sorted(set(results))) or "no such test")
    return {"passed": len(results)}


def _of(name: str, ended: Sequence[tuple[str, str, str]]) -> list[str]:
    file, _, test = name.partition("::")
    module = "tests." + file.removesuffix(".py").replace("/", ".")
    return [result for of, called, result in ended if of == module and (not test or called.partition("[")[0] == test)]


@cache
def _ended(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Module, name and result of each test that node ids name, in one run of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-n0", f"--junitxml={report}"]
        subprocess.run([*command, *(f"tests/{name}" for name in names)], cwd=ROOT, capture_output=True, check=False)
        if not report.exists():
            raise Failed("pytest did not run")
        cases = list(ElementTree.parse(report).iter("testcase"))
    return [(case.attrib["classname"], case.attrib["name"], _result(case)) for case in cases]


def _result(case: ElementTree.Element) -> str:
    return next((part.tag for part in case if part.tag in ("failure", "error", "skipped")), "passed")
