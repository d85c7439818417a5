"""Commands that build from an output folder build the program of its IR, and reject a folder whose files were
changed.
"""

from __future__ import annotations

import shutil
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT
from programs.pushed_sums import running_sum

from tinyml.tools.main import main

TOUR = ROOT / "docs/tour"

PLANTED = """
extern int system(const char *);
__attribute__((constructor)) static void planted(void) { system("touch PLANTED"); }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of output folders: `tour` for the host, `hardware` for an FPGA, `loaded` with weights in RAM, and
    `sums`, which streams.
    """
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "sums.mlir").write_text(running_sum("sums", classifies=True))
    np.savez(folder / "val.npz", x=np.random.default_rng(0).uniform(-0.9, 0.9, (2, 6)))
    tour = ["compile", str(TOUR / "tour.sd"), "--val", str(TOUR / "val.npz"), "--width", "8"]
    sums = ["compile", str(folder / "sums.mlir"), "--val", str(folder / "val.npz"), "--input", "push"]
    with pytest.MonkeyPatch.context() as patches:
        # No simulator of hardware is built: the files are the same without it.
        patches.setattr("tinyml.runtime.devices.registry.is_available", "host".__eq__)
        for name, command in {
            "tour": [*tour, "--target", "host"],
            "hardware": [*tour, "--target", "ecp5-25k"],
            "loaded": [*tour, "--target", "host", "--load-weights"],
            "sums": [*sums, "--target", "host"],
        }.items():
            assert main([*command, "-o", str(folder / name)]) == 0
    return folder


def ran(out: Path) -> list[str]:
    return ["run", str(out), "--data", str(TOUR / "val.npz")]


def ran_on_hardware(out: Path) -> list[str]:
    return [*ran(out), "--device", "ecp5-25k"]


def ran_at_a_port(out: Path) -> list[str]:
    return [*ran(out), "--port", "/dev/null"]


def listened(out: Path) -> list[str]:
    with wave.open(str(out.parent / "a.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(np.zeros(60, "<i2").tobytes())
    return ["listen", str(out), "--wav", str(out.parent / "a.wav")]


def opened(out: Path) -> list[str]:
    return ["open", str(out)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "file", "what", "command"),
    [
        ("tour", "tour.c", "C", ran),
        ("tour", "tour.c", "C", ran_at_a_port),
        ("tour", "tour.c", "C", opened),
        ("tour", "tour.h", "header", ran),
        ("tour", "tour.h", "header", opened),
        ("loaded", "tour.weights", "weights", ran),
        ("hardware", "tour.v", "hardware module", ran_on_hardware),
        ("sums", "sums.c", "C", listened),
        ("sums", "sums.h", "header", listened),
    ],
)
def test_other_files_are_refused(
    compiled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    file: str,
    what: str,
    command: Callable[[Path], list[str]],
):
    """Commands that build a program reject an output folder whose generated files were changed or removed, and build
    nothing. The changed file contains a function that would run before `main`.
    """
    monkeypatch.chdir(tmp_path)
    out = tmp_path / name
    shutil.copytree(compiled / name, out)
    with (out / file).open("a") as stream:
        stream.write(PLANTED)
    assert main(command(out)) == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == f"error: {out / file}: is not the {what} of ir/2-buffers.mlir: compile the model again"
    (out / file).unlink()
    assert main(command(out)) == 1
    assert f"{file}: cannot read the {what}: No such file" in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "PLANTED").exists()


@pytest.mark.long
@pytest.mark.parametrize("file", ["more.c", "stdint.h", "stdbool.h"])
def test_files_beside_them_are_not_compiled(
    compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], file: str
):
    """A C file or a header that the user adds to an output folder is neither compiled nor included, although the
    compiler searches the folder of a C file for headers before its own.
    """
    monkeypatch.chdir(tmp_path)
    for name, command in (("tour", ran), ("sums", listened)):
        out = tmp_path / name
        shutil.copytree(compiled / name, out)
        (out / file).write_text(PLANTED)
        assert main(command(out)) == 0
    assert not (tmp_path / "PLANTED").exists()


def test_weights_of_a_program_without_any_are_refused(
    compiled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    shutil.copytree(compiled / "tour", tmp_path / "tour")
    (tmp_path / "tour/tour.weights").write_bytes(bytes(8))
    assert main(ran(tmp_path / "tour")) == 1
    assert "tour.weights: is not the weights" in capsys.readouterr().err.splitlines()[-1]
