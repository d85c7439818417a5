"""Every file is in the folder for its kind: passes, dialects, formats, chips, commands, and the tests of each."""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract
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

CONTRACTS = {
    "dialects": {
        "collect",
        "context",
        "distribution",
        "errors",
        "extensions",
        "functions",
        "interface_version",
        "guarded_parser",
        "guarded_universe",
        "located_parser",
        "lazy_numpy",
        "limits",
        "locations",
        "loops",
        "operations",
        "options",
        "remarks",
        "rewriting",
        "own_attributes",
        "own_rows",
        "attribute_verification",
        "plugins",
        "similar_names",
        "modules",
        "tables",
    },
    "targets": {
        *("board", "chip", "costs", "kernel", "makers", "nests", "package", "registry", "tiles"),
    },
    "runtime": set[str](),
    "transforms": set[str](),
    "lowering": {"added_steps", "options", "pipeline_steps", "pipelines"},
    "tools": {"main", "tinyml_opt", "universe"},
}
"""Files directly in a top-level package that are no pass: code for all its folders, pipelines, registry, programs."""

FORMAT_CONTRACTS = {
    "accumulator",
    "affine",
    "grouped",
    "grouping",
    "groups",
    "least_squares",
    "lookup",
    "number_format",
    "parameters",
    "specification",
    "scaled_integer",
    "tabulated",
}
"""Files directly in `dialects/formats/` that are no format: what formats are made of."""

PASSES = sorted(TINYML.all_passes.keys() - PIPELINES.keys())


def stems(folder: str) -> set[str]:
    """The names of the modules directly in a folder, except `__init__`."""
    return {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}


def packages(folder: str) -> set[str]:
    """The names of the packages directly in a folder."""
    return {path.parent.name for path in (ROOT / folder).glob("*/__init__.py")}


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


@pytest.mark.long(drawn=False)
def test_every_pass_is_registered():
    for path in MODULES:
        assert set(defined_passes(path)) <= TINYML.all_passes.keys(), name_of(path)


def test_every_named_pipeline_is_registered():
    assert PIPELINES.keys() <= TINYML.all_passes.keys()
    assert all(TINYML.all_passes[name]().name == name for name in PIPELINES)


@pytest.mark.parametrize("room", ROOMS)
def test_a_file_directly_in_a_room_is_a_pass_or_its_contract(room: str):
    assert CONTRACTS[room] <= stems(room)
    for path in (ROOT / room).glob("*.py"):
        if path.stem not in CONTRACTS[room] | {"__init__"}:
            prefix = "lower-" if room == "lowering" else ""
            assert list(defined_passes(path)) == [f"{prefix}{path.stem}".replace("_", "-")], name_of(path)


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


def test_a_file_directly_in_formats_is_a_format_or_its_contract():
    assert stems("dialects/formats") >= FORMAT_CONTRACTS
    for name in stems("dialects/formats"):
        module = import_module(f"tinyml.dialects.formats.{name}")
        formats = [
            made
            for made in vars(module).values()
            if isinstance(made, type) and issubclass(made, NumberFormat) and made.__module__ == module.__name__
        ]
        assert any(not isabstract(made) for made in formats) != (name in FORMAT_CONTRACTS), name


def test_a_file_directly_in_commands_is_a_command():
    assert stems("tools/commands") == {row.module.rpartition(".")[2] for row in COMMANDS.ours.values()}


def test_a_folder_of_targets_is_a_chip():
    shared = {"blobs", "c", "composer", "memories", "verilog"}
    folders = {chip.folder.name for chip in chips()}
    what = "c and verilog print, blobs, composer and memories are shared, every other folder is a chip"
    assert packages("targets") == {*folders, *shared}, what
    for name in folders:
        assert (ROOT / "targets" / name / "chip.py").is_file()


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
