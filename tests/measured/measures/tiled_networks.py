"""The arenas of the networks in moiopt's tests (`programs.tiled_networks`), compiled with loops over channels."""

from __future__ import annotations

from typing import Any

from programs.graph_programs import program_of
from programs.sliced_networks import refined
from programs.tiled_networks import NETWORKS

from measured.measures.fused_chains import compiled
from tinyml.dialects.context import context
from tinyml.transforms.formats.plan_execution import PlanExecutionPass


def tiled(name: str) -> dict[str, Any]:
    """The arenas of a network in bytes, with its input: `ordinary`, and `channels` in loops with sums of 32 bits.

    `ratio`: `channels` relative to `ordinary`. `equal`: the number of outputs for a random input, which agree in every
    bit between the host and the evaluator in ordinary execution.
    """
    module = refined(program_of(NETWORKS[name]))
    ordinary, channels = module.clone(), module.clone()
    PlanExecutionPass("partial-32").apply(context(), channels)
    before, after = compiled(module, ordinary), compiled(module, channels)
    return {
        "ordinary": before["arena"],
        "channels": after["arena"],
        "ratio": after["arena"] / before["arena"],
        "equal": after["equal"],
    }
