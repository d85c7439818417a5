"""Quantised networks in TOSA, executed by MLIR 22, compared with the evaluator and TensorFlow Lite Micro."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from oracles.mlir_22 import TosaModule
from programs.tflite_models import computed_by_tflm, inputs_of
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.lowering.tdsl_to_tosa import LowerTdslToTosaPass
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function

SAMPLES = 10
ARENA = 1 << 24
"""Bytes that TFLM may use for a network."""


def in_tosa(model: Path) -> dict[str, Any]:
    """The figures of a network with one input and one output on random raws.

    `bytes`: the bytes that all layers compute for a sample.
    `differ`: the bytes of all samples that differ from the evaluator's or, for the output, from TFLM's.
    `ops`: the number of TOSA ops without constants.
    """
    content = model.read_bytes()
    x = inputs_of(content, SAMPLES)
    program = read_tflite(content, model.name)
    lowered = program.clone()
    LowerTdslToTosaPass().apply(context(), lowered)
    ops = sum(op.name.startswith("tosa.") and bool(op.operands) for op in lowered.walk())
    _return_layers(program)
    [argument] = predict_function(program).args
    # A program takes channels last, whatever its file begins with.
    image = x if x.shape[1:] == tdsl.shape_of(argument) else np.moveaxis(x, 2, -1)
    computed = evaluate(program, image.reshape(SAMPLES, -1))
    with tempfile.TemporaryDirectory() as folder:
        found = TosaModule(program, Path(folder))(image)
    [theirs] = computed_by_tflm(content, x, arena=ARENA)
    assert computed.scores is not None
    pairs = [(found[0], theirs), *zip(found, (computed.scores, *computed.more), strict=True)]
    differ = sum(int((mine != other.reshape(SAMPLES, -1)).sum()) for mine, other in pairs)
    return {"samples": SAMPLES, "bytes": sum(mine.shape[1] for mine in found), "differ": differ, "ops": ops}


def _return_layers(program: ModuleOp) -> None:
    """Append the results of all layers of a program to the values that it returns."""
    function = predict_function(program)
    returned = function.body.block.last_op
    assert isinstance(returned, func.ReturnOp)
    layers = [
        op.out
        for op in function.body.block.ops
        if isinstance(op, tdsl.ContractionOp | tdsl.PoolOp | tdsl.UnaryOp | tdsl.BinaryOp)
        if op.out not in returned.operands
    ]
    returned.operands = [*returned.operands, *layers]
    types = function.function_type.inputs.data, [result.type for result in returned.operands]
    function.function_type = FunctionType.from_lists(*types)
