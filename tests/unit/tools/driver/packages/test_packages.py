"""Packages of output folders: those that a compilation writes on request, their archive, and packages of programs that
were compiled earlier.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

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
    usual = ("c", "arduino", "cmake", "platformio", "header")
    usual += ("micropython", "rust", "zephyr", "idf", "esphome", "bitstream", "mlir", "circt", "mlperf")
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
        (
            "cortex-m4",
            ["arduino"],
            False,
            "--package arduino: cortex-m4 has no known name in the Arduino IDE",
        ),
        (
            "nucleo-f401re",
            ["arduino"],
            False,
            "--package takes cmake, platformio, header, micropython, rust, zephyr, mlir, mlperf for it, and c writes",
        ),
        (
            "cortex-m4",
            ["mbed"],
            False,
            "projects of mbed use the C files of --package c",
        ),
        ("cortex-m4", ["platformio"], False, "--package platformio: cortex-m4 is not a board of PlatformIO"),
        ("arty-a7", ["bitstream"], False, "--package bitstream: arty-a7 is not programmable logic with a known board"),
        ("uno", ["cmake"], True, "--zip packs the folder of --package arduino: give --package arduino, too"),
        (
            "host",
            None,
            True,
            "--zip packs the folder of --package arduino, and host has no known name in the Arduino IDE",
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


def _nuttx_files(model: PackagedModel) -> Mapping[str, str]:
    return {"prj.conf": f"CONFIG_{model.name.upper()}=y\n", **model.sources}


NUTTX = Packaging("nuttx", _nuttx_files, products=("nuttx.bin.?", "{name}.map.txt", "build/*.txt"))


BROKEN: object = replace(NUTTX, name=3)  # pyright: ignore[reportArgumentType]


def test_others_add_a_packaging(tmp_path: Path):
    entries = [EntryPoint(name, f"{__name__}:{name.upper()}", PACKAGES) for name in ("nuttx", "broken")]
    with installed(*entries):
        assert set(packaging_names()[14:]) == {"broken", "nuttx"}
        out = sensor_model(tmp_path, "mkr1000", packages=("nuttx",)).out
        assert files(out / "nuttx") == {
            "prj.conf": b"CONFIG_GESTURES=y\n",
            f"{NAME}.c": (out / f"{NAME}.c").read_bytes(),
            f"{NAME}.h": (out / f"{NAME}.h").read_bytes(),
        }
        with pytest.raises(PluginError, match="the field 'name' of a Packaging is of another type"):
            packagings_for(board("uno"), ["broken"], zipped=False)


def test_what_the_tool_of_others_has_written_stays(tmp_path: Path):
    with installed(EntryPoint("nuttx", f"{__name__}:NUTTX", PACKAGES)):
        program = tinyml.open(sensor_model(tmp_path, "mkr1000", packages=("nuttx",)).out)
        built = {f"nuttx/{name}": b"built" for name in ("nuttx.bin.1", f"{NAME}.map.txt", "build/deep/er.txt")}
        saved = program.save(tmp_path / "saved", packages=["nuttx"])
        for name, content in built.items():
            (saved / name).parent.mkdir(parents=True, exist_ok=True)
            (saved / name).write_bytes(content)
        program.save(saved, packages=["nuttx"])
        assert files(saved).items() >= built.items()
        (saved / "nuttx/notes.txt").write_text("mine")
        with pytest.raises(InputError, match="nuttx/notes"):
            program.save(saved, packages=["nuttx"])
    # Without the package, nobody knows what its tool writes.
    (saved / "nuttx/notes.txt").unlink()
    with pytest.raises(InputError, match="nuttx/"):
        program.save(saved, packages=["c"])


def _files_of(*pairs: tuple[object, object]) -> Callable[[PackagedModel], Any]:
    return lambda model: dict(pairs)


class Wrong:
    """Package writers that violate their interface."""

    above = Packaging("above", _files_of(("../../escaped.txt", "")))
    absolute = Packaging("absolute", _files_of(("/tmp/escaped.txt", "")))
    program = Packaging("program", _files_of(("../tour.c", "")))
    content = Packaging("content", _files_of(("a.txt", b"")))
    none = Packaging("none", lambda model: cast("Any", None))
    crash = Packaging("crash", lambda model: cast("Any", {})[model.name])
    renamed = Packaging("../up", _files_of())
    patterns = Packaging("patterns", _files_of(), products="*.bin")
    packed = Packaging("packed", _files_of(), archive=lambda model: "../up")


SAID = {
    "above": "'../../escaped.txt' is not a file inside its folder",
    "absolute": "'/tmp/escaped.txt' is not a file inside its folder",
    "program": "'../tour.c' is not a file inside its folder",
    "content": "expected files as paths and texts, both of type str, got str and bytes",
    "none": "expected an object of type Mapping, got NoneType",
    "crash": "KeyError: 'tour'",
    "renamed": "expected a Packaging of the same name, got '../up'",
    "patterns": "the field 'products' of a Packaging is of another type than collections.abc.Sequence[str]",
    "packed": "expected the name of a folder to pack, got '../up'",
}


@pytest.mark.long
@pytest.mark.parametrize("name", SAID)
def test_a_packaging_writes_in_its_own_folder(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with installed(EntryPoint(name, f"{__name__}:Wrong.{name}", PACKAGES)):
        tour = ["compile", "docs/tour/tour.sd", "--val", "docs/tour/val.npz", "--width", "8", "--target", "uno"]
        assert main([*tour, "--package", f"{name},arduino", "--zip", "-o", str(tmp_path / "out" / "folder")]) == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("error: ")
    assert f"plug-in {name!r} of package" in line
    assert line.endswith(SAID[name])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.long
@pytest.mark.parametrize("name", ["ir", "pictures", "..", "a/b", "tour.c"])
def test_folders_of_ours_are_no_packages(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A package must not have the name of a folder or file that tinyml itself writes. When a program is saved again,
    packages are removed by their names.
    """
    with installed(EntryPoint(name, f"{__name__}:NUTTX", PACKAGES)):
        assert name not in packaging_names()
        out = sensor_model(tmp_path, "mkr1000").out
        kept = files(tinyml.open(out).save(tmp_path / "same"))
        assert kept.keys() == files(out).keys()
        assert main(["compile", "docs/tour/tour.sd", "--package", name, "-o", str(tmp_path / "no")]) == 1
        assert "unknown package" in capsys.readouterr().err
