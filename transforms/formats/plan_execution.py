"""`plan-execution`: chooses the segments of a network that are streamed, and tiles them as `tile-segment` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.formats.plans.network import network_of
from tinyml.transforms.formats.streaming.choice import SLICES, plan_of, slice_of
from tinyml.transforms.formats.streaming.nest import stream

PLAN = "tinyml.plan"
"""Attribute of a module: the streamed segments of its plan, each with its first and last op, and by what it runs."""


@dataclass(frozen=True)
class PlanExecutionPass(ModulePass):
    """Streams the segments of each function's plan, and records them in the attribute `tinyml.plan` of the module.

    mode: `ordinary` changes nothing; `rows` and `pixels` take the plan with the least peak, whose other segments are
    ordinary; `auto` takes the fastest plan with at most `ram` bytes alive, or that with the least peak. ram: without it
    `auto` is ordinary execution. Raises `InputError` for another mode, and except for `ordinary` for functions with
    loops, branches or batches of images, unless the mode is `auto`.
    """

    name = "plan-execution"
    mode: str = "auto"
    ram: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.mode not in SLICES:
            raise InputError(f"unknown mode of execution '{self.mode}'; there are {', '.join(SLICES)}")
        if self.mode == "ordinary" or (self.mode == "auto" and self.ram is None):
            return
        streamed: list[DictionaryAttr] = []
        for function in defined_functions(op):
            try:
                network = network_of(function)
            except InputError:
                if self.mode != "auto":
                    raise
                continue
            nodes = network.graph.nodes
            for segment in plan_of(network, self.mode, self.ram).segments:
                if (slice := slice_of(segment)) is not None:
                    stream(network, segment.first, segment.last, slice)
                    ends = {"first": nodes[segment.first].result, "last": nodes[segment.last].result}
                    values = {**ends, "by": f"{slice.value}s"}
                    streamed.append(DictionaryAttr({name: StringAttr(value) for name, value in values.items()}))
        if streamed:
            op.attributes[PLAN] = ArrayAttr(streamed)


def streamed_segments(module: ModuleOp) -> list[dict[str, str]]:
    """The streamed segments of a program: `first`, `last` and `by`."""
    recorded = module.attributes.get(PLAN)
    segments: list[dict[str, str]] = []
    for segment in cast("ArrayAttr[DictionaryAttr]", recorded) if recorded is not None else ():
        segments.append({name: cast(StringAttr, value).data for name, value in segment.data.items()})
    return segments
