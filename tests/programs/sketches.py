"""Compilation of sketches of an Arduino library in the IDE's layout, with the interface in `arduino_core/`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from programs.paths import TESTS

CORE = TESTS / "programs" / "arduino_core"
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def sketches(library: Path) -> list[Path]:
    """The paths of the example sketches of an Arduino library, sorted."""
    return sorted(library.glob("examples/*/*.ino"))


def compile_sketch(
    library: Path, sketch: Path, folder: Path, *, prefix: str = "", flags: Sequence[str] = (), cxx: str = "gnu++17"
) -> list[Path]:
    """Compile the sources of a library and a sketch as C++ without warnings, and return the object files.

    The IDE inserts `#include <Arduino.h>` before a sketch, and finds the headers of the library in `src/` and those of
    the sketch in its folder.

    folder: the folder for the object files.
    prefix: the prefix of the compilers' names, such as `avr-`.
    flags: additional flags of both compilers.
    cxx: the C++ standard of the sketch.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"{sketch.name}.cpp"
    program.write_text("#include <Arduino.h>\n" + sketch.read_text("utf-8"))
    includes = [f"-I{path}" for path in (library / "src", sketch.parent, CORE)]
    objects = [folder / f"{path.name}.o" for path in (program, *sorted(library.glob("src/*.c")))]
    for path in objects:
        source = program if path.stem == program.name else library / "src" / path.stem
        kind = ("g++", f"-std={cxx}") if source == program else ("gcc", "-std=gnu11")
        command = [
            f"{prefix}{kind[0]}",
            kind[1],
            "-Os",
            "-ffp-contract=off",
            "-DARDUINO=10819",
            *WARNINGS,
            *flags,
            *includes,
            "-c",
            str(source),
            "-o",
            str(path),
        ]
        subprocess.run(command, check=True)
    return objects


def run_sketch(library: Path, name: str, folder: Path, stdin: bytes = b"", readings: Path | None = None) -> list[str]:
    """The lines that a sketch of a library prints on this computer.

    stdin: the bytes received over the serial line.
    readings: a file with the numbers (int16) that its sensors return.
    """
    objects = compile_sketch(library, library / f"examples/{name}/{name}.ino", folder)
    program = folder / name
    subprocess.run(["g++", f"-I{CORE}", *objects, CORE / "host.cpp", "-o", program], check=True)
    command = [program] if readings is None else [program, readings]
    return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout.decode().splitlines()
