"""The core with its two frontends and its chips imports no extension, and the table of extensions is correct."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.paths import ROOT

from layout.sources import MODULES, module_of, name_of, room_files, source
from tinyml.dialects import rows as table_rows
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import CORE, extension_of, extensions, imported, part_of
from tinyml.dialects.formats.lookup import format_named
from tinyml.dialects.modules import is_installed
from tinyml.dialects.plugins import problems
from tinyml.lowering.added_steps import part_of_pass
from tinyml.lowering.frontends.onnx.builder import HANDLERS, LOOPS, SPECIAL_CASES
from tinyml.lowering.frontends.onnx.ops import load_handlers
from tinyml.lowering.pipeline_steps import PIPELINES, OfChip
from tinyml.tools.driver.choice.alternatives import BUILT_IN, considered

FILES = {module_of(path): path for path in MODULES}


def is_out(path: Path) -> bool:
    row = extension_of(name_of(path))
    return row is not None and not row.in_core


def imported_by(path: Path) -> list[tuple[int, Path]]:
    """The files that a file imports at run time. Each entry consists of the line of the import and the path of the
    imported file.
    """
    read = source(path)
    named = [(line, FILES.get(name) or FILES.get(name.rpartition(".")[0])) for line, name in read.imports]
    return [(line, file) for line, file in named if file is not None and line not in read.for_types]


def test_the_core_imports_no_extension():
    """No file of the core imports an extension, not even in a function. The core refers to extensions only by the
    module names in its tables.
    """
    found = [
        f"{name_of(path)}:{line} imports {name_of(file)}"
        for path in MODULES
        if not is_out(path)
        for line, file in imported_by(path)
        if is_out(file)
    ]
    assert found == []


@pytest.mark.long
@pytest.mark.parametrize("row", extensions(), ids=lambda row: row.name)
def test_an_extension_has_files(row: object):
    own = [path for path in room_files("*") if extension_of(name_of(path)) == row]
    assert own, "no file has its pattern"


def test_the_page_states_what_is_lost_without_each_part():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = page.partition("| extension | without it, there is no |\n|---|---|\n")[2].partition("\n\n")[0]
    named = [line.split("|")[1].strip() for line in table.splitlines()]
    assert named == [part.name for part in extensions() if not part.in_core]


def test_a_part_is_named_after_its_module():
    assert part_of("tinyml.targets.helium.chip:CHIP") == "Helium"
    assert part_of("tinyml.dialects.rtl") == "FPGA"
    assert part_of("tinyml.targets.chip") == CORE


def test_a_wrong_name_belongs_to_no_part():
    """A misspelled format or search belongs to no extension, so that the message suggests no extension to install."""
    assert part_of("tinyml.dialects.formats.minifloat.type") == "small formats"
    assert part_of("tinyml.dialects.formats.minifloatt.type") == CORE
    assert part_of("tinyml.transforms.search.search_pareto") == "searches"
    assert (
        part_of("tinyml.transforms.search.search_paretto") == part_of("tinyml.transforms.search.search_parets") == CORE
    )
    with pytest.raises(InputError, match=r"^unknown number format 'minifloatt', did you mean 'minifloat'"):
        format_named(context(), "minifloatt", 8)


def test_what_is_not_installed_needs_its_part():
    assert is_installed("tinyml.targets.helium.chip:CHIP")
    assert not is_installed("tinyml.targets.helium.no_chip:CHIP")
    with pytest.raises(InputError, match=r"^this needs the part 'Helium' of tinyml, which is not installed$"):
        imported("tinyml.targets.helium.no_chip:CHIP")
    with pytest.raises(ModuleNotFoundError):
        imported("tinyml.targets.no_chip")


@pytest.mark.parametrize("section", ["compile.request", "compile.board", "compile.check", "compile.memory"])
def test_functions_of_options_exist(section: str):
    for row in table_rows.rows_of(section):
        assert callable(table_rows.imported(f"tinyml.{row.value}"))
        assert part_of(row.value) != CORE


def test_modules_are_installed():
    for section in ("attributes", "tdsl", "onnx"):
        assert all(is_installed(f"tinyml.{row.name}") for row in table_rows.rows_of(section))


def test_all_alternatives_have_formats():
    """If all extensions are installed, `auto` considers every alternative of the table."""
    assert considered()[: len(BUILT_IN)] == BUILT_IN
    assert not problems()


def test_a_step_that_is_left_out_changes_programs_of_absent_chips_only():
    """The C of a program may not depend on what is installed: a step whose extension is absent is left out in silence
    only if programs for the extension's chip are refused.
    """
    chips = {part_of(f"tinyml.targets.{row.value}") for row in table_rows.rows_of("chips")} - {CORE}
    steps = [step for pipeline in PIPELINES.values() for step in pipeline.steps]
    left_out = {step.step for step in steps if isinstance(step, OfChip)}
    assert left_out
    assert {part_of_pass(name) for name in left_out} <= chips


def test_onnx_ops_of_absent_extensions_are_named():
    """Each file of ONNX ops outside the core has a row that lists exactly the ops that the file imports. The file
    contains no special case of an op, because without the extension the core would import the op in another way.
    """
    load_handlers()
    of_files: dict[str, set[str]] = {}
    for op, handler in [*((op, one) for (_, op), one in HANDLERS.items()), *LOOPS.items()]:
        of_files.setdefault(handler.__module__, set()).add(op)
    folder = ROOT / "lowering/frontends/onnx/ops"
    absent = {module_of(path) for path in folder.glob("*.py") if is_out(path)} & of_files.keys()
    rows = {f"tinyml.{row.name}": {*row.names} for row in table_rows.rows_of("onnx")}
    assert rows == {module: of_files[module] for module in absent}
    assert not {case.__module__ for case in SPECIAL_CASES.values()} & absent


def test_objects_of_all_tables_exist():
    homes = {
        "dialects": "dialects",
        "chips": "targets",
        "targets": "targets",
        "frontends": "lowering.frontends",
        "exporters": "lowering.exporters",
        "schedules": "transforms.schedules",
        "devices": "runtime.devices",
        "packages": "tools.driver.packages",
        "commands": "tools.commands",
    }
    for section, home in homes.items():
        for row in table_rows.rows_of(section):
            assert table_rows.imported(f"tinyml.{home}.{row.value}") is not None
