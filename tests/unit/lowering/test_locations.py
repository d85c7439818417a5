"""Ops of a program keep their places in the input, or their names there, through every pass down to integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FileLineColLoc, LocationAttr, ModuleOp, NameLoc, UnknownLoc
from xdsl.ir import Operation

from tinyml.dialects.context import context
from tinyml.dialects.functions import defined_functions
from tinyml.lowering.frontends.importers import importers
from tinyml.lowering.pipelines import flatten

ROOT = Path(__file__).parents[3]
_WITHOUT = ("builtin.module", "func.func", "func.return", "scf.yield")


def imported(path: Path) -> ModuleOp:
    return importers()[path.suffix.removeprefix(".")]()(path.read_bytes(), str(path))


def located(module: ModuleOp, kind: type[LocationAttr] | None = None) -> set[Operation]:
    """The ops that have a location; kind: a location of this class, inside names."""

    def innermost(location: LocationAttr) -> LocationAttr:
        while isinstance(location, NameLoc):
            location = location.location
        return location

    ops = (op for op in module.walk() if op.name not in _WITHOUT)
    if kind is not None:
        return {op for op in ops if isinstance(innermost(op.location), kind)}
    return {op for op in ops if not isinstance(op.location, UnknownLoc)}


def every_op(module: ModuleOp) -> set[Operation]:
    return {op for op in module.walk() if op.name not in _WITHOUT}


@pytest.mark.parametrize(
    ("model", "options", "kind"),
    [
        ("examples/protonn-gesturepod/protonn_gesturepod.sd", {"target": "uno"}, FileLineColLoc),
        ("tests/models/small-network/small_network.sd", {"target": "cortex-m4"}, FileLineColLoc),
        ("tests/models/pytorch/cnn-script.onnx", {"target": "cortex-m4", "plan": "rows"}, None),
        ("tests/models/pytorch/lstm-script.onnx", {"target": "uno"}, None),
    ],
)
def test_no_pass_loses_locations(model: str, options: dict[str, Any], kind: type[LocationAttr] | None, tmp_path: Path):
    module = imported(ROOT / model)
    assert located(module, kind) == every_op(module)
    [function] = defined_functions(module)
    elements = int(np.prod(function.function_type.inputs.data[0].get_shape()))  # type: ignore[attr-defined]
    np.savez(tmp_path / "x.npz", x=np.random.default_rng(0).standard_normal((8, elements)).astype("f4"))
    for step in flatten("reals-to-c", {"data": str(tmp_path / "x.npz"), **options}):
        if step.name == "lower-arith-to-c":
            break
        step.apply(context(), module)
        lost = every_op(module) - located(module, kind)
        assert not lost, (step.name, sorted(op.name for op in lost))
