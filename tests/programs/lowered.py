"""Programs lowered from formats (L1) to C, as far as a test needs them."""

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
    """The same module after the pipelines from `start` to `end`; it is verified as a whole after them."""
    names = STEPS[STEPS.index(start) : STEPS.index(end) + 1]
    steps = [step for name in names for step in pipelines.flatten(name, options)]
    pipelines.run(module, ctx or context(), steps)
    return module
