"""The PlatformIO project: its manifests, and its program compiled as PlatformIO would, without PlatformIO's own tool.

The rules of `library.json` are those of its schema (`platformio/assets/schema/library.json` of platformio-core) and of
its page in the documentation.
"""

from __future__ import annotations

import json
import re
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
from programs.sensor_models import inputs, sensor_model
from programs.sketches import CORE, WARNINGS

from tinyml.targets.registry import board, boards

KNOWN = {
    "$schema",
    "name",
    "version",
    "description",
    "keywords",
    "homepage",
    "repository",
    "authors",
    "license",
    "frameworks",
    "platforms",
    "headers",
    "examples",
    "dependencies",
    "export",
    "scripts",
    "build",
}


def compile_sources(project: Path, folder: Path) -> list[Path]:
    """The object files of the program and of the library in `lib/`, whose headers are in PlatformIO's include path."""
    folder.mkdir()
    [library] = (project / "lib").iterdir()
    build = json.loads((library / "library.json").read_text())["build"]["flags"]
    includes = [f"-I{library / 'src'}", f"-I{CORE}"]
    objects: list[Path] = []
    for source in (*sorted((project / "src").glob("*.c*")), *sorted((library / "src").glob("*.c"))):
        compiler = ["g++", "-std=gnu++17"] if source.suffix == ".cpp" else ["gcc", "-std=gnu11", *build]
        objects.append(folder / f"{source.name}.o")
        subprocess.run(
            [*compiler, "-ffp-contract=off", *WARNINGS, *includes, "-c", source, "-o", objects[-1]], check=True
        )
    return objects


def settings(project: Path) -> dict[str, dict[str, str]]:
    parser = ConfigParser()
    parser.read(project / "platformio.ini")
    return {section: dict(parser[section]) for section in parser.sections()}


@pytest.mark.long
def test_the_manifest_keeps_the_schema(tmp_path: Path):
    out = sensor_model(tmp_path, "mkr1000", name="_My__Model" + "x" * 50, packages=("platformio",)).out
    [library] = (out / "platformio/lib").iterdir()
    fields = json.loads((library / "library.json").read_text())
    assert fields.keys() <= KNOWN
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    assert len(fields["name"]) <= 50
    assert re.fullmatch(r"\d+\.\d+\.\d+", fields["version"])
    assert 0 < len(fields["description"]) <= 255
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", keyword) for keyword in fields["keywords"])
    assert (fields["platforms"], fields["frameworks"]) == (["atmelsam"], ["arduino"])
    assert all((library / "src" / header).is_file() for header in fields["headers"])


@pytest.mark.long
def test_a_board_gets_the_sketch(tmp_path: Path):
    model = sensor_model(tmp_path, "mkr1000", packages=("platformio",))
    project = model.out / "platformio"
    expected = {"platform": "atmelsam", "board": "mkr1000USB", "framework": "arduino", "monitor_speed": "115200"}
    assert settings(project) == {"env:mkr1000USB": expected}
    program = tmp_path / "program"
    objects = compile_sources(project, tmp_path / "build")
    subprocess.run(["g++", f"-I{CORE}", *objects, CORE / "host.cpp", "-o", program], check=True)
    x = inputs(3)
    sent = "".join(" ".join(map(str, sample)) + "\n" for sample in x)
    said = subprocess.run([program], input=sent, capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in said.splitlines()] == model.words(x)


@pytest.mark.long
def test_this_computer_is_the_platform_native(tmp_path: Path):
    model = sensor_model(tmp_path, "host", packages=("platformio",))
    project = model.out / "platformio"
    [(section, fields)] = settings(project).items()
    assert (section, fields["platform"]) == ("env:native", "native")
    assert "framework" not in fields
    program = tmp_path / "program"
    subprocess.run(["gcc", *compile_sources(project, tmp_path / "build"), "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.parametrize("name", [board.name for board in boards() if board.platformio])
def test_names_of_boards_are_platform_and_board(name: str):
    assert re.fullmatch(r"[a-z0-9-]+(:[\w-]+)?", board(name).platformio)
