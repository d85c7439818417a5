"""The packaging `platformio`: a project with the model as a separate library, and a program for the board.

Sources: the fields of `library.json` and `platformio.ini` in PlatformIO's documentation, and its schema
`platformio/assets/schema/library.json`.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tinyml.runtime.devices.toolchain import MODEL_FLAGS
from tinyml.tools.cli.filled_templates import filled, filled_templates
from tinyml.tools.driver.packages.arduino import library_files, sketch_names
from tinyml.tools.driver.packages.cmake import example_words
from tinyml.tools.driver.packages.model_words import sentence, stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_FOLDER = files("tinyml.tools.driver.packages") / "templates"

_SKETCHES = ("Serial", "SerialRows", "Listen", "SelfTest")
"""The sketches that can be the program, in order of preference."""

_PRODUCTS = ".gitignore", "include", "include/README", "lib/README", "test", "test/README"
"""What `pio project init` writes into the folder of a project."""

LONGEST_NAME, LONGEST_DESCRIPTION = 50, 255
"""Maximum characters of the name and of the description of a library."""


def manifest(model: PackagedModel) -> dict[str, Any]:
    """The fields of `library.json`."""
    platform = model.board.platformio.partition(":")[0]
    # Names consist of letters, digits and single dashes.
    name = "-".join(part for part in model.name.lower().split("_") if part)[:LONGEST_NAME].strip("-")
    fields: dict[str, Any] = {
        "$schema": "https://raw.githubusercontent.com/platformio/platformio-core/develop/platformio/assets/schema/library.json",
        "name": name,
        "version": "1.0.0",
        "description": sentence(model)[:LONGEST_DESCRIPTION],
        "keywords": ["machine-learning", "tinyml", "microcontroller"],
        "platforms": [platform],
        "headers": [f"{model.name}.h"],
        "build": {"flags": [flag for flag in MODEL_FLAGS if flag.startswith("-f")]},
    }
    return fields | ({"frameworks": ["arduino"]} if ":" in model.board.platformio else {})


def _files(model: PackagedModel) -> dict[str, str]:
    platform, _, board = model.board.platformio.partition(":")
    lines = [f"board = {board}", "framework = arduino", "monitor_speed = 115200"] if board else []
    words = {
        "environment": board or platform,
        "platform": platform,
        "board_lines": "\n".join(lines or ["build_flags = -D PRINT_ANSWERS"]),
    }
    templates = filled_templates(_FOLDER / "platformio", example_words(model) | words)
    library = f"lib/{model.name}"
    return (
        {f"{library}/src/{name}": text for name, text in model.sources.items()}
        | {f"{library}/library.json": json.dumps(manifest(model), indent=2) + "\n"}
        | {str(path): text for path, text in templates}
        | _program(model)
    )


def _program(model: PackagedModel) -> dict[str, str]:
    if ":" not in model.board.platformio:
        main = filled(_FOLDER / "cmake" / "main.c.in", example_words(model))
        return {"src/main.c": main, "src/samples.h": stored_samples(model)}
    sketch = next(name for name in _SKETCHES if name in sketch_names(model))
    library = library_files(model)
    samples = {"src/samples.h": stored_samples(model)} if sketch == "SelfTest" else {}
    return samples | {"src/main.cpp": "#include <Arduino.h>\n\n" + library[f"examples/{sketch}/{sketch}.ino"]}


def _lacks(board: Board) -> str | None:
    return None if board.platformio else "is not a board of PlatformIO"


PLATFORMIO = Packaging("platformio", _files, _lacks, products=_PRODUCTS)
"""The packaging: `platformio/` is the project."""
