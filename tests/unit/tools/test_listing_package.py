"""The package in tests/plugins/listing: a folder for another tool, and an alternative of `--format auto`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed

from tinyml.tools.driver.choice.alternatives import considered
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


@pytest.fixture(autouse=True)
def package() -> Iterator[None]:
    folder = str(ROOT / "tests/plugins/listing")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("listing")):
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "listing"]:
        del sys.modules[name]


def test_the_folder_is_written(tmp_path: Path):
    options = ["--width", "8", "--target", "host", "--package", "listing", "-o", str(tmp_path / "out")]
    assert main(["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), *options]) == 0
    assert "licence" in (tmp_path / "out/listing/words.txt").read_text().split()
    assert (tmp_path / "out/listing/samples.h").is_file()


def test_auto_considers_the_alternative():
    assert "fixed 12" in [row.name for row in considered()]
