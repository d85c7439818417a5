"""The arenas of msf-CNN's chains (`programs.fused_chains`), compiled with plans that may compute values again."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from programs.fused_chains import CHAINS
from programs.graph_programs import program_of
from programs.sliced_networks import arena, inputs_of, outputs_on
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST
from tinyml.tools.driver.measure import first_mismatch
from tinyml.transforms.formats.plan_execution import PlanExecutionPass, streamed_segments

FREE = "free"
"""The limit on the factor of work that permits any amount of work."""

_ANY = 1_000_000
"""An amount of additional work, in percent, that no plan reaches."""

_known: dict[tuple[str, str], dict[str, Any]] = {}
"""The figures by chain and segments, because several limits often lead to the same plan."""


def recomputed(name: str, limit: str) -> dict[str, Any]:
    """The arena in bytes of a chain in the mode `strips`, with the input in the caller's array.

    `work`: the multiply-accumulates of the program, relative to those of the network.
    `equal`: the number of outputs for a random input. All agree in every bit between the host and ordinary execution.

    limit: the maximum of `work`, or `FREE`.
    """
    module = _chain(name)
    program = module.clone()
    extra = _ANY if limit == FREE else round(100 * (float(limit) - 1))
    PlanExecutionPass("strips", extra=extra).apply(context(), program)
    segments = streamed_segments(program)
    key = name, str(segments)
    if key not in _known:
        macs = CHAINS[name]().macs
        work = 1 + sum(int(segment["more_macs"]) for segment in segments) / macs
        _known[key] = {"work": round(work, 3), **compiled(module, program)}
    return _known[key]


@cache
def _chain(name: str) -> ModuleOp:
    module = program_of(CHAINS[name]())
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {}))
    return module


def compiled(module: ModuleOp, program: ModuleOp) -> dict[str, int]:
    """The bytes of the arena of a program on tensors, and the number of outputs that were compared.

    module: the program in ordinary execution.
    """
    pipelines.run(program, context(), pipelines.flatten("formats-to-buffers", {"plan": "ordinary"}))
    x = inputs_of(module, 1)
    expected, interface = evaluate(module, x), interface_of(module)
    with tempfile.TemporaryDirectory() as folder:
        got = outputs_on(HostRunner(), HOST, program, interface, x, Path(folder))
    assert first_mismatch(expected, got) is None
    return {"arena": arena(program), "equal": np.asarray(got.scores).size}
