"""Lowering of programs with formats (L1) up to a given pipeline."""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines

STEPS = ("refine-formats", "formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c")


def lowered(
    module: ModuleOp,
    ctx: Context | None = None,
    *,
    start: str = "formats-to-buffers",
    end: str = "bits-to-c",
    **options: Any,
) -> ModuleOp:
    """Run the pipelines from `start` to `end` on a module, verify the module and return it.

    start, end: names in `STEPS`.
    options: the options of the pipelines.
    """
    names = STEPS[STEPS.index(start) : STEPS.index(end) + 1]
    steps = [step for name in names for step in pipelines.flatten(name, options)]
    pipelines.run(module, ctx or context(), steps)
    return module
