"""`plan-execution`: chooses the segments of a network that are streamed or run in place, and rewrites them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.formats.plans.network import Network, network_of
from tinyml.transforms.formats.plans.segmentation import Segment
from tinyml.transforms.formats.streaming.choice import STEPS, by_of, plan_of
from tinyml.transforms.formats.streaming.nest import stream
from tinyml.transforms.formats.turning.choice import METHODS, run_in_turns, turned_plan

PLAN = "tinyml.plan"
"""Attribute of a module: the segments of its plan that are not ordinary, each with its first and last op, and `by`."""


@dataclass(frozen=True)
class PlanExecutionPass(ModulePass):
    """Executes each function by a plan, and records its segments in the attribute `tinyml.plan` of the module.

    mode: `ordinary` changes nothing; `rows` and `pixels` stream segments in the plan with the least peak, whose others
    are ordinary; in `replace`, `herringbone` and `single-transpose` convolutions run in place; `auto` takes the fastest
    plan with at most `ram` bytes alive, or that with the least peak, of those that stream. ram: without it `auto` is
    ordinary execution. Raises `InputError` for another mode, and except for `ordinary` for functions with loops,
    branches or batches of images, unless the mode is `auto`.
    """

    name = "plan-execution"
    mode: str = "auto"
    ram: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.mode not in (*STEPS, *METHODS):
            raise InputError(f"unknown mode of execution '{self.mode}'; there are {', '.join((*STEPS, *METHODS))}")
        if self.mode == "ordinary" or (self.mode == "auto" and self.ram is None):
            return
        segments: list[DictionaryAttr] = []
        for function in defined_functions(op):
            try:
                network = network_of(function)
            except InputError:
                if self.mode != "auto":
                    raise
                continue
            nodes = network.graph.nodes
            for segment, by in self._run(network):
                ends = {"first": nodes[segment.first].result, "last": nodes[segment.last].result}
                values = {**ends, "by": by}
                segments.append(DictionaryAttr({name: StringAttr(value) for name, value in values.items()}))
        if segments:
            op.attributes[PLAN] = ArrayAttr(segments)

    def _run(self, network: Network) -> Iterator[tuple[Segment, str]]:
        """Rewrites the segments that are not ordinary, and gives each with what it runs by."""
        if self.mode in METHODS:
            for segment in turned_plan(network, self.mode).segments:
                if segment.schedule == self.mode:
                    run_in_turns(network, segment.first, self.mode)
                    yield segment, self.mode
            return
        for segment in plan_of(network, self.mode, self.ram).segments:
            if (by := by_of(segment)) is not None:
                stream(network, segment.first, segment.last, by)
                yield segment, by.value


def streamed_segments(module: ModuleOp) -> list[dict[str, str]]:
    """The segments of a program that are not ordinary: `first`, `last` and `by`."""
    recorded = module.attributes.get(PLAN)
    segments: list[dict[str, str]] = []
    for segment in cast("ArrayAttr[DictionaryAttr]", recorded) if recorded is not None else ():
        segments.append({name: cast(StringAttr, value).data for name, value in segment.data.items()})
    return segments
