"""Every file is in the folder for its kind: passes, dialects, formats, chips, commands, and the tests of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.paths import FILECHECK, ROOT, TESTS
from xdsl.ir import Attribute

from layout.sources import MODULES, ROOMS, defined_passes, name_of
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.lowering.pipeline_steps import PASS_FOLDERS, PIPELINES
from tinyml.targets.registry import chips
from tinyml.tools.main import COMMANDS
from tinyml.tools.universe import TINYML

PASSES = sorted(TINYML.all_passes.keys() - PIPELINES.keys())


def stems(folder: str) -> set[str]:
    """The names of the modules directly in a folder, except `__init__`."""
    return {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_is_a_file_and_a_test(name: str):
    made = TINYML.all_passes[name]()
    assert made.name == name
    package, room, *level, stem = made.__module__.split(".")
    assert (package, room) in (("tinyml", "transforms"), ("tinyml", "lowering"))
    assert len(level) <= (room == "transforms")
    assert stem == name.removeprefix("lower-" if room == "lowering" else "").replace("-", "_")
    check = FILECHECK.joinpath(room, *level, f"{stem}.mlir")
    assert check.is_file(), f"pass {name} has no {name_of(check)}"
    assert name in check.read_text(), f"{name_of(check)} does not run {name}"


@pytest.mark.long
def test_every_pass_is_registered():
    for path in MODULES:
        assert set(defined_passes(path)) <= TINYML.all_passes.keys(), name_of(path)


def test_every_named_pipeline_is_registered():
    assert PIPELINES.keys() <= TINYML.all_passes.keys()
    assert all(TINYML.all_passes[name]().name == name for name in PIPELINES)


def test_a_file_directly_in_lowering_defines_at_most_the_pass_of_its_name():
    for path in (ROOT / "lowering").glob("*.py"):
        assert set(defined_passes(path)) <= {f"lower-{path.stem}".replace("_", "-")}, name_of(path)


def test_a_file_directly_in_a_level_room_is_a_pass_of_its_name():
    """Each file directly in `transforms/` or in the folder of an IR level there defines exactly one pass, whose name is
    that of the file. Other files in `transforms/` define no pass.
    """
    for path in (ROOT / "transforms").rglob("*.py"):
        _, *folders, _ = path.relative_to(ROOT).parts
        if path.stem != "__init__":
            expected = (
                [path.stem.replace("_", "-")] if not folders or folders in [[name] for name in PASS_FOLDERS] else []
            )
            assert list(defined_passes(path)) == expected, name_of(path)


def test_a_file_directly_in_commands_is_a_command():
    assert stems("tools/commands") == {row.module.rpartition(".")[2] for row in COMMANDS.built_in.values()}


def test_every_chip_is_registered():
    assert {path.parent.name for path in (ROOT / "targets").glob("*/chip.py")} == {chip.folder.name for chip in chips()}


def test_options_are_declared():
    """No file calls `add_argument`, except `tools/cli/arguments.py`, which generates arguments from declarations, and
    `tools/driver/optimizer.py`, which extends xDSL's parser.
    """
    for path in MODULES:
        if name_of(path) not in ("tools/cli/arguments.py", "tools/driver/optimizer.py"):
            assert ".add_argument(" not in path.read_text(), name_of(path)


@pytest.mark.parametrize("suite", ["unit", "numeric"])
def test_tests_lie_in_the_room_that_they_test(suite: str):
    for path in (TESTS / suite).rglob("test_*.py"):
        room = path.relative_to(TESTS / suite).parts[0]
        assert room in ROOMS, f"there is no room {room} that {path.name} could test"


FORMATS: dict[str, type[Attribute]] = {
    attribute.name: attribute
    for make in TINYML.all_dialects.values()
    for attribute in make().attributes
    if issubclass(attribute, NumberFormat)
}


def checks_of(dialect: str) -> Path:
    """The folder of the FileCheck tests of a dialect or number format."""
    level = "dialects/formats" if dialect in (name.partition(".")[0] for name in FORMATS) else "dialects"
    return FILECHECK / level / dialect


@pytest.mark.parametrize("name", sorted(TINYML.all_dialects))
def test_a_dialect_has_its_tests(name: str):
    assert TINYML.all_dialects[name]().name == name
    for file in ("ops.mlir", "invalid.mlir"):
        assert (checks_of(name) / file).is_file(), f"dialect {name} has no {file}"
