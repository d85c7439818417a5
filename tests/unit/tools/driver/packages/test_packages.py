"""The choice of packages, their archive, and packages of programs that were compiled before."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from programs.plugins import installed
from programs.sensor_models import NAME, sensor_model

import tinyml
from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import PACKAGES, PluginError
from tinyml.targets.registry import board
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging
from tinyml.tools.driver.packages.packaging_table import packaging_names, packagings_for
from tinyml.tools.main import main


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_usual_packagings_of_boards():
    usual = ("c", "arduino", "cmake", "platformio", "header", "bitstream", "mlir", "circt", "mlperf")
    assert packaging_names() == usual
    assert [one.name for one in packagings_for(board("uno"), None, zipped=False)] == ["arduino", "cmake"]
    # No IDE knows a bare core.
    assert [one.name for one in packagings_for(board("cortex-m4"), None, zipped=False)] == ["cmake"]
    assert [one.name for one in packagings_for(board("ecp5-25k"), None, zipped=False)] == ["cmake", "bitstream"]
    assert packagings_for(board("uno"), ["c"], zipped=False) == []


@pytest.mark.parametrize(
    ("target", "names", "zipped", "message"),
    [
        ("uno", ["arduinno"], False, "unknown package 'arduinno', did you mean 'arduino'?"),
        ("cortex-m4", ["arduino"], False, "--package arduino: cortex-m4 is no board that the Arduino IDE knows"),
        ("cortex-m4", ["platformio"], False, "--package platformio: cortex-m4 is no board that PlatformIO knows"),
        ("arty-a7", ["bitstream"], False, "--package bitstream: arty-a7 is no programmable logic of which a board"),
        ("uno", ["cmake"], True, "--zip packs the folder of --package arduino: give --package arduino, too"),
        (
            "host",
            None,
            True,
            "--zip packs the folder of --package arduino, and host is no board that the Arduino IDE knows",
        ),
    ],
)
def test_what_cannot_be_packed(target: str, names: list[str] | None, zipped: bool, message: str):
    with pytest.raises(InputError, match=re.escape(message)):
        packagings_for(board(target), names, zipped=zipped)


def test_nothing_is_written_for_a_wrong_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "out"
    tour = ["compile", "docs/tour/tour.sd", "--val", "docs/tour/val.npz", "--width", "8", "-o", str(out)]
    assert main([*tour, "--package", "c,aduino"]) == 1
    assert "did you mean 'arduino'?" in capsys.readouterr().err
    assert not out.exists()


def test_an_archive_holds_the_library(tmp_path: Path):
    model = sensor_model(tmp_path, "mkr1000", packages=("arduino",), zip=True)
    folder = model.out / "arduino"
    with zipfile.ZipFile(folder / f"{NAME}.zip") as archive:
        assert archive.testzip() is None
        packed = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    assert packed == {f"{NAME}/{path}": content for path, content in files(folder / NAME).items()}
    listed = json.loads((model.out / "report.json").read_text())["files"]
    assert set(files(model.out)) == set(listed)


def test_a_program_is_packed_when_it_is_saved(tmp_path: Path):
    out = sensor_model(tmp_path, "mkr1000").out
    program = tinyml.open(out)
    same = program.save(tmp_path / "same")
    kept = {path: content for path, content in files(out).items() if path != "report.json"}
    assert {path: content for path, content in files(same).items() if path != "report.json"} == kept
    plain = program.save(tmp_path / "plain", packages=["c"])
    assert not [path for path in files(plain) if path.startswith(("arduino/", "cmake/"))]
    assert f"{NAME}.c" in files(plain)
    zipped = program.save(tmp_path / "zipped", packages=["arduino", "platformio"], zip=True)
    assert {path.split("/")[0] for path in files(zipped) if "/" in path} == {"ir", "pictures", "arduino", "platformio"}
    # It is an output of ours, in which nothing was changed.
    program.save(zipped, packages=["c"])
    assert files(zipped).keys() == files(plain).keys()
    assert tinyml.open(plain).report.name == NAME
    with pytest.raises(InputError, match="unknown package"):
        program.save(tmp_path / "wrong", packages=["make"])
    assert not (tmp_path / "wrong").exists()


def _zephyr_files(model: PackagedModel) -> Mapping[str, str]:
    return {"prj.conf": f"CONFIG_{model.name.upper()}=y\n", **model.sources}


ZEPHYR = Packaging("zephyr", _zephyr_files)


BROKEN: object = replace(ZEPHYR, name=3)  # pyright: ignore[reportArgumentType]


def test_others_add_a_packaging(tmp_path: Path):
    entries = [EntryPoint(name, f"{__name__}:{name.upper()}", PACKAGES) for name in ("zephyr", "broken")]
    with installed(*entries):
        assert set(packaging_names()[9:]) == {"broken", "zephyr"}
        out = sensor_model(tmp_path, "mkr1000", packages=("zephyr",)).out
        assert files(out / "zephyr") == {
            "prj.conf": b"CONFIG_GESTURES=y\n",
            f"{NAME}.c": (out / f"{NAME}.c").read_bytes(),
            f"{NAME}.h": (out / f"{NAME}.h").read_bytes(),
        }
        with pytest.raises(PluginError, match="the field 'name' of a Packaging is of another type"):
            packagings_for(board("uno"), ["broken"], zipped=False)
