"""Commands of pages that need a board: what can be known of them here is checked."""

from __future__ import annotations

import shlex
from pathlib import Path

from tinyml.targets.registry import boards

ARDUINO = [name for board in boards() for name in board.arduino]
"""Arduino's names of our boards, with the package and the architecture of their core."""


def check_on_a_board(command: str, folder: Path) -> None:
    """A command of Arduino or PlatformIO names boards that we know, and what the commands before have written."""
    words = shlex.split(command)
    for word in words:
        if word.startswith("out/"):
            assert (folder / word).exists(), f"{command}: there is no {word}"
    match words:
        case ["arduino-cli", "core", "install", core]:
            assert any(name.startswith(f"{core}:") for name in ARDUINO), core
        case ["arduino-cli", "compile", "--fqbn", name, "--library", library, *_, sketch]:
            assert any(one == name or one.startswith(f"{name}:") for one in ARDUINO), name
            assert (folder / library / "library.properties").is_file()
            assert (folder / sketch / f"{Path(sketch).name}.ino").is_file()
        case ["arduino-cli", "monitor", "--port", _, "--config", rate]:
            sketches = [path.read_text() for path in folder.rglob("SelfTest.ino")]
            assert sketches
            assert all(f"Serial.begin({rate.removeprefix('baudrate=')})" in text for text in sketches)
        case ["pio", "run" | "device", *_]:
            [project] = [words[at + 1] for at, word in enumerate(words) if word == "--project-dir"]
            assert (folder / project / "platformio.ini").is_file()
        case _:
            raise AssertionError(f"{command}: nothing is known of it")
