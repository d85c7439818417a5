"""The table of ops: a function for each op, found by its decorator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.values import Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxGraph, OnnxNode

Inputs: TypeAlias = Sequence["Value | None"]
"""The values of a node's inputs; None for an omitted one."""

RunGraph: TypeAlias = Callable[[OnnxGraph, Sequence[Value]], Sequence[Value]]
"""Imports the nodes of a graph inside a node, given the values of its inputs, and returns those of its outputs."""

Handler: TypeAlias = Callable[[Builder, OnnxNode, Inputs], "Value | Sequence[Value]"]
"""Emits the ops of a node and returns its outputs, one for each name or fewer."""

LoopHandler: TypeAlias = Callable[[Builder, OnnxNode, Inputs, RunGraph], Sequence[Value]]

HANDLERS: dict[tuple[str, str], Handler] = {}
LOOPS: dict[str, LoopHandler] = {}


def handles(*ops: str, domain: str = "") -> Callable[[Handler], Handler]:
    """Register the handler of some ops of a domain."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update({(domain, op): handler for op in ops})
        return handler

    return register


def handles_loop(op: str) -> Callable[[LoopHandler], LoopHandler]:
    """Register the handler of an op with a graph inside."""

    def register(handler: LoopHandler) -> LoopHandler:
        LOOPS[op] = handler
        return handler

    return register


def needed(to: Builder, inputs: Inputs, position: int) -> Value:
    """A required input."""
    if position >= len(inputs) or (value := inputs[position]) is None:
        raise to.error(f"needs {position + 1} inputs")
    return value


def optional(inputs: Inputs, position: int) -> Value | None:
    return inputs[position] if position < len(inputs) else None
