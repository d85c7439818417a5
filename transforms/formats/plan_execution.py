"""`plan-execution`: chooses the segments of a network that are streamed, with the planner, and tiles them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.functions import defined_functions
from tinyml.transforms.formats.plans.network import network_of
from tinyml.transforms.formats.plans.streaming import Slice
from tinyml.transforms.formats.streaming.choice import slice_of, streaming_plan
from tinyml.transforms.formats.streaming.nest import stream


@dataclass(frozen=True)
class PlanExecutionPass(ModulePass):
    """Streams the segments of each function's plan.

    mode: `ordinary` or `rows`.
    """

    name = "plan-execution"
    mode: str = "rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        slices = {"ordinary": (), "rows": (Slice.ROW,), "pixels": (Slice.PIXEL,)}[self.mode]
        for function in defined_functions(op):
            network = network_of(function)
            plan = streaming_plan(network, slices)
            for segment in plan.segments:
                if (slice := slice_of(segment)) is not None:
                    stream(network, segment.first, segment.last, slice)
