"""The packaging `idf`: a component of ESP-IDF, and an application that checks the model.

Sources: ESP-IDF's documentation, "Build System" (`idf_component_register`), and that of the component manager
(`idf_component.yml`).
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.cmake import example_words
from tinyml.tools.driver.packages.model_words import sentence, stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates"


_PRODUCTS = (
    *("*/test_apps/sdkconfig*", "*/test_apps/build", "*/test_apps/managed_components"),
    *("*/test_apps/dependencies.lock", "*/dist"),
)
"""What `idf.py` writes into the folder of the application, and `compote component pack` into that of the component."""

_CHIP = re.compile("esp32(?:s[23]|c[0-9]+|h[0-9]+|p4)?")


def idf_target(board: Board) -> str | None:
    """The name of a board's chip for `idf.py set-target`; None for boards without a chip of Espressif."""
    named = (_CHIP.search(name.lower().split(":")[2]) for name in board.arduino if name.split(":")[1] == "esp32")
    return next((chip[0] for chip in named if chip is not None), None)


def _files(model: PackagedModel) -> dict[str, str]:
    name, target = model.name, idf_target(model.board)
    assert target is not None
    words = example_words(model) | {
        "sentence": sentence(model),
        "component": name.lower(),
        "target": target,
        "samples": str(model.samples),
    }
    texts = {path.as_posix(): text for path, text in filled_templates(_TEMPLATES / "idf", words)}
    sources = {f"{name}/{name}.c": model.sources[f"{name}.c"], f"{name}/include/{name}.h": model.sources[f"{name}.h"]}
    return texts | sources | {f"{name}/test_apps/main/samples.h": stored_samples(model)}


def _lacks(board: Board) -> str | None:
    return None if idf_target(board) is not None else "has no chip of Espressif that ESP-IDF supports"


IDF = Packaging("idf", _files, _lacks, products=_PRODUCTS)
"""The packaging: `idf/NAME` is the component."""
