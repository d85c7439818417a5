"""The tests that the wheel of the core must pass: the tests of its files, without cases that name extensions.

A case names an extension if it contains an op, a type or a number format of an excluded extension. A command names an
extension if it selects a board, a mode or a pass of the extension. Tests that require an extension for another reason
are listed in `needs_extensions.txt`.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from layout.sources import name_of
from programs.paths import ROOT, TESTS

from core.wheel import out
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tdsl import TDSL
from tinyml.lowering.pipeline_steps import PASS_FOLDERS
from tinyml.tools.universe import DIALECT_ROWS
from tinyml.transforms.buffers.packing.modes import PACKERS
from tinyml.transforms.schedules.table import SCHEDULES

FILECHECK = {"dialects", "lowering", "transforms"}
UNIT = {"dialects", "lowering", "runtime", "targets", "transforms"}
"""The folders of tests that run: the tests of the core packages."""

LISTED = Path(__file__).with_name("needs_extensions.txt").read_text().split()
"""Tests that need an extension without naming an op or a type of one, by their paths from `tests/`.

All of them have to fail where no extension is installed.
"""

CASE, SPLIT = "// -----", re.compile("--split-input-file|%(invalid|roundtrip|generic)")
"""What separates the cases of a FileCheck test, and the commands that read each as a program of its own."""


def _is_out(module: str) -> bool:
    path = module.removeprefix("tinyml.").replace(".", "/")
    return out(f"{path}.py") or out(f"{path}/")


DIALECTS = "|".join(name for name, row in DIALECT_ROWS.built_in.items() if _is_out(row.module))
"""The dialects of extensions that are out."""

_CONTENTS = {
    "num.coded_loop": "tinyml.dialects.num.kernels.lane_programs",
    "num.transform": "tinyml.dialects.num.kernels.transforms",
}
"""Attributes of dialects of the core that an extension defines, or whose content it defines, with its module."""

_FIELDS = {"unit": "tinyml.dialects.tdsl.sensor_units"}
"""Fields of the interface of programs whose texts an extension reads, with its module."""

_LAYOUTS = {
    "[124], pairs": "tinyml.targets.cortex_m.composer.paired_weights",
    "1, odd": "tinyml.targets.avr.composer.sign_rows",
}
"""Layouts of packed weights for which an extension has kernels, with its module."""

_OUT = [op.name for op in TDSL.operations if _is_out(op.__module__)]
OPS = "|".join(map(re.escape, [*_OUT, *(name for name, module in _CONTENTS.items() if _is_out(module))]))
"""Their ops in a dialect of the core, and attributes with contents of theirs."""

_PASSES = {
    path.stem.replace("_", "-")
    for level in PASS_FOLDERS
    for path in (ROOT / "transforms" / level).glob("*.py")
    if out(name_of(path))
}
_BOARDS = {name for row in rows_of("chips") if _is_out(f"tinyml.targets.{row.module}") for name in row.names}
_MODES = {name for table in (PACKERS, SCHEDULES) for name, row in table.built_in.items() if _is_out(row.module)}
_ABSENT = re.compile(
    rf"target=(?:{'|'.join(_BOARDS)})\b|(?:mode|packer)=(?:{'|'.join(_MODES)})\b"
    rf"|[ ',\"](?:{'|'.join(_PASSES)})[,{{'\" ]"
)
"""What a command of a test may ask for that an extension has: a board, a mode or a pass."""

_OPTION = rf"\b(?:formats?|weights|widths?)\b\W{{1,3}}[^\s}}]*?\b(?:{DIALECTS})\b"
_FIELD = rf'<(?:[^<>]*, )?(?:{"|".join(name for name, module in _FIELDS.items() if _is_out(module))}) = "'
_LAYOUT = rf"#scratch\.packed<(?:{'|'.join(name for name, module in _LAYOUTS.items() if _is_out(module))})>"
_NAMED = re.compile(rf"\b(?:{DIALECTS})\.\w|\b(?:{OPS})\b|{_OPTION}|{_FIELD}|{_LAYOUT}|(?<![a-z_])x?bf16(?!_)")


def core_tests(folder: str) -> Iterator[tuple[Path, str]]:
    """Yield the tests in a folder of `tests/` whose tested file belongs to the core, with their texts."""
    for path in sorted((TESTS / folder).rglob("*")):
        mirrored = path.relative_to(TESTS / Path(folder).parts[0])
        is_test = path.suffix in (".mlir", ".sd") or path.match("test_*.py")
        if is_test and "Inputs" not in path.parts and not out(mirrored.as_posix().replace("test_", "")):
            yield path, path.read_text("utf-8")


def unit_tests() -> list[Path]:
    """The files of unit tests that must pass without extensions."""
    return [path for path in _without_extensions() if _name(path) not in LISTED]


def failing_unit_tests() -> list[Path]:
    """The files of unit tests in `needs_extensions.txt`, which must fail if no extension is installed."""
    listed = [name for name in LISTED if name.startswith("unit/")]
    found = [path for path in _without_extensions() if _name(path) in listed]
    assert len(found) == len(listed), f"only {[*map(_name, found)]} need to be listed"
    return found


def _without_extensions() -> list[Path]:
    """The files of unit tests that neither name nor import an extension."""
    found = (test for folder in sorted(UNIT) for test in core_tests(f"unit/{folder}"))
    return [path for path, text in found if not _NAMED.search(text) and not _imports_extension(path)]


@cache
def _imports_extension(path: Path) -> bool:
    """Whether a test file imports a module of an extension, directly or through other test files."""
    source = ast.parse(path.read_text("utf-8"))
    modules = [node.module for node in source.body if isinstance(node, ast.ImportFrom) and node.module]
    helpers = ((TESTS / module.replace(".", "/")).with_suffix(".py") for module in modules)
    return any(map(_is_out, modules)) or any(_imports_extension(file) for file in helpers if file.is_file())


def copy_filecheck_tests(folder: Path) -> tuple[list[Path], list[str]]:
    """Copy the FileCheck tests to a folder, without the cases that name extensions.

    Returns the tests with at least one remaining case, and the names of those that are listed and therefore must fail.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(TESTS / "filecheck", folder)
    copies: list[Path] = []
    for path, text in (test for room in sorted(FILECHECK) for test in core_tests(f"filecheck/{room}")):
        if own := _cases_of_core(text):
            copies.append(folder / path.relative_to(TESTS / "filecheck"))
            copies[-1].write_text(own, "utf-8")
    names = [copy.relative_to(folder).as_posix() for copy in copies]
    failing = [name for name in names if f"filecheck/{name}" in LISTED]
    assert len(failing) == sum(name.startswith("filecheck/") for name in LISTED), f"only {failing} need to be listed"
    return copies, failing


def _cases_of_core(text: str) -> str:
    """The text of a test without the cases that name extensions; "" if no case remains. Line numbers are unchanged."""
    own, kept = "", 0
    for number, case in enumerate(text.split(CASE) if SPLIT.search(text) else [text]):
        if named := _NAMED.search(case):
            lines = case.splitlines(keepends=True)
            own += "".join(line if number == 0 and "RUN:" in line else "\n" for line in lines if line.endswith("\n"))
        else:
            own += f"{CASE}{case}" if kept else case
        kept += not named
    lines = own.splitlines(keepends=True)
    commands = {line for line in lines if "RUN:" in line and _runs_in_core(line, own)}
    return (
        "".join("\n" if "RUN:" in line and line not in commands else line for line in lines)
        if kept and commands
        else ""
    )


def _runs_in_core(command: str, text: str) -> bool:
    """Whether a RUN line names no extension and, if it calls FileCheck, the test contains checks with one of the
    prefixes of this call.

    command: the RUN line.
    text: the test.
    """
    if _ABSENT.search(command):
        return False
    if "filecheck" not in command:
        return True
    found = re.search(r"--check-prefix(?:es)?=([\w,]+)", command)
    prefixes = found[1].split(",") if found else ["CHECK"]
    return any(re.search(rf"\b{prefix}(-[A-Z]+)?:", text) for prefix in prefixes)


def _name(path: Path) -> str:
    return name_of(path).removeprefix("tests/")
