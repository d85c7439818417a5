"""A detector like MinUn's, with fewer layers and on small images: RNNPool, bottlenecks, heads, boxes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from oracles.onnx_models import Array, onnxruntime
from programs.detections import average_precision, detections
from programs.devices import roomy
from programs.faces import FACES, Face, face_model, random_parameters
from programs.on_boards import difference, printed

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals

SMALL = Face(4, [(8, 1), (16, 2)], {0: True, 1: False}, ((4, 4), (8, 8)), height=8, width=16)


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return face_model(SMALL, random_parameters(SMALL, np.random.default_rng(1)))


@pytest.fixture(scope="module")
def images() -> Array:
    return np.random.default_rng(2).uniform(-1, 1, (1, SMALL.height * SMALL.width)).astype(np.float32)


def test_reals_of_a_face(model: onnx.ModelProto, images: Array):
    """The results of the detector's program on reals equal those of onnxruntime. The evaluator computes all patches of
    an image at once.
    """
    module = read_onnx(model.SerializeToString(), "face.onnx")
    session = onnxruntime.InferenceSession(model.SerializeToString())
    shape = 1, 1, SMALL.height, SMALL.width
    for image in images:
        expected = session.run(None, {"x": image.reshape(shape)})
        for mine, theirs in zip(evaluate_reals(module, image[None]).tensors, expected, strict=True):
            np.testing.assert_allclose(mine[0], theirs.ravel(), atol=1e-5)


@pytest.mark.long(seconds=10)
def test_bits_of_a_face(model: onnx.ModelProto, images: Array, tmp_path: Path):
    """All scores and boxes on a Cortex-M4 equal the evaluator's, with bottlenecks streamed by rows."""
    np.savez(tmp_path / "val.npz", x=images)
    module = read_onnx(model.SerializeToString(), "face.onnx")
    options = {"format": "fixed", "width": 8, "data": str(tmp_path / "val.npz"), "reuse_input": True, "plan": "rows"}
    pipelines.run(module, context(), pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, context(), pipelines.flatten("refine-formats", options))
    raws, board = encode_inputs(module, images), roomy("cortex-m4")
    source = printed(module, board, tmp_path / "c", options)
    assert difference(module, raws, source, runner_for(board), tmp_path / "build") is None
    scores, boxes = in_reals(module, evaluate(module, raws)).tensors
    assert detections(SMALL, scores[0].reshape(-1, 2), boxes[0].reshape(-1, 4))[0].shape[1] == 4


PROJECTIONS = {
    "face-a": [*[(30, 40, 32)] * 8, *[(15, 20, 96)] * 3, *[(15, 20, 128)] * 3],
    "face-b": [(15, 20, 32), (15, 20, 96), (15, 20, 96), (15, 20, 128)],
    "face-c": [(30, 40, 32), (30, 40, 32), (15, 20, 64), (15, 20, 64)],
}
"""MinUn, table 7: the images behind each bottleneck, of an input of 240 x 320 pixels."""


@pytest.mark.long
@pytest.mark.parametrize("name", PROJECTIONS)
def test_layers_of_table_7(name: str):
    """In the imported program, the result of the first convolution has 120 x 160 pixels with 4 channels. Each
    bottleneck doubles the channels, convolves them depthwise, and projects them to the shape in MinUn's table 7.
    """
    face = FACES[name]
    module = read_onnx(face_model(face, random_parameters(face, np.random.default_rng(1))).SerializeToString(), name)
    shapes = [tdsl.shape_of(op.results[0])[1:] for op in module.walk() if isinstance(op, tdsl.Conv2dOp)]
    assert shapes[0] == (120, 160, 4)
    heads = {2, 4}
    bottlenecks = [shape for shape in shapes[1:] if shape[-1] not in heads]
    assert bottlenecks[2::3] == PROJECTIONS[name]
    before = 64
    for wide, deep, (*_, channels) in zip(bottlenecks[::3], bottlenecks[1::3], bottlenecks[2::3], strict=True):
        assert wide[-1] == deep[-1] == 2 * before
        before = channels


def test_average_precision():
    """The average precision is 0.25 if the first box found is wrong, the second matches one of two true boxes, and the
    third matches the same true box again. After the second box, precision and recall are both 0.5.
    """
    true = np.array([[0.0, 0.0, 10.0, 10.0], [50.0, 50.0, 60.0, 60.0]])
    found = np.array([[20.0, 20.0, 30.0, 30.0], [0.0, 0.0, 10.0, 11.0], [0.0, 0.0, 10.0, 10.0]])
    assert average_precision([(found, np.array([0.9, 0.8, 0.7]))], [true]) == 0.5 * 0.5
