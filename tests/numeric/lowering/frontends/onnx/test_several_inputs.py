"""Models of several inputs are programs that take one array."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from oracles.onnx_models import FLOAT, Array, imported, model, node, onnxruntime
from programs.estimators import answers, halves, sk, skl2onnx

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.main import main


def two_inputs() -> onnx.ModelProto:
    """Scores of three numbers and of an image of 1 x 2 x 2."""
    random = np.random.default_rng(3)
    constants = {"w": random.normal(size=(5, 3)).astype(np.float32)}
    constants |= {"f": random.normal(size=(2, 1, 2, 2)).astype(np.float32)}
    nodes = [
        node("Conv", "image f", "c"),
        node("Flatten", "c", "p"),
        node("Concat", "x p", "all", axis=1),
        node("MatMul", "all w"),
    ]
    result = model(nodes, ["N", 3], constants)
    result.graph.input.append(helper.make_tensor_value_info("image", FLOAT, ["N", 1, 2, 2]))
    return result


@pytest.fixture
def arrays() -> dict[str, Array]:
    random = np.random.default_rng(4)
    shapes = {"x": (20, 3), "image": (20, 1, 2, 2)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def test_the_program_computes_what_onnxruntime_does(arrays: dict[str, Array]):
    session = onnxruntime.InferenceSession(onnx.shape_inference.infer_shapes(two_inputs()).SerializeToString())
    samples = ({name: array[[i]] for name, array in arrays.items()} for i in range(20))
    expected = np.concatenate([session.run(None, sample)[0] for sample in samples])
    joined = np.concatenate([array.reshape(20, -1) for array in arrays.values()], axis=1)
    got = evaluate_reals(imported(two_inputs()), joined).scores
    assert got is not None
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_data_sets_hold_an_array_for_each_input_or_one_for_all(arrays: dict[str, Array], tmp_path: Path):
    parts = interface_of(imported(two_inputs())).input_parts
    assert parts == (("x", 3, 0), ("image", 4, 3))
    file = str(tmp_path / "data.npz")
    np.savez(file, x=arrays["x"], image=arrays["image"])
    apart = load_data(file, elements=7, parts=parts)
    np.savez(file, x=np.concatenate([arrays["x"], arrays["image"].reshape(20, 4)], axis=1))
    assert np.array_equal(apart.x, load_data(file, elements=7, parts=parts).x)

    np.savez(file, x=arrays["x"], image=arrays["image"][:5])
    with pytest.raises(InputError, match="`image` holds 5 samples, other inputs 20"):
        load_data(file, elements=7, parts=parts)
    np.savez(file, image=arrays["image"])
    with pytest.raises(InputError, match="has no array `x` for this input of the model"):
        load_data(file, elements=7, parts=parts)


def test_the_header_says_where_each_input_begins(arrays: dict[str, Array], tmp_path: Path):
    file, data, out = tmp_path / "two.onnx", tmp_path / "val.npz", tmp_path / "out"
    file.write_bytes(two_inputs().SerializeToString())
    np.savez(data, x=arrays["x"], image=arrays["image"])
    assert main(["compile", str(file), "--val", str(data), "--width", "16", "--target", "host", "-o", str(out)]) == 0
    header = (out / "two.h").read_text()
    assert "#define two_INPUT_x 0 /* index of the first of 3 elements of x */" in header
    assert "#define two_INPUT_image 3 /* index of the first of 4 elements of image */" in header


def test_classes_keep_their_labels():
    """Of a pipeline of scikit-learn that was exported with an input for each column."""
    data = halves("iris")
    labels = np.array(["setosa", "versicolor", "virginica"])[data.y]
    estimator = sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()).fit(data.x, labels)
    columns = [(name, skl2onnx.common.data_types.FloatTensorType([None, 1])) for name in ("a", "b", "c", "d")]
    exported = skl2onnx.to_onnx(estimator, initial_types=columns)
    module = read_onnx(exported.SerializeToString(), "model.onnx")
    assert tdsl.read_interface(module).classes == tuple(estimator.classes_.tolist())
    assert interface_of(module).input_parts == tuple((name, 1, i) for i, (name, _) in enumerate(columns))
    np.testing.assert_array_equal(answers(module, evaluate_reals(module, data.held_x)), estimator.predict(data.held_x))
