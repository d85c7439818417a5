"""`tinyml plan`: tables and JSON, and options out of range."""

import json

import pytest
from programs.paths import ROOT

from tinyml.tools.main import main

LENET = str(ROOT / "docs/schedules/lenet.mlir")


def test_the_plan_as_json(capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, "--mode", "rows", "--bits", "4", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["lower_bound"] == 392
    report = printed["rows"]
    assert report["bytes"] == 624
    assert report["extra_macs"] == 0
    assert max(segment["bytes"] for segment in report["segments"]) == 624
    assert report["segments"][0]["schedule"] == "streamed by rows"


def test_reals_take_four_bytes(capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ordinary"]["bytes"] == 4 * 4320


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--mode", "columns"], "unknown mode 'columns'; known are ordinary, partial-32"),
        (["--bits", "0"], "argument --bits: expected a positive integer"),
        (["--extra", "-1"], "argument --extra: expected a positive integer"),
    ],
)
def test_options_out_of_range(arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", LENET, *arguments]) == 1
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
