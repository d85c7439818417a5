"""Ops of a program keep their places in the input through every pass down to integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.ir import Operation

from tinyml.dialects.context import context
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import place
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.lowering.pipelines import flatten

ROOT = Path(__file__).parents[3]
_WITHOUT = ("builtin.module", "func.func", "func.return", "scf.yield")


def imported(path: Path) -> ModuleOp:
    return FRONTENDS.get(path.suffix.removeprefix("."))(path.read_bytes(), str(path))


def located(module: ModuleOp) -> set[Operation]:
    """The ops with a place in the input."""
    return {op for op in every_op(module) if isinstance(place(op.location), FileLineColLoc)}


def every_op(module: ModuleOp) -> set[Operation]:
    return {op for op in module.walk() if op.name not in _WITHOUT}


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("examples/protonn-gesturepod/protonn_gesturepod.sd", {"target": "uno"}),
        ("tests/models/small-network/small_network.sd", {"target": "cortex-m4"}),
    ],
)
def test_no_pass_loses_locations(model: str, options: dict[str, Any], tmp_path: Path):
    module = imported(ROOT / model)
    assert located(module) == every_op(module)
    [function] = defined_functions(module)
    elements = int(np.prod(function.function_type.inputs.data[0].get_shape()))  # type: ignore[attr-defined]
    np.savez(tmp_path / "x.npz", x=np.random.default_rng(0).standard_normal((8, elements)).astype("f4"))
    for step in flatten("reals-to-c", {"data": str(tmp_path / "x.npz"), **options}):
        if step.name == "lower-arith-to-c":
            break
        step.apply(context(), module)
        lost = every_op(module) - located(module)
        assert not lost, (step.name, sorted(op.name for op in lost))
