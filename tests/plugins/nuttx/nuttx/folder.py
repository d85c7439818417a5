"""An application of NuttX, for the folder `apps/external`, which runs the model on stored samples."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from tinyml.extend.chips import Board
from tinyml.extend.programs import PackagedModel, Packaging, filled_templates, model_words, stored_samples


def _files(model: PackagedModel) -> Mapping[str, str]:
    words = model_words(model) | {"option": f"EXTERNAL_{model.name.upper()}"}
    texts = {path.as_posix(): text for path, text in filled_templates(files("nuttx") / "templates", words)}
    sources = {f"{model.name}/{name}": text for name, text in model.sources.items()}
    return texts | sources | {f"{model.name}/samples.h": stored_samples(model)}


def _lacks(board: Board) -> str | None:
    return "runs no operating system" if board.fabric is not None else None


NUTTX = Packaging("nuttx", _files, _lacks, products=("*/Make.dep", "*/.built", "*/.depend", "*/Kconfig.menu"))
