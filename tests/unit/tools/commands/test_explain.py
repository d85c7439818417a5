"""`tinyml open --text`: the parts of the output add up to the measured totals, and operations have the names of the
program.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.paths import ROOT
from programs.pushed_sums import running_sum

from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


@pytest.fixture(scope="module", params=["uno", "cortex-m0", "cortex-m4"])
def out(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of the tour's program for a board."""
    return compiled(request.param, tmp_path_factory.mktemp("explain") / "out")


def compiled(target: str, out: Path) -> Path:
    command = ["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "--target", target, "--width", "16"]
    # What the limit on flash leads to is part of the program.
    command += ["--flash", "12000"] * (target == "uno")
    assert main([*command, "-o", str(out)]) == 0
    return out


@pytest.fixture
def found(out: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["open", str(out), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
def test_everything_is_accounted_for(out: Path, found: dict[str, Any]) -> None:
    report = json.loads((out / "report.json").read_text())
    unit = "cycles" if report["target"] == "uno" else "instructions"
    assert found[f"{unit}_per_inference"] == report[f"{unit}_per_inference"]
    assert sum(one[unit] for one in found["operations"]) == pytest.approx(report[f"{unit}_per_inference"])
    flash = found["flash_bytes"]
    # Neither the functions of the harness nor static ones of the start-up code are kernels.
    source = (out / "tour.c").read_text()
    assert flash["kernels"]
    assert all(re.search(rf"\b{name}\w*\(", source) for name in flash["kernels"])
    assert flash["total"] == report["flash_bytes"]
    assert flash["code"] == sum(one["code_bytes"] for one in found["operations"])
    groups = sum(sum(flash[group].values()) for group in ("constants", "kernels", "library"))
    assert flash["start-up and harness"] == flash["total"] - flash["code"] - groups > 0
    ram = found["ram_bytes"]
    assert ram["total"] == report["ram_bytes"]["total"]
    assert ram["arena"] + ram["input"] + ram["other static"] + ram["stack"] == ram["total"]
    assert sum(one["bytes"] for one in ram["peak"]["buffers"]) == ram["arena"] == 4
    assert found["estimate"] == report["estimate"]
    assert sum(one["estimate"] or 0 for one in found["operations"]) < found["estimate"][f"{unit}_per_inference"]
    # All that is computed belongs to a line of the program.
    layers = {one["operation"]: one["layer"] for one in found["operations"]}
    assert layers.pop("call and return") is None
    assert set(layers.values()) == {"line 5", "line 6"}
    assert layers["argmax(H)"] == "line 6"


@pytest.mark.long
def test_operations_are_those_of_the_layers_of_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    val, out = tmp_path / "val.npz", tmp_path / "out"
    x = np.random.default_rng(0).standard_normal((20, 100)).astype("f4")
    np.savez(val, x=x, y=np.arange(20) % 5)
    model = ROOT / "tests/models/pytorch/cnn-dynamo.onnx"
    options = ["--format", "fixed", "--width", "8", "--target", "cortex-m4", "-o", str(out)]
    assert main(["compile", str(model), "--val", str(val), *options]) == 0
    capsys.readouterr()
    assert main(["open", str(out), "--json"]) == 0
    operations = json.loads(capsys.readouterr().out)["operations"]
    layers = {one["operation"]: one["layer"] for one in operations if one["operation"] != "call and return"}
    assert None not in layers.values()
    named = " ".join(layers.values())
    assert all(layer in named for layer in ("BatchNorm2d 'body.1'", "ReLU 'body.2'", "AdaptiveAvgPool2d 'body.6'"))


@pytest.mark.long
def test_floats_as_inputs_cost_what_is_estimated(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads((out / "report.json").read_text())
    estimated, unit, board = report["float_inputs"], report["unit"], report["target"]
    assert estimated["in_software"] == (board != "cortex-m4")
    # Most of the time is theirs, which is a fraction of a millisecond where the clock is known.
    assert [warning["name"] for warning in report["warnings"]] == ["float inputs"] * (board == "cortex-m0")
    assert main(["run", str(out), "--data", str(TOUR / "val.npz"), "--device", board, "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    floats, time = measured["float_inputs"], f"{unit}_per_inference"
    assert floats[time] - measured[time] == pytest.approx(estimated["conversion"], rel=0.35)
    assert floats["ram_bytes"] - measured["ram_bytes"]["total"] == floats["more_ram_bytes"]
    assert estimated["array_bytes"] == 16 <= floats["more_ram_bytes"]


@pytest.mark.long
def test_operations_are_those_of_the_program(out: Path, found: dict[str, Any]) -> None:
    names = [one["operation"] for one in found["operations"]]
    product, function, *_ = found["operations"]
    assert re.fullmatch(r"matmul\w*\(W, X.*\)", product["operation"])
    assert re.fullmatch(r"H = \w+\(.*\)", function["operation"])
    assert set(names) <= {*names[:2], "argmax(H)", "call and return"}
    unit = "cycles" if found["target"] == "uno" else "instructions"
    kernels = {name: spent for name, spent in product["calls"].items() if name in found["flash_bytes"]["kernels"]}
    assert 0 < sum(kernels.values()) < product[unit]
    assert all(found["functions"][name] >= spent for name, spent in kernels.items())
    constants = found["flash_bytes"]["constants"]
    assert constants["W"] == 16
    assert "tanh_table" in constants


@pytest.mark.long
def test_a_program_that_streams_is_explained_by_the_operations_of_its_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sums.mlir").write_text(running_sum("sums", classifies=True))
    np.savez(tmp_path / "val.npz", x=np.random.default_rng(0).uniform(-0.9, 0.9, (2, 6)))
    command = ["compile", str(tmp_path / "sums.mlir"), "--val", str(tmp_path / "val.npz"), "--input", "push"]
    for board in ("uno", "cortex-m4"):
        assert main([*command, "--target", board, "-o", str(tmp_path / board)]) == 0
        capsys.readouterr()
        assert main(["open", str(tmp_path / board), "--json"]) == 0
        spent = json.loads(capsys.readouterr().out)
        unit = "cycles" if board == "uno" else "instructions"
        time = {one["operation"]: one[unit] for one in spent["operations"]}
        assert sum(time.values()) == pytest.approx(spent[f"{unit}_per_inference"])
        assert any("argmax" in name and cycles > 0 for name, cycles in time.items())
        assert any("add" in name and cycles > 0 for name, cycles in time.items())


@pytest.mark.long
def test_tables_for_people(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", str(out), "--text"]) == 0
    text = capsys.readouterr().out
    for word in ("matmul", "H = ", "code of the operations", "start-up and harness", "stack", "estimated"):
        assert word in text


def error(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    capsys.readouterr()
    assert main(["open", str(folder), "--text"]) == 1
    lines = capsys.readouterr().err.splitlines()
    return next(line for line in lines if line.startswith("error: "))


@pytest.mark.long
def test_bad_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert error(capsys, tmp_path).endswith("expected a folder written by tinyml compile")
    out = compiled("host", tmp_path / "out")
    assert "the device 'host' cannot measure the time of each operation" in error(capsys, out)
    (out / "samples.npz").unlink()
    assert "cannot read the data" in error(capsys, out)
    source = out / "tour.c"
    source.write_text(source.read_text() + "\n")
    assert "is not the C of ir/2-buffers.mlir" in error(capsys, out)
    source.write_bytes(source.read_bytes() + b"\xff")
    assert "is not the C of ir/2-buffers.mlir" in error(capsys, out)
    source.unlink()
    assert "cannot read the C: No such file" in error(capsys, out)


def test_the_figures_of_the_levels_are_those_of_the_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", str(tmp_path), "--levels", "--json"]) == 1
    assert "--json prints the figures of --text: omit --levels" in capsys.readouterr().err
