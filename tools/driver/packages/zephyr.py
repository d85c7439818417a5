"""The packaging `zephyr`: a module for west and `ZEPHYR_EXTRA_MODULES`, and a sample that checks the model.

Source: Zephyr's documentation, "Modules (External projects)" and "Test Runner (Twister)".
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from tinyml.targets.registry import chip_of
from tinyml.tools.cli.filled_templates import filled_templates
from tinyml.tools.driver.packages.cmake import example_words
from tinyml.tools.driver.packages.model_words import stored_samples
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

if TYPE_CHECKING:
    from tinyml.targets.board import Board

_TEMPLATES = files("tinyml.tools.driver.packages") / "templates"


def _files(model: PackagedModel) -> dict[str, str]:
    name = model.name
    words = example_words(model) | {"option": f"TINYML_{name.upper()}", "samples": str(model.samples)}
    texts = {path.as_posix(): text for path, text in filled_templates(_TEMPLATES / "zephyr", words)}
    sources = {
        f"{name}/src/{name}.c": model.sources[f"{name}.c"],
        f"{name}/include/{name}.h": model.sources[f"{name}.h"],
    }
    return texts | sources | {f"{name}/sample/src/samples.h": stored_samples(model)}


def _lacks(board: Board) -> str | None:
    if board.fabric is not None or chip_of(board.name).flash_attribute is not None:
        return "does not run Zephyr"
    return None


ZEPHYR = Packaging("zephyr", _files, _lacks, products=("twister-out*", "*/twister-out*", "build", "*/build"))
"""The packaging: `zephyr/NAME` is the module."""
