"""Files that TensorFlow's converter writes for Keras models compute the outputs of TensorFlow's interpreter and of
TFLM.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import mlir_22
from oracles.mlir_22 import TosaModule
from programs.paths import ROOT
from programs.streamed_networks import answers
from programs.tflite_models import computed_by_tflm
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.attributes import UNROLLED
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.evaluator.evaluator import evaluate, evaluate_reals
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.reals.roll_steps import RollStepsPass

FOLDER = ROOT / "tests/models/keras"
NAMES = sorted(file.stem for file in FOLDER.glob("*.tflite"))
BROKEN = "gru-16x8"

NOT_OF_TFLM = (
    *(f"{name}-{kind}" for name in ("sequence", "lstm", "gru") for kind in ("float", "int8", "16x8")),
    "images-dynamic",
)
"""Files that TFLM refuses or, as it takes shapes that are left open for those of one sample, computes wrongly."""

MOST = {"float": 1e-5, "dynamic": 0.03, "int8": 1, "16x8": 4}
"""The greatest difference from TensorFlow's interpreter. It rounds sums of dense layers once where TFLM rounds twice,
and for weights of 8 bits it rounds activations to 8 bits where the program computes in floats."""


def recorded(name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    with np.load(FOLDER / "expected.npz") as arrays:
        return arrays[f"{name}_x"], arrays[f"{name}_y"]


def computed(module: ModuleOp, x: NDArray[Any]) -> NDArray[Any]:
    scores = (evaluate if tdsl.has_formats(module) else evaluate_reals)(module, x.reshape(len(x), -1)).scores
    assert scores is not None
    return scores


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name != BROKEN and not name.startswith("spotter")])
def test_recorded_outputs(name: str):
    content, (x, expected) = (FOLDER / f"{name}.tflite").read_bytes(), recorded(name)
    module = read_tflite(content, f"{name}.tflite")
    module.verify()
    got = computed(module, x)
    assert np.abs(got.astype(np.float64) - expected).max() <= MOST[name.rpartition("-")[2]]
    if name not in NOT_OF_TFLM:
        [theirs] = computed_by_tflm(content, x)
        assert np.abs(got.astype(np.float64) - theirs).max() <= (1e-5 if got.dtype.kind == "f" else 0)


@pytest.mark.parametrize("name", ["lstm-float", "gru-float", "lstm-int8", "gru-of-one-int8", "lstm-16x8"])
def test_unrolled_steps(name: str):
    """Unrolled steps in floats become a loop; quantised steps, which differ in their scales, are recorded and become a
    loop on reals.
    """
    module = read_tflite((FOLDER / f"{name}.tflite").read_bytes(), f"{name}.tflite")
    if not name.endswith("float"):
        text = str(module.attributes[UNROLLED])
        assert "FULLY_CONNECTED" in text
        assert "their tensors have different types" in text
        assert not any(isinstance(op, scf.ForOp) for op in module.walk())
        pipelines.run(module, context(), [LiftToRealsPass(), RollStepsPass()])
        module.verify()
    assert UNROLLED not in module.attributes
    assert sum(isinstance(op, scf.ForOp) for op in module.walk()) == 1


@pytest.mark.long
@pytest.mark.skipif(not mlir_22.is_installed(), reason="needs Debian's mlir-22-tools")
@pytest.mark.parametrize("name", ["images-int8", "mobile-int8"])
def test_networks_in_tosa(name: str, tmp_path: Path):
    content, (x, _) = (FOLDER / f"{name}.tflite").read_bytes(), recorded(name)
    [mine] = TosaModule(read_tflite(content, "network.tflite"), tmp_path)(x)
    np.testing.assert_array_equal(mine, computed_by_tflm(content, x)[0])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["float", "int8", "mixed"])
def test_a_step_of_a_stream(kind: str):
    content, (x, expected) = (FOLDER / f"spotter-{kind}.tflite").read_bytes(), recorded(f"spotter-{kind}")
    whole = read_tflite(content, "spotter.tflite")
    if kind == "float":
        np.testing.assert_allclose(computed(whole, x[:2].reshape(1, -1)), expected[1:2], atol=1e-6)
        return
    got = [outputs.scores for outputs in answers(whole, 1, x.reshape(1, -1))]
    np.testing.assert_array_equal(np.concatenate([each for each in got if each is not None]), expected[1:])


def test_scales_that_the_converter_lost():
    message = r"the scales of 'arith.constant' must be .* got \[nan\]: .* in Keras, Input\(..., batch_size=1\) keeps it"
    with pytest.raises(InputError, match=message):
        read_tflite((FOLDER / f"{BROKEN}.tflite").read_bytes(), "gru.tflite")
