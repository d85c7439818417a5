"""The components of `--package esphome`, built and run on this computer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from programs.other_tools import passed
from programs.paths import TESTS

CORE = TESTS / "programs" / "esphome_core"
"""A substitute for the part of ESPHome that the components use."""

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]


def components_run(outs: Sequence[Path], main: str, folder: Path, *arguments: str | Path) -> list[list[str]]:
    """The words of each line that a program prints in which the components of output folders are linked.

    main: the text of the program in C++.
    folder: an existing folder for what is built.
    """
    (folder / "main.cpp").write_text(main)
    sources = [folder / "main.cpp"]
    for out in outs:
        sources += [*(out / "esphome/components").rglob("*.c"), *(out / "esphome/components").rglob("*.cpp")]
    objects: list[Path] = []
    for number, source in enumerate(sources):
        objects.append(folder / f"{number}.o")
        compiler = ["gcc", "-std=c99", "-ffp-contract=off"] if source.suffix == ".c" else ["g++", "-std=c++17"]
        includes = ["-I", CORE, *(flag for out in outs for flag in ("-I", out / "esphome/components"))]
        passed([*compiler, *WARNINGS, "-O1", *includes, "-c", source, "-o", objects[-1]])
    passed(["g++", *objects, "-o", folder / "main", "-lm"])
    return [line.split() for line in passed([folder / "main", *arguments]).splitlines()]
