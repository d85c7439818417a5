"""What passes that choose between programs ask about levels below, which they know by the names of pipelines only."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from tinyml.dialects.context import context

TO_BUFFERS = ("refine-formats", "formats-to-buffers")
"""From a program as `assign-format` leaves it to packed memory..."""

TO_LOOPS = (*TO_BUFFERS, "buffers-to-loops")
"""...to loops..."""

TO_C = (*TO_LOOPS, "loops-to-bits", "bits-to-c")
"""...and to C."""

PROOF = "check-packing"
"""The pass that proves what others did; the program that is chosen will have it run."""


class Lowering:
    """Pipelines in order, and single passes after them; pipelines get those of the options that they take.

    Nothing is verified after each step, which would take most of the time.
    """

    def __init__(self, pipelines: tuple[str, ...], *more: str, **options: Any):
        available = Universe.get_multiverse().all_passes
        steps: list[str] = []
        for name in pipelines:
            made: Any = available[name]()
            taken = {field.name for field in fields(made)}
            steps += made(**{name: value for name, value in options.items() if name in taken}).steps()
        spec = ",".join([*(step for step in steps if step != PROOF), *more])
        self.context = context()
        self.passes = PassPipeline.parse_spec(available, spec)

    def apply(self, module: ModuleOp) -> None:
        """Changes a program."""
        self.passes.apply(self.context, module)
