"""The numbered rules of arduino-lint for libraries and sketches, as far as they apply to generated ones.

The rules are those of https://arduino.github.io/arduino-lint/latest/rules/library/ and .../sketch/, with the schema
etc/schemas/arduino-library-properties-definitions-schema.json of arduino-lint.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs.sensor_models import NAME, sensor_model

REQUIRED = ("name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures")
OPTIONAL = ("depends", "dot_a_linkage", "includes", "precompiled", "ldflags")
CATEGORIES = (
    "Display",
    "Communication",
    "Signal Input/Output",
    "Sensors",
    "Device Control",
    "Timing",
    "Data Storage",
    "Data Processing",
    "Other",
)
FOLDER_NAME = r"[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}"
LIBRARY_NAME = r"(?i)(?!arduino)(?=.*[a-z])[a-z0-9][a-z0-9 _.-]{0,62}"


def properties(library: Path) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in (library / "library.properties").read_text("utf-8").splitlines():
        name, found, value = line.partition("=")
        assert found
        assert name not in fields
        fields[name] = value
    return fields


def broken_rules(library: Path) -> set[str]:
    """The rules that a library breaks, each with its number, if it has one, and a description."""
    fields, broken = properties(library), set[str]()

    def rule(number: str, kept: object) -> None:
        if not kept:
            broken.add(number)

    files = [path.relative_to(library) for path in library.rglob("*")]
    rule("LS002/LS003 folder name", re.fullmatch(FOLDER_NAME, library.name))
    rule("LS005 link", not any(path.is_symlink() for path in library.rglob("*")))
    rule("LS006 .development", not (library / ".development").exists())
    rule("LS007 executables", not any(path.suffix in (".exe", ".elf", ".hex") for path in files))
    rule("LS010 folder of examples", {path.parts[0] for path in files if len(path.parts) > 1} == {"src", "examples"})
    rule("LD001 README.md", (library / "README.md").read_text("utf-8").strip())
    rule("LD002 LICENSE", "Apache License" in (library / "LICENSE").read_text("utf-8"))
    rule("LP fields", set(REQUIRED) <= set(fields) <= {*REQUIRED, *OPTIONAL})
    rule("LP008-LP012 name", re.fullmatch(LIBRARY_NAME, fields["name"]))
    rule("LP014 version", re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", fields["version"]))
    rule("LP016 author", fields["author"])
    rule("LP020 maintainer", fields["maintainer"] and not fields["maintainer"].lower().startswith("arduino"))
    rule("LP028 sentence", fields["sentence"])
    rule("LP033 paragraph repeats the sentence", fields["sentence"] not in fields["paragraph"])
    rule("LP036 category", fields["category"] in CATEGORIES)
    rule("LP039 url", re.fullmatch(r"https?://\S+", fields["url"]))
    rule("LP042 architectures", re.fullmatch(r"(\*|[\w-]+)(,[\w-]+)*", fields["architectures"]))
    headers = fields.get("includes", "").split(",")
    rule("LP052 includes", all((library / "src" / header).is_file() for header in headers))
    keywords = (library / "keywords.txt").read_text("utf-8").splitlines()
    # The IDE splits at single tabs, and takes a word with a space for no keyword.
    rule("keywords.txt", all(re.fullmatch(r"\w+\t(KEYWORD[123]|LITERAL[12])", line) for line in keywords))
    rule("keywords.txt repeats", len({line.split("\t")[0] for line in keywords}) == len(keywords) > 0)
    for sketch in (path for path in library.rglob("*") if path.suffix in (".ino", ".pde")):
        rule("SS001 name of the folder", sketch.stem == sketch.parent.name)
        rule("SS002/SS003 file name", re.fullmatch(FOLDER_NAME, sketch.stem))
        rule("SS004 .pde", sketch.suffix == ".ino")
        rule("SC001 Arduino.h", not re.search(r"#include *[<\"](?!Arduino)arduino", sketch.read_text(), re.IGNORECASE))
    return broken


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sensor_model(tmp_path_factory.mktemp("sensor"), "mkr1000").out / "arduino" / NAME


def test_a_library_keeps_the_rules(library: Path):
    assert broken_rules(library) == set()
    fields = properties(library)
    assert (fields["name"], fields["includes"], fields["architectures"]) == (NAME, f"{NAME}.h", "samd")


@pytest.mark.parametrize(
    ("file", "before", "after", "rule"),
    [
        ("library.properties", "version=1.0.0", "version=1.0", "LP014 version"),
        ("library.properties", "category=Data Processing", "category=Learning", "LP036 category"),
        ("library.properties", "maintainer=", "maintainer=Arduino ", "LP020 maintainer"),
        ("library.properties", f"includes={NAME}.h", "includes=other.h", "LP052 includes"),
        ("keywords.txt", "\t", " ", "keywords.txt"),
    ],
)
def test_broken_rules_are_noticed(library: Path, file: str, before: str, after: str, rule: str):
    path = library / file
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1))
    assert rule in broken_rules(library)
    path.write_text(text)


@pytest.mark.long
@pytest.mark.parametrize(("name", "called"), [("_Arduino_net", "tinyml_Arduino_net"), ("a" * 70, "a" * 63)])
def test_names_that_the_library_manager_refuses(name: str, called: str, tmp_path: Path):
    out = sensor_model(tmp_path, "mkr1000", name=name, packages=("arduino",)).out
    [library] = (out / "arduino").iterdir()
    assert library.name == properties(library)["name"] == called
    assert broken_rules(library) == set()
    assert properties(library)["includes"] == f"{name}.h"


def test_every_function_and_macro_is_a_keyword(library: Path):
    words = {line.split("\t")[0] for line in (library / "keywords.txt").read_text().splitlines()}
    assert {f"{NAME}_{word}" for word in ("predict", "set", "run", "class_name", "INPUT_LENGTH")} <= words
