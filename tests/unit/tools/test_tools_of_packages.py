"""A package with a command, an exporter, a folder, a part of the report and an alternative, by the interface alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed

from tinyml.tools.driver.choice.alternatives import considered
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


@pytest.fixture(scope="module")
def package() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, installed(*entry_points_of("widths")):
        patch.setattr(sys, "path", [str(ROOT / "tests/plugins/widths"), *sys.path])
        yield


@pytest.fixture(scope="module")
def folder(package: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled program, with the folder of the package."""
    out = tmp_path_factory.mktemp("compiled") / "out"
    options = ["--width", "8", "--target", "host", "--package", "listing", "-o", str(out)]
    assert main(["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), *options]) == 0
    return out


def test_the_command_reads_the_program(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["widths", str(folder)]) == 0
    assert capsys.readouterr().out == "tdsl.matmul_sum: 8 bits\ntdsl.tanh: 8 bits\n"


def test_a_command_that_refuses_says_so_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["widths", str(folder), "--least", "99"]) == 1
    assert capsys.readouterr().err == f"error: {folder}: no tensor has 99 bits or more\n"


def test_the_help_knows_the_command(package: None, capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    assert "List the bits of each tensor of a compiled program" in " ".join(capsys.readouterr().out.split())


def test_the_folder_is_written(folder: Path):
    assert "licence" in (folder / "listing/words.txt").read_text().split()
    assert (folder / "listing/samples.h").is_file()


def test_the_part_is_in_the_report(folder: Path):
    page = (folder / "report.html").read_text("utf-8")
    assert "Bytes by purpose" in page
    assert "The arena of tour, beside all else." in page


def test_the_exporter_writes_a_file(package: None, tmp_path: Path):
    out = tmp_path / "tour.shapes"
    assert main(["export", str(TOUR / "tour.sd"), "--to", "shapes", "-o", str(out)]) == 0
    assert out.read_text() == "(tensor<4x1xf32>) -> (index, tensor<2x1xf32>)\n"


def test_auto_considers_the_alternative(package: None):
    assert "fixed 12" in [row.name for row in considered()]
