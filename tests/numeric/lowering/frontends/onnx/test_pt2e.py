"""Networks that PyTorch trained in 8 bits (PT2E), beside what their converted modules computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from programs.on_boards import difference, printed
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.tdsl import format_of
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, predict_function

MODELS = ROOT / "tests/models/pt2e"
NAMES = ("cnn", "depthwise", "residual")


def imported(name: str) -> tuple[ModuleOp, dict[str, NDArray[Any]]]:
    return read_onnx((MODELS / f"{name}.onnx").read_bytes(), name), dict(np.load(MODELS / f"{name}.npz"))


def result_format(module: ModuleOp) -> ZeroSkewType:
    last = predict_function(module).body.block.last_op
    assert last is not None
    format = format_of(last.operands[-1])
    assert isinstance(format, ZeroSkewType)
    return format


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_those_of_the_module(name: str):
    """No output is more than a step away. Biases are rounded to integers, which may move a sum over a border.

    99 % are equal, or as many as onnxruntime has, which also rounds the biases; of its products, which it rounds to
    floats, 1 in 1,000 may be rounded to another integer.
    """
    module, stored = imported(name)
    x, outputs = stored["x"], stored["outputs"]
    format = result_format(module)
    theirs = format.encode(outputs_of_onnxruntime(MODELS / f"{name}.onnx", x))
    expected = format.encode(outputs).astype(int)
    ours = evaluate(module, encode_inputs(module, x.reshape(len(x), -1))).scores
    assert ours is not None
    steps: NDArray[Any] = np.abs(ours.reshape(expected.shape) - expected)
    assert steps.max() <= 1
    same: NDArray[np.bool_] = theirs == expected
    assert np.mean(steps == 0) >= min(0.99, float(same.mean()) - 0.001)


def outputs_of_onnxruntime(file: Path, x: NDArray[Any]) -> NDArray[Any]:
    session: Any = onnxruntime.InferenceSession(file)
    [argument] = session.get_inputs()
    name: str = argument.name
    results: list[NDArray[Any]] = [session.run(None, {name: sample[None]})[0] for sample in x]
    return np.concatenate(results)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_rounded_to_even(name: str):
    module, _ = imported(name)
    assert result_format(module).halves_to_even
    assert "!zeroskew.f<" not in str(module)


@pytest.mark.parametrize(
    ("name", "board"),
    [("residual", "cortex-m4"), ("depthwise", "cortex-m0"), ("cnn", "uno"), ("cnn", "cortex-m55"), ("cnn", "riscv")],
)
def test_a_board_computes_the_bits_of_the_evaluator(name: str, board: str, tmp_path: Path):
    module, stored = imported(name)
    raws = encode_inputs(module, stored["x"][:3].reshape(3, -1))
    assert difference(module, raws, printed(module, board, tmp_path / "c"), runner_for(board), tmp_path / "b") is None
