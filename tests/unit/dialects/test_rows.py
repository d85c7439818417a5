"""Rows of `dialects/rows.txt`, by which extensions contribute to tables of the core without an edit of the core."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tinyml.dialects import rows as table_rows
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, part_on_call
from tinyml.dialects.plugins import Row
from tinyml.tools.main import main


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Row]]:
    """The sections of the file, as a dictionary that the test may change."""
    changed = {name: [*section] for name, section in table_rows.sections().items()}
    monkeypatch.setattr(table_rows, "sections", lambda: changed)
    return changed


def test_parts_have_aliases():
    [avr] = [row for row in table_rows.rows_of("chips") if row.name == "avr"]
    assert (avr.value, avr.help) == ("avr.chip:CHIP", "")
    assert avr.names["atmega328p"] == avr.names["uno"] == "uno"


def test_a_row_may_have_a_help_text():
    [pack] = [row for row in table_rows.rows_of("commands") if row.name == "pack"]
    assert (pack.value, pack.help) == ("pack", "pack buffers of a CSV file into the smallest arena")


def test_a_function_of_an_absent_extension_is_refused_when_it_is_called():
    assert part_on_call("tinyml.dialects.modules:first_line")("tinyml.none") == ""
    absent = part_on_call("tinyml.targets.helium.none:function")
    with pytest.raises(InputError, match=r"^this needs the part 'Helium'"):
        absent(8)


def test_a_module_that_needs_an_absent_extension_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "needy.py").write_text("from tinyml.targets.helium.none import function\n")
    (tmp_path / "broken.py").write_text("import module_of_nobody\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for load in (lambda: imported("needy:function"), lambda: Row("name", "needy:function").load(object)):
        with pytest.raises(InputError, match=r"^this needs the part 'Helium' of tinyml, which is not installed$"):
            load()
    for load in (lambda: imported("broken"), lambda: Row("name", "broken:function").load(object)):
        with pytest.raises(ModuleNotFoundError, match="module_of_nobody"):
            load()


def test_functions_are_called_for_given_options_only(rows: dict[str, list[Row]]):
    rows["compile.board"] = [Row("memory", "dialects.modules:first_line"), Row("other", "no.module:name")]
    options: Any = SimpleNamespace(memory="sram=4K", other=None)
    [(function, value)] = table_rows.functions_of_options("compile.board", options)
    assert (function.__name__, value) == ("first_line", "sram=4K")


def test_a_function_of_an_absent_extension_is_named(rows: dict[str, list[Row]]):
    rows["compile.board"] = [Row("some_memory", "targets.helium.none:function")]
    options: Any = SimpleNamespace(some_memory="sram=4K")
    with pytest.raises(InputError, match=r"^the option '--some-memory' needs the part 'Helium'"):
        list(table_rows.functions_of_options("compile.board", options))


def test_an_option_that_an_absent_extension_declares_is_refused(
    rows: dict[str, list[Row]], capsys: pytest.CaptureFixture[str]
):
    rows["compile.options"].append(Row("other", "targets.helium.none:Options"))
    assert main(["compile", "model.onnx", "--other", "value", "-o", "out"]) == 1
    error = "error: the option '--other' needs the part 'Helium' of tinyml, which is not installed"
    assert capsys.readouterr().err.splitlines() == [error]
    with pytest.raises(SystemExit):
        main(["compile", "--help-all"])
    assert "--other" not in capsys.readouterr().out
