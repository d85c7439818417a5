"""Arduino's own build of a library and its sketches, by Debian's `arduino-builder`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tinyml.targets.registry import board

HARDWARE = Path("/usr/share/arduino/hardware")
TOOLS = Path("/usr/share/arduino-builder")


def is_installed() -> bool:
    return shutil.which("arduino-builder") is not None and HARDWARE.is_dir()


def built_sketch(libraries: Path, sketch: Path, folder: Path, target: str) -> Path:
    """The ELF file of a sketch, built by Arduino's tools; warnings in the library or the sketch are errors.

    libraries: the folder that contains the folders of libraries.
    folder: the folder for the build.
    target: the name of the board.
    """
    cache = folder.parent / "cache"
    for path in (folder, cache):
        path.mkdir(exist_ok=True)
    command = ["arduino-builder", "-compile", "-fqbn", board(target).arduino[0], "-warnings", "all"]
    command += ["-hardware", TOOLS, "-hardware", HARDWARE, "-tools", "/usr/bin", "-libraries", libraries]
    command += ["-build-path", folder, "-build-cache", cache]
    # Without this definition core 1.8.7 itself does not compile.
    command += ["-prefs", "compiler.cpp.extra_flags=-DDECIMAL_DIG=9", sketch]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    warned = [line for line in done.stderr.splitlines() if "warning:" in line and "/hardware/" not in line]
    assert not warned
    return folder / f"{sketch.name}.elf"
