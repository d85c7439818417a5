"""The sketches of the page on wake words run on this computer and compile for their boards."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from programs.devices import need_tools
from programs.paths import ROOT, TESTS
from programs.sketches import CORE, compile_sketch, run_sketch
from programs.sounds import wake_word

import tinyml
from tinyml.targets.registry import board, chip_of

PAGE = ROOT / "docs" / "makers" / "wake-words.md"
MICROPHONES = TESTS / "programs" / "arduino_microphones"
MANIFEST = TESTS / "models" / "microwakeword" / "hey_jarvis.json"

BOARDS = {
    "Nano 33 BLE Sense": ("nano33ble", "gnu++14"),
    "ESP32": ("esp8266", "gnu++17"),
    "Pico 2": ("pico2", "gnu++17"),
}
"""The heading of each sketch, the board for which it is compiled, and the standard of C++ of the board's core. ESP8266
stands for ESP32, whose compiler is not installed; tinyml generates the same C for both.
"""


def sketch_of(heading: str) -> str:
    """The loop over samples, followed by the sketch below a heading."""
    page = PAGE.read_text()
    blocks = {
        part.partition("\n")[0]: found[1]
        for part in re.split(r"^##+ ", page, flags=re.MULTILINE)
        if (found := re.search(r"<!-- on a board -->\n```c\n(.*?)```\n", part, re.DOTALL))
    }
    assert blocks.keys() == {"Sketches", *BOARDS}
    return blocks["Sketches"] + blocks[heading]


@cache
def program_of(target: str) -> tinyml.Program:
    return tinyml.compile(MANIFEST, board=target)


def library_of(target: str, folder: Path, heading: str) -> Path:
    """The Arduino library of the program for a board. It contains the sketch below a heading of the page as the example
    `Word`.
    """
    program = program_of(target)
    library = program.save(folder / "out", packages=["arduino"]) / "arduino" / program.name
    sketch = library / "examples" / "Word" / "Word.ino"
    sketch.parent.mkdir()
    sketch.write_text(sketch_of(heading))
    for header in MICROPHONES.glob("*.h"):
        (sketch.parent / header.name).write_text(header.read_text())
    return library


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("heading", BOARDS)
def test_the_sketch_detects_the_word_of_a_recording(heading: str, tmp_path: Path):
    """The sketch detects the word twice, three seconds apart, in a recording of the word, followed by 1.5 seconds of
    silence and the same recording.
    """
    library = library_of("esp8266", tmp_path, heading)
    samples = np.concatenate([wake_word(), np.zeros(24_000, np.int16), wake_word(), np.zeros(512, np.int16)])
    samples.tofile(tmp_path / "readings")
    assert run_sketch(library, "Word", tmp_path / "run", readings=tmp_path / "readings") == ["Hey Jarvis"] * 2


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("heading", BOARDS)
def test_the_sketch_compiles_for_its_board(heading: str, tmp_path: Path):
    target, cxx = BOARDS[heading]
    need_tools(target)
    library, chip = library_of(target, tmp_path, heading), chip_of(target)
    freestanding = [f"-I{CORE / 'freestanding'}"] if "-ffreestanding" in chip.flags else []
    flags = [*chip.flags, *board(target).flags, *freestanding]
    sketch = library / "examples" / "Word" / "Word.ino"
    compile_sketch(library, sketch, tmp_path / "objects", prefix=chip.prefix, flags=flags, cxx=cxx)
