"""The package in tests/plugins/energy: its command, its exporter, its device and its part of the report are listed and
work.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from programs.paths import ROOT
from programs.plugins import entry_points_of, installed

from tinyml.dialects.plugins import problems
from tinyml.lowering.exporters import EXPORTERS
from tinyml.runtime.devices.registry import DEVICES
from tinyml.tools.main import COMMANDS, main

TOUR = ROOT / "docs/tour/tour.sd"
DATA = ROOT / "docs/tour/val.npz"
LINE = "Tell how many inferences a battery lasts for"


@pytest.fixture(autouse=True)
def package() -> Iterator[None]:
    folder = str(ROOT / "tests/plugins/energy")
    with patch.object(sys, "path", [folder, *sys.path]), installed(*entry_points_of("energy")):
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "energy"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a program for an Uno, compiled without the package."""
    out = tmp_path_factory.mktemp("compiled") / "tour"
    assert main(["compile", str(TOUR), "--val", str(DATA), "--format", "fixed", "-o", str(out)]) == 0
    return out


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main([*arguments]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def test_it_is_listed_beside_ours_without_an_import(capsys: pytest.CaptureFixture[str]):
    shown = said(capsys, "--help")
    assert re.search(rf"^    doctor .*^    energy +{re.escape(LINE)}", shown, re.MULTILINE | re.DOTALL)
    assert COMMANDS.names()[-1] == "energy"
    assert "dot (the ops of a program and the values between them, in the language of Graphviz)" in EXPORTERS.listed()
    assert DEVICES.listed().endswith("unoptimised (the C on this computer, without optimisation)")
    assert "did you mean 'energy'?" in said(capsys, "enregy", code=1)
    assert "did you mean 'unoptimised'?" in said(
        capsys, "run", "out", "--data", str(DATA), "--device", "unoptimized", code=1
    )
    assert "energy" not in sys.modules


def test_completion_knows_the_command(capsys: pytest.CaptureFixture[str]):
    script = said(capsys, "completion", "fish")
    assert f"-f -a energy -d '{LINE}'" in script
    assert "__fish_seen_subcommand_from energy' -l battery -r" in script


def test_doctor_lists_what_it_offers(capsys: pytest.CaptureFixture[str]):
    found = json.loads(said(capsys, "doctor", "--json"))
    listed = {(each["group"], each["name"]): each["left_out"] for each in found["plugins"]}
    groups = {"tinyml.commands": "energy", "tinyml.exporters": "dot", "tinyml.reports": "energy"}
    assert listed == dict.fromkeys([*groups.items(), ("tinyml.runners", "unoptimised")])
    assert [each["device"] for each in found["devices"]] == ["llvm", "circt", "unoptimised"]
    assert LINE in " ".join(said(capsys, "doctor").split())
    assert not problems()


def test_the_command_runs(compiled: Path, capsys: pytest.CaptureFixture[str]):
    milliseconds = json.loads((compiled / "report.json").read_text())["milliseconds_per_inference"]
    expected = f"{100 / 10 * 3_600_000 / milliseconds:,.0f} inferences\n"
    assert said(capsys, "energy", str(compiled), "--battery", "100") == expected
    assert "unknown option --batery, did you mean '--battery'?" in said(capsys, "energy", "x", "--batery", "1", code=1)


def test_the_exporter_writes(tmp_path: Path):
    for _ in range(2):
        assert main(["export", str(TOUR), "--to", "dot", "-o", str(tmp_path / "tour.dot")]) == 0
    assert 'label="tdsl.matmul"' in (tmp_path / "tour.dot").read_text()


def test_the_device_runs(compiled: Path, capsys: pytest.CaptureFixture[str]):
    shown = said(capsys, "run", str(compiled), "--data", str(DATA), "--device", "unoptimised", "--json")
    assert json.loads(shown)["mismatch"] is None
    assert json.loads(shown)["device"] == "unoptimised"


def test_the_report_has_its_part(compiled: Path, tmp_path: Path):
    assert 'id="part-energy"' not in (compiled / "report.html").read_text()
    out = str(tmp_path / "out")
    assert main(["compile", str(TOUR), "--val", str(DATA), "--format", "fixed", "-o", out]) == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert '<section id="part-energy"><h2>Energy</h2>' in page
    assert 'href="#part-energy"' in page
    assert "microjoules" in page
