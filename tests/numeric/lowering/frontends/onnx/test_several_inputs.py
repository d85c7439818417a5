"""Models with several inputs become programs with one input array."""

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
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals
from tinyml.runtime.model.data import load_data
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.main import main


def two_inputs() -> onnx.ModelProto:
    """A model that computes scores from three numbers and an image of 1 x 2 x 2."""
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


def test_one_array_for_two_inputs_is_refused_by_the_inputs(arrays: dict[str, Array], tmp_path: Path):
    parts = interface_of(imported(two_inputs())).input_parts
    np.savez(tmp_path / "data.npz", x=arrays["image"].reshape(20, -1))
    said = "program expects 7 for its 2 inputs, `x` of 3, `image` of 4: give an array for each"
    with pytest.raises(InputError, match=said):
        load_data(str(tmp_path / "data.npz"), elements=7, parts=parts)


def test_data_sets_hold_an_array_for_each_input_or_one_for_all(arrays: dict[str, Array], tmp_path: Path):
    parts = interface_of(imported(two_inputs())).input_parts
    assert parts == (("x", 3, 0, None), ("image", 4, 3, None))
    file = str(tmp_path / "data.npz")
    np.savez(file, x=arrays["x"], image=arrays["image"])
    apart = load_data(file, elements=7, parts=parts)
    np.savez(file, x=np.concatenate([arrays["x"], arrays["image"].reshape(20, 4)], axis=1))
    assert np.array_equal(apart.x, load_data(file, elements=7, parts=parts).x)

    np.savez(file, x=arrays["x"], image=arrays["image"][:5])
    with pytest.raises(InputError, match="`image` contains 5 samples, other inputs 20"):
        load_data(file, elements=7, parts=parts)
    np.savez(file, image=arrays["image"])
    with pytest.raises(InputError, match="has no array `x` for this input of the model"):
        load_data(file, elements=7, parts=parts)


@pytest.mark.long
def test_the_header_says_where_each_input_begins(arrays: dict[str, Array], tmp_path: Path):
    file, data, out = tmp_path / "two.onnx", tmp_path / "val.npz", tmp_path / "out"
    file.write_bytes(two_inputs().SerializeToString())
    np.savez(data, x=arrays["x"], image=arrays["image"])
    assert main(["compile", str(file), "--val", str(data), "--width", "16", "--target", "host", "-o", str(out)]) == 0
    header = (out / "two.h").read_text()
    assert "#define two_INPUT_AT_x 0 /* index of the first of 3 elements of x */" in header
    assert "#define two_INPUT_AT_image 3 /* index of the first of 4 elements of image */" in header


def quantised_inputs(*, alike: bool) -> onnx.ModelProto:
    """A model that adds two inputs of 3 numbers and quantises the sum. The first input is quantised.

    alike: whether the second input is quantised, too.
    """
    scales = {"s": 0.25, "t": 0.5, "u": 0.25}
    constants: dict[str, Array] = {name: np.array(scale, np.float32) for name, scale in scales.items()}
    constants |= {name: np.array(point, np.int8) for name, point in {"p": 3, "q": -7, "r": 1}.items()}
    second = [node("QuantizeLinear", "z t q", "b"), node("DequantizeLinear", "b t q", "d")] if alike else []
    nodes = [
        node("QuantizeLinear", "x s p", "a"),
        node("DequantizeLinear", "a s p", "c"),
        *second,
        node("Add", "c d" if alike else "c z", "e"),
        node("QuantizeLinear", "e u r", "f"),
        node("DequantizeLinear", "f u r"),
    ]
    result = model(nodes, [1, 3], constants)
    result.graph.input.append(helper.make_tensor_value_info("z", FLOAT, [1, 3]))
    return result


def test_quantised_inputs_are_raws_in_formats_of_their_own():
    module = imported(quantised_inputs(alike=True))
    x, z = interface_of(module).input_parts
    assert (str(x.format), str(z.format)) == ("!zeroskew.f<8, 0.25, 3>", "!zeroskew.f<8, 0.5, -7>")
    inputs = np.random.default_rng(5).normal(scale=8, size=(30, 6)).astype(np.float32)
    session = onnxruntime.InferenceSession(quantised_inputs(alike=True).SerializeToString())
    expected = [session.run(None, {"x": each[None, :3], "z": each[None, 3:]})[0].ravel() for each in inputs]
    scores = in_reals(module, evaluate(module, encode_inputs(module, inputs))).scores
    np.testing.assert_array_equal(scores, np.array(expected))


def test_inputs_of_which_one_stays_in_floats_are_floats():
    module = imported(quantised_inputs(alike=False))
    assert [part.format for part in interface_of(module).input_parts] == [None, None]
    assert interface_of(module).input_ctype == "float"


def test_classes_keep_their_labels():
    """The program of a scikit-learn pipeline that was exported with a separate input for each column returns the
    pipeline's labels, which are strings.
    """
    data = halves("iris")
    labels = np.array(["setosa", "versicolor", "virginica"])[data.y]
    estimator = sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression()).fit(data.x, labels)
    columns = [(name, skl2onnx.common.data_types.FloatTensorType([None, 1])) for name in ("a", "b", "c", "d")]
    exported = skl2onnx.to_onnx(estimator, initial_types=columns)
    module = read_onnx(exported.SerializeToString(), "model.onnx")
    assert tdsl.read_interface(module).classes == tuple(estimator.classes_.tolist())
    assert interface_of(module).input_parts == tuple((name, 1, i, None) for i, (name, _) in enumerate(columns))
    np.testing.assert_array_equal(answers(module, evaluate_reals(module, data.held_x)), estimator.predict(data.held_x))
