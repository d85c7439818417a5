"""Runs of C on a chip other than its target, compilations of unusual programs, and outputs that differ from the
evaluator's.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Interface, RunResult
from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"


def compile_(model: Path, val: Path, out: Path, *options: str) -> int:
    return main(["compile", str(model), "--val", str(val), "-o", str(out), *options])


@pytest.mark.long
def test_c_for_the_host_is_refused_by_the_compiler_of_avr(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """C for the host does not compile for AVR; the error proposes to compile the model for AVR. C for the host stores
    its tables in RAM, but the runtime's code for AVR would read them from flash.
    """
    out = tmp_path / "out"
    assert compile_(TOUR / "tour.sd", TOUR / "val.npz", out, "--target", "host") == 0
    assert main(["run", str(out), "--data", str(TOUR / "val.npz"), "--device", "uno"]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: avr-gcc failed: ")
    assert '#error "generated for host: compile the model for avr instead"' in error


@pytest.mark.long
def test_c_for_avr_runs_on_the_host(tmp_path: Path):
    out = tmp_path / "out"
    assert compile_(TOUR / "tour.sd", TOUR / "val.npz", out, "--target", "uno") == 0
    assert "#error" not in (out / "tour.c").read_text()
    assert main(["run", str(out), "--data", str(TOUR / "val.npz")]) == 0


def run(out: Path, *options: str) -> int:
    return main(["run", str(out), "--data", str(TOUR / "val.npz"), *options])


def program(folder: Path, text: str) -> tuple[Path, Path]:
    (folder / "p.sd").write_text(text)
    x = np.linspace(0, 1, 32, dtype=np.float32).reshape(4, 8)
    np.savez(folder / "val.npz", x=x)
    return folder / "p.sd", folder / "val.npz"


@pytest.mark.long
def test_a_sparse_matrix_of_zeros_compiles(tmp_path: Path):
    """A model with a sparse matrix without entries compiles, although the product of this matrix takes no time."""
    files = program(tmp_path, "let X = (8, 1) in [0.0, 1.0] in\nlet P = (5, 8) in [0.0, 0.0] in\nargmax(P |*| X)\n")
    np.save(tmp_path / "P.npy", np.zeros((5, 8), np.float32))
    assert compile_(*files, tmp_path / "out", "--target", "uno") == 0


def test_no_number_is_compared_with_the_least_of_its_type(tmp_path: Path):
    text = "let X = (8, 1) in [0.0, 1.0] in\nlet v = X^T * X in\nlet r = v >= -1 ? v : 0.5 * v in\nsgn(r)\n"
    files = program(tmp_path, text)
    assert compile_(*files, tmp_path / "out", "--target", "host", "--format", "affine", "--width", "8") == 0
    assert ">= -128" not in (tmp_path / "out/p.c").read_text()


@pytest.mark.parametrize("what", ["tour.sd", "val.npz"])
def test_devices_are_not_read(tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]):
    model = Path(shutil.copytree(TOUR, tmp_path / "model"))
    (model / what).unlink()
    (model / what).symlink_to("/dev/zero")
    assert compile_(model / "tour.sd", model / "val.npz", tmp_path / "out") == 1
    assert "expected a regular file, not a device" in capsys.readouterr().err


@pytest.fixture
def spoiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the host return wrong scores: 1 is added to the second score of every sample except the first."""

    def run(self: HostRunner, build: Build, interface: Interface, inputs: np.ndarray) -> RunResult:
        result = honest(self, build, interface, inputs)
        assert result.scores is not None
        result.scores[1:, 1] += 1
        return result

    honest = HostRunner.run
    monkeypatch.setattr(HostRunner, "run", run)


DIFFERS = (
    r"error: {}: host and the evaluator differ: "
    r"sample 1: score 1 is (-?\d+), the evaluator gives (-?\d+) \(raw values\)"
)


@pytest.mark.long
@pytest.mark.usefixtures("spoiled")
def test_a_mismatch_is_an_error_that_keeps_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "out"
    for command in (
        lambda: compile_(TOUR / "tour.sd", TOUR / "val.npz", out, "--target", "host"),
        lambda: run(out),
        lambda: run(out, "--json"),
    ):
        assert command() == 1
        said = capsys.readouterr()
        found = re.fullmatch(DIFFERS.format(re.escape(str(out))), said.err.splitlines()[-1])
        assert found is not None, said.err
        assert int(found[1]) == int(found[2]) + 1
        assert (out / "tour.c").is_file()
    assert json.loads(said.out)["mismatch"] == json.loads((out / "report.json").read_text())["mismatch"]
    assert main(["bench", str(TOUR), "--target", "host"]) == 1
    assert "host and the evaluator differ: sample 1: score 1 is" in capsys.readouterr().err.splitlines()[-1]
