"""The package in tests/plugins/nuttx, which was written by the page on packages for tools: its folder is written, built
by make with a substitute for NuttX's rules, compared with the evaluator, and written again after a build.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from numeric.tools.driver.packages.test_every_folder import BOARD, CALLS, INSTANCES, answers, check_folder, walked
from programs.other_tools import passed
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed
from programs.sensor_models import NAME, sensor_model

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import board
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.shared_programs import join_programs

RULES = """\
CFLAGS += -Wall -Wextra -Wconversion -Werror
all: Make.dep
$(PROGNAME): $(CSRCS:.c=.o) $(MAINSRC:.c=.o)
	$(CC) -o $@ $^ -lm
Make.dep: $(PROGNAME)
	touch $@
"""
"""A substitute for the file Application.mk of NuttX."""


@pytest.fixture(autouse=True)
def package() -> Iterator[None]:
    folder = str(ROOT / "tests/plugins/nuttx")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("nuttx")):
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "nuttx"]:
        del sys.modules[name]


def make(folder: Path, apps: Path) -> None:
    apps.mkdir(exist_ok=True)
    (apps / "Application.mk").write_text(RULES)
    (apps / "Make.defs").write_text("")
    passed(["make", f"APPDIR={apps}"], folder=folder)


@pytest.mark.long(seconds=8)
def test_the_application_is_right_and_is_written_again(tmp_path: Path):
    for _ in range(2):
        out = sensor_model(tmp_path, BOARD, packages=("nuttx",), width=16).out
        make(out / "nuttx" / NAME, tmp_path / "apps")
        assert passed([out / "nuttx" / NAME / NAME]).strip() == f"{NAME}: 5 of 5 samples as on the desk"
        # The program has a name of its own; NuttX writes it to another folder.
        (out / "nuttx" / NAME / NAME).unlink()


@pytest.mark.long(seconds=8)
def test_its_c_computes_what_the_evaluator_does(tmp_path: Path):
    assert "nuttx" in walked()
    out = sensor_model(tmp_path, BOARD, packages=("nuttx",), instances=True, width=16).out
    each = answers(out)
    expected = [each[call // 2 % len(each)] for call in range(CALLS)]
    check_folder(out / "nuttx", [NAME], INSTANCES, expected, tmp_path)


@pytest.mark.long(seconds=8)
def test_programs_with_one_arena_have_an_application_each(tmp_path: Path):
    outs = [sensor_model(tmp_path / name, BOARD, name=name).out for name in (NAME, "second")]
    join_programs(outs, tmp_path / "out", packages=["nuttx"])
    for name in (NAME, "second"):
        folder = tmp_path / "out/nuttx" / name / name
        make(folder, tmp_path / "apps")
        assert passed([folder / name]).strip() == f"{name}: 5 of 5 samples as on the desk"


def test_hardware_is_refused():
    with pytest.raises(InputError, match="ecp5-25k runs no operating system"):
        packagings_for(board("ecp5-25k"), ["nuttx"], zipped=False)
