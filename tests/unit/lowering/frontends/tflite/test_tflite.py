"""The TensorFlow Lite frontend: the interface of imported models, and its messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.lowered import lowered
from programs.printed import WARNING_FLAGS
from programs.streamed_tflite import spotter
from programs.tflite_models import TfliteModel, computed_by_tflm, inputs_of
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.toolchain import call_tool, execute
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data, reals_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST, chip_of
from tinyml.tools.main import main

UNIT = 0.5


def types(module: ModuleOp) -> tuple[str, str]:
    """The types of a program's input and of its first output."""
    function = predict_function(module)
    return str(function.function_type.inputs.data[0]), str(function.function_type.outputs.data[0])


def dense(model: TfliteModel, x: int, y: int) -> None:
    """Add a dense layer of 4 inputs and 3 outputs.

    x, y: the indices of its input and output tensors.
    """
    random = np.random.default_rng(3)
    weights = model.constant(random.integers(-127, 128, (3, 4)), "int8", scales=0.01)
    bias = model.constant(random.integers(-99, 99, 3), scales=UNIT * 0.01)
    model.op("FULLY_CONNECTED", [x, weights, bias], y)


def between_floats() -> bytes:
    """The bytes of a model of a dense layer between QUANTIZE and DEQUANTIZE."""
    model = TfliteModel()
    real, x = model.tensor((1, 4), "float32"), model.tensor((1, 4), "int8", UNIT, 3)
    y, result = model.tensor((1, 3), "int8", 0.25, -7), model.tensor((1, 3), "float32")
    model.op("QUANTIZE", [real], x)
    dense(model, x, y)
    model.op("DEQUANTIZE", [y], result)
    return model.finish([real], [result])


def test_conversions_at_the_ends_belong_to_the_interface():
    content = between_floats()
    module = read_tflite(content, "m.tflite")
    assert types(module) == (
        "tensor<1x4x!zeroskew.q<8, 0.5, 3>>",
        "tensor<1x3x!zeroskew.q<8, 0.25, -7>>",
    )
    raws = np.random.default_rng(0).integers(-128, 128, (6, 4)).astype(np.int8)
    [reals] = computed_by_tflm(content, ((raws.astype(np.float32) - 3) * np.float32(UNIT))[:, None])
    scores = evaluate(module, raws).scores
    assert scores is not None
    np.testing.assert_array_equal((scores.astype(np.float32) + 7) * np.float32(0.25), reals)


def _behind_a_transpose(permutation: list[int]) -> bytes:
    """The bytes of a model that transposes its input image (TRANSPOSE) and computes 2 x 2 maximum pools of the
    result.
    """
    shape = (1, 2, 3, 4)
    model = TfliteModel()
    x, y = model.tensor(shape, "int8", UNIT, 3), model.tensor([shape[axis] for axis in permutation], "int8", UNIT, 3)
    _, height, width, channels = (shape[axis] for axis in permutation)
    z = model.tensor((1, height // 2, width // 2, channels), "int8", UNIT, 3)
    model.op("TRANSPOSE", [x, model.constant(permutation)], y)
    model.op("MAX_POOL_2D", [y], z, Padding=1, StrideW=2, StrideH=2, FilterWidth=2, FilterHeight=2)
    return model.finish([x], [z])


@pytest.mark.parametrize("permutation", [[0, 2, 3, 1], [0, 3, 2, 1], [0, 1, 3, 2]])
def test_a_transpose_at_the_entrance(permutation: list[int], tmp_path: Path):
    """A TRANSPOSE of the input that moves channels to the end becomes the input's order of axes; other permutations
    remain as ops. Data have the order of the file in either case.
    """
    content = _behind_a_transpose(permutation)
    module = read_tflite(content, "m.tflite")
    is_order = permutation == [0, 2, 3, 1]
    assert tdsl.read_input(module).order == (tuple(permutation) if is_order else None)
    assert types(module)[0].startswith("tensor<1x3x4x2x" if is_order else "tensor<1x2x3x4x")
    assert any(isinstance(op, tdsl.TransposeOp) for op in module.walk()) != is_order
    raws = np.random.default_rng(4).integers(-128, 128, (5, 2, 3, 4)).astype(np.int8)
    np.savez(tmp_path / "x.npz", x=raws)
    data = load_program_data(module, str(tmp_path / "x.npz"))
    scores = evaluate(module, encode_inputs(module, data.x)).scores
    assert scores is not None
    [expected] = computed_by_tflm(content, raws[:, None])
    np.testing.assert_array_equal(scores.reshape(5, -1), expected.reshape(5, -1))


def test_unsigned_raws_are_signed_ones_less_128():
    random = np.random.default_rng(1)
    raws = random.integers(-128, 128, (8, 4))
    scores: list[Any] = []
    for dtype, zero in (("int8", 0), ("uint8", 128)):
        model = TfliteModel()
        x, y = model.tensor((1, 4), dtype, UNIT, 3 + zero), model.tensor((1, 3), dtype, 0.25, -7 + zero)
        weights = model.constant(np.arange(12).reshape(3, 4) + zero, dtype, scales=0.02, zero_point=2 + zero)
        model.op("FULLY_CONNECTED", [x, weights, model.constant([5, -6, 7], scales=0.01)], y)
        module = read_tflite(model.finish([x], [y]), "m.tflite")
        scores.append(evaluate(module, raws.astype(np.int8)).scores)
    np.testing.assert_array_equal(*scores)


def test_a_model_in_floats_is_a_program_on_reals():
    random = np.random.default_rng(2)
    model = TfliteModel()
    x, y = model.tensor((1, 5, 4, 2), "float32"), model.tensor((1, 5, 4, 3), "float32")
    z, last = model.tensor((1, 3), "float32"), model.tensor((1, 3), "float32")
    weights = model.constant(random.normal(size=(3, 3, 3, 2)), "float32")
    bias = model.constant(random.normal(size=3), "float32")
    model.op("CONV_2D", [x, weights, bias], y, Padding=0, StrideW=1, StrideH=1, FusedActivationFunction=3)
    model.op("MEAN", [y, model.constant([1, 2])], z)
    model.op("SOFTMAX", [z], last, Beta=1.0)
    content = model.finish([x], [last])
    module = read_tflite(content, "m.tflite")
    assert not tdsl.has_formats(module)
    inputs = random.normal(size=(4, 1, 5, 4, 2)).astype(np.float32)
    [expected] = computed_by_tflm(content, inputs)
    scores = evaluate_reals(module, inputs.reshape(4, -1)).scores
    assert scores is not None
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-6)


def small(kind: str, inputs: int = 1, **options: Any) -> bytes:
    """The bytes of a model of one operator on int8 tensors (1, 4).

    kind: the name of the operator.
    inputs: how often the input of the model is an operand of the operator.
    options: the options of the operator.
    """
    model = TfliteModel()
    x, y = (model.tensor((1, 4), "int8", UNIT, 3) for _ in range(2))
    model.op(kind, [x] * inputs, y, **options)
    return model.finish([x], [y])


def without_elements() -> bytes:
    """The bytes of a model of one operator LSTM, as the converter writes a quantised recurrent layer. Its second input
    is an unused tensor without elements.
    """
    model = TfliteModel()
    x, y, unused = (model.tensor(shape, "int8", UNIT, 3) for shape in ((1, 4), (1, 4), (0,)))
    model.op("LSTM", [x, unused], y)
    return model.finish([x], [y])


def wide_bias() -> bytes:
    model = TfliteModel()
    x, y = model.tensor((1, 4), "int8", UNIT, 3), model.tensor((1, 3), "int8", UNIT, 3)
    weights = model.constant(np.ones((3, 4)), "int8", scales=0.01)
    model.op("FULLY_CONNECTED", [x, weights, model.constant([1, 2, 3], "int64", scales=0.005)], y)
    return model.finish([x], [y])


def reversed_order() -> bytes:
    model = TfliteModel()
    x, y, z = (model.tensor((1, 4), "int8", UNIT, 3) for _ in range(3))
    model.op("RELU", [y], z)
    model.op("RELU", [x], y)
    return model.finish([x], [z])


def without_output() -> bytes:
    model = TfliteModel()
    x = model.tensor((1, 4), "int8", UNIT, 3)
    model.op("RELU", [x], [])
    return model.finish([x], [x])


def parts_along(axes: list[int]) -> bytes:
    model = TfliteModel()
    x, y, z = (model.tensor((1, extent), "int8", UNIT, 3) for extent in (4, 2, 2))
    model.op("SPLIT", [model.constant(axes), x], [y, z], NumSplits=2)
    return model.finish([x], [y, z])


def scales_per_pixel() -> bytes:
    model = TfliteModel()
    x, y = model.tensor((1, 4), "int8", [UNIT] * 4, 0), model.tensor((1, 3), "int8", UNIT, 3)
    weights = model.constant(np.ones((3, 4)), "int8", scales=0.01)
    model.op("FULLY_CONNECTED", [x, weights, model.constant([1, 2, 3], scales=0.005)], y)
    return model.finish([x], [y])


def sum_without_scales() -> bytes:
    model = TfliteModel()
    x, y = model.tensor((1, 4), "int8"), model.tensor((1, 4), "int8")
    model.op("ADD", [x, x], y, FusedActivationFunction=0)
    return model.finish([x], [y])


def other_extents(*shape: int) -> bytes:
    model = TfliteModel()
    x, y = model.tensor((1, 4), "int8", UNIT, 3), model.tensor(shape, "int8", UNIT, 3)
    model.op("BROADCAST_TO", [x, model.constant(shape)], y)
    return model.finish([x], [y])


def of_an_lstm(**changes: Any) -> bytes:
    """The bytes of a model of one LSTM.

    changes: options that differ from the default; `positions` lists optional inputs that are present.
    """
    model = TfliteModel()
    x, y = (model.tensor((1, 2, 3), "float32") for _ in range(2))
    square, row = model.constant(np.ones((3, 3)), "float32"), model.constant(np.ones(3), "float32")
    states = [model.tensor((1, 3), "float32", kept=True) for _ in range(2)]
    inputs = [x, *[square] * 8, *[-1] * 3, *[row] * 4, -1, -1, *states, *[-1] * 4]
    for position in changes.pop("positions", ()):
        inputs[position] = row
    options: dict[str, Any] = {"FusedActivationFunction": 4, **changes}
    model.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, y, **options)
    return model.finish([x], [y])


def scales_of_a_result() -> bytes:
    model = TfliteModel()
    x, y = model.tensor((1, 4), "int8", UNIT, 0), model.tensor((1, 4), "int8", [UNIT] * 4, 0)
    model.op("RELU", [x], y)
    return model.finish([x], [y])


def of_open_length() -> bytes:
    model = TfliteModel()
    x, y = (model.tensor((1, 1, 4), "int8", UNIT, 3, signature=(-1, -1, 4)) for _ in range(2))
    model.op("RELU", [x], y)
    return model.finish([x], [y])


def packed_of_other_extents() -> bytes:
    model = TfliteModel()
    x, y, shape = (
        model.tensor((1, 4), "int8", UNIT, 3),
        model.tensor((1, 4), "int8", UNIT, 3),
        model.tensor((3,), "int32"),
    )
    model.op("PACK", [model.constant(1), model.constant(4)], shape, ValuesCount=2)
    model.op("RESHAPE", [x, shape], y)
    return model.finish([x], [y])


def of_a_variable(begins: bool) -> bytes:
    """The bytes of a model that reads a variable and then assigns its input to it. The importer rejects the model in
    both cases.

    begins: whether the variable has an initial value. If so, its scale differs from that of the assigned tensor.
    """
    model = TfliteModel()
    x, kept = model.tensor((1, 4), "int8", UNIT, 3), model.tensor((1, 4), "int8", 2 * UNIT, 3)
    handle = model.variable("v", (1, 4), "int8", 3, scales=2 * UNIT, zero_point=3) if begins else model.handle("v")
    model.op("READ_VARIABLE", [handle], kept)
    model.op("ASSIGN_VARIABLE", [handle, x], [])
    return model.finish([x], [kept])


def wide(kind: str, before: str, after: str) -> bytes:
    """The bytes of a model of one operator between quantised tensors of two types.

    kind: the name of the operator.
    before, after: the types of its input and of its output.
    """
    model = TfliteModel()
    x = model.tensor((1, 4), before, UNIT)
    y = model.tensor((1, 4), after, 1 / 65536, -(1 << 15) if after == "int16" else 0)
    model.op(kind, [x], y, **({"Beta": 1.0} if kind == "SOFTMAX" else {}))
    return model.finish([x], [y])


def svdf_of(samples: int = 1, zero: int = 0, rank: int = 1) -> bytes:
    """The bytes of a model of one SVDF layer with two filters over three steps.

    samples: the number of samples in the input.
    zero: the zero point of the feature weights.
    rank: the rank that the layer states.
    """
    model = TfliteModel()
    x, y = model.tensor((samples, 4), "int8", UNIT, 3), model.tensor((samples, 2), "int8", UNIT, 3)
    features = model.constant(np.ones((2, 4)), "int8", scales=UNIT, zero_point=zero)
    time, bias = model.constant(np.ones((2, 3)), "int16", scales=UNIT), model.constant([1, 2], scales=UNIT)
    state = model.tensor((samples, 6), "int16", UNIT, kept=True)
    model.op("SVDF", [x, features, time, bias, state], y, Rank=rank)
    return model.finish([x], [y])


def sloped() -> bytes:
    """The bytes of a model of an 8-bit PRELU with 16-bit slopes."""
    model = TfliteModel()
    x, y = model.tensor((1, 4), "int8", UNIT, 3), model.tensor((1, 4), "int8", UNIT, 3)
    model.op("PRELU", [x, model.constant([1, 2, 3, 4], "int16", scales=UNIT)], y)
    return model.finish([x], [y])


def upsampled(shape_is_constant: bool) -> bytes:
    """The bytes of a model of a transposed convolution.

    shape_is_constant: whether the shape of its result is a constant; otherwise, it is an input of the model.
    """
    model = TfliteModel()
    shape = model.constant([1, 4, 4, 2]) if shape_is_constant else model.tensor((4,), "int32")
    x, y = model.tensor((1, 2, 2, 3), "int8", UNIT, 3), model.tensor((1, 4, 4, 2), "int8", UNIT, 3)
    weights = model.constant(np.ones((2, 2, 2, 3)), "int8", scales=UNIT)
    model.op("TRANSPOSE_CONV", [shape, weights, x], y, Padding=1, StrideW=2, StrideH=2)
    return model.finish([x] if shape_is_constant else [shape, x], [y])


def test_an_input_that_is_only_a_shape_is_none():
    texts = [str(read_tflite(upsampled(constant), "m.tflite")) for constant in (True, False)]
    assert texts[0] == texts[1]


REFUSED = {
    "filters of several samples": (svdf_of(samples=2), r"expected the features of one sample, got shape \(2, 4\)"),
    "filters with a zero point": (svdf_of(zero=5), "'t2' has the zero point 5, expected 0"),
    "filters of a rank": (svdf_of(rank=3), r"2 filters of rank 3, .* and a state of shape \(1, 6\) do not fit"),
    "slopes of 16 bits": (sloped(), "expected one type and slopes of int8, got int8, int8 and int16"),
    "input of 32 bits": (
        wide("QUANTIZE", "int32", "int8"),
        "'t0' is an input of 32 bits or an output of 16",
    ),
    "output without a sign": (
        wide("SOFTMAX", "int8", "int16"),
        "'t1' is an input of 32 bits or an output of 16",
    ),
    "numbers of 32 bits": (wide("RELU", "int8", "int32"), "'t1' has numbers of 32 bits, which only QUANTIZE converts"),
    "variable without a value": (of_a_variable(False), r"operator 1 \(READ_VARIABLE.*no CALL_ONCE gives the variable"),
    "variable of two scales": (
        of_a_variable(True),
        r"operator 3 \(ASSIGN_VARIABLE\): a variable of the type .* is assig",
    ),
    "open length": (
        of_open_length(),
        r"'t0' has shape \(\?, \?, 4\), .* convert the model with an input of known length",
    ),
    "shape": (
        packed_of_other_extents(),
        r"operator 0 \(PACK.*'t2' is declared as \(3,\), the operator computes \(2,\)",
    ),
    "no model": (b"x" * 40, "bytes 4 to 7 of the file are not TFL3"),
    "cut off": (between_floats()[:200], "the model is damaged"),
    "unsupported": (
        small("CUMSUM"),
        r"operator 0 \(CUMSUM, which computes 't1'\) is not supported: write it with other operators, or end",
    ),
    "loop": (
        small("WHILE"),
        r"operator 0 \(WHILE.* is not supported: convert recurrent layers unrolled; in Keras, LSTM",
    ),
    "cast": (small("CAST"), r"operator 0 \(CAST, .*not supported: floats become integers only as indices of GATHER"),
    "masking": (small("NOT_EQUAL"), r"\(NOT_EQUAL, .*: a layer Masking skips steps .*: train without it"),
    "sequence in integers": (without_elements(), "operators LSTM are not supported: convert recurrent layers unrolled"),
    "compiled for a processor": (
        small("CUSTOM ethos-u"),
        r"operator 0 \(CUSTOM ethos-u, .*not supported: give the file from before Vela",
    ),
    "unknown": (small("UNIQUE", 1), r"operator 0 \(UNIQUE, which computes 't1'\) is not supported"),
    "activation": (small("ADD", 2, FusedActivationFunction=4), "the activation TANH is not supported; supported are"),
    "beta": (small("SOFTMAX", Beta=2.0), r"operator 0 \(SOFTMAX, .*the factor beta must be 1, got 2.0"),
    "bias": (wide_bias(), "the bias 't3' is of type int64, expected int32"),
    "no output": (without_output(), r"operator 0 \(RELU\) has no output"),
    "two axes": (parts_along([0, 1]), r"operator 0 \(SPLIT, which computes 't1'\): expected one axis, got \[0, 1\]"),
    "scales of an input": (scales_per_pixel(), "'t0' has several scales, which only weights may have"),
    "scales of a result": (scales_of_a_result(), "'t1' has several scales, which only weights may have"),
    "peepholes": (of_an_lstm(positions=[9]), r"_LSTM, which computes 't1'\): an LSTM with peepholes is not supported"),
    "projection": (of_an_lstm(positions=[16]), "an LSTM with a projection is not supported"),
    "normalised gates": (of_an_lstm(positions=[20]), "an LSTM with normalised gates is not supported"),
    "activation of an LSTM": (of_an_lstm(FusedActivationFunction=1), "the activation RELU is not supported, only TANH"),
    "weights of an LSTM": (of_an_lstm(positions=[2]), r"the weights '.*' have shape \(3,\), which does not fit"),
    "no scales": (sum_without_scales(), r"operator 0 \(ADD, .*'t0' is of type int8 without a scale"),
    "fewer axes": (other_extents(4), r"operator 0 \(BROADCAST_TO, .*\(1, 4\) does not broadcast to \(4,\)"),
    "extents": (other_extents(2, 5), r"operator 0 \(BROADCAST_TO, .*\(1, 4\) does not broadcast to \(2, 5\)"),
    "order": (reversed_order(), "'t1' is read before an operator computes it"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_named(case: str):
    content, message = REFUSED[case]
    with pytest.raises(InputError, match=message) as error:
        read_tflite(content, "m.tflite")
    assert str(error.value).startswith("m.tflite: ")
    assert "\n" not in str(error.value)


def difference(scales: Sequence[float] | None) -> bytes:
    """The bytes of a model that subtracts two inputs.

    scales: the scales of both inputs; None for inputs in floats.
    """
    model = TfliteModel()
    dtype, used = ("float32", [None] * 3) if scales is None else ("int8", [*scales, UNIT])
    first, second, y = (model.tensor((1, 3), dtype, scale) for scale in used)
    model.op("SUB", [first, second], y)
    return model.finish([first, second], [y])


def test_several_inputs_are_parts_of_one():
    module = read_tflite(difference(None), "m.tflite")
    parts = (("t0", 3, 0, None), ("t1", 3, 3, None))
    assert interface_of(module).input_parts == parts
    x = np.random.default_rng(0).normal(size=(5, 6))
    scores = evaluate_reals(module, x).scores
    assert scores is not None
    np.testing.assert_allclose(scores, x[:, :3] - x[:, 3:], rtol=1e-6)
    assert interface_of(read_tflite(difference((UNIT, UNIT)), "m.tflite")).input_parts == parts


def test_inputs_have_quantisations_of_their_own(tmp_path: Path):
    """Reals and raws of a data file become the raws of each input, in Python and by `NAME_set` in C."""
    module = read_tflite(difference((UNIT, 2 * UNIT)), "m.tflite")
    formats = [str(part.format) for part in interface_of(module).input_parts]
    assert formats == [f"!zeroskew.q<8, {UNIT}, 0>", f"!zeroskew.q<8, {2 * UNIT}, 0>"]
    raws = np.array([[4, -2, 1, 4, 1, -3]])
    reals = raws * UNIT * [1, 1, 1, 2, 2, 2]
    np.testing.assert_array_equal(encode_inputs(module, reals), raws)
    np.testing.assert_array_equal(reals_of(module, raws), reals)
    (tmp_path / "net.tflite").write_bytes(difference((UNIT, 2 * UNIT)))
    program = tinyml.compile(tmp_path / "net.tflite", board="host")
    scores = program.scores({"t0": reals[:, :3], "t1": reals[:, 3:]})
    np.testing.assert_array_equal(scores, reals[:, :3] - reals[:, 3:])
    np.testing.assert_array_equal(program.scores(raws, raw=True), scores)


def test_inputs_of_several_types_are_refused():
    model = TfliteModel()
    first, second = model.tensor((1, 3), "int8", UNIT), model.tensor((1, 3), "int16", UNIT)
    outputs = [model.tensor((1, 3), dtype, UNIT) for dtype in ("int8", "int16")]
    for x, y in zip((first, second), outputs, strict=True):
        model.op("RELU", [x], y)
    with pytest.raises(InputError, match="expected inputs of one type, got 't0' of int8, 't1' of int16"):
        read_tflite(model.finish([first, second], outputs), "m.tflite")


@pytest.mark.long
def test_a_model_keeps_its_formats_from_file_to_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A quantised model keeps its formats: compiled without data, it has those of the file, and integers in a data file
    are its raws. Integers that are not raws of the format are rejected.
    """
    content = between_floats()
    (tmp_path / "net.tflite").write_bytes(content)
    out = tmp_path / "out"
    assert main(["compile", str(tmp_path / "net.tflite"), "-o", str(out), "--target", "host"]) == 0
    report = json.loads((out / "report.json").read_text())
    assert (report["format"], report["width"], report["accuracy"], report["samples"]) == ("zeroskew", 8, None, 0)
    raws = np.random.default_rng(0).integers(-128, 128, (5, 4)).astype(np.int8)
    np.savez(tmp_path / "x.npz", x=raws)
    saved = tmp_path / "y.npz"
    assert main(["run", str(out), "--data", str(tmp_path / "x.npz"), "--save", str(saved)]) == 0
    scores = evaluate(read_tflite(content, "m.tflite"), raws).scores
    with np.load(saved) as outputs:
        np.testing.assert_array_equal(outputs["scores"], scores)
        np.testing.assert_array_equal(outputs["labels"], np.argmax(outputs["scores"], 1))
    np.savez(tmp_path / "wide.npz", x=raws.astype(np.int16) + 100)
    assert main(["run", str(out), "--data", str(tmp_path / "wide.npz")]) == 1
    assert "is not the raw value of any !zeroskew.q<8, 0.5, 3>" in capsys.readouterr().err


CONVERTS = """\
#include <math.h>
#include <stdio.h>
#include "net.h"
int main(void) {
    for (int i = -4000; i <= 4000; i++) {
        net_set(0, (float)i / 40.0f);
        printf("%d ", net_input()[0]);
    }
    net_set(0, INFINITY);
    net_set(1, -INFINITY);
    net_set(2, NAN);
    printf("%d %d %d\\n", net_input()[0], net_input()[1], net_input()[2]);
    net_run();
    for (int i = 0; i < net_OUTPUT_LENGTH; i++)
        printf("%d %.9g ", net_scores()[i], (double)net_score(i));
    return 0;
}
"""


def test_conversions_beside_the_program(tmp_path: Path):
    """The C functions that convert inputs and outputs compute what QUANTIZE and DEQUANTIZE do, and compile without a
    warning.
    """
    module, ctx = read_tflite(between_floats(), "net.tflite"), context()
    lowered(module, ctx, start="refine-formats", target="host")
    write_c(module, ctx, "host", tmp_path)
    (tmp_path / "main.c").write_text(CONVERTS)
    flags = [*WARNING_FLAGS, "-Werror", "-ffp-contract=off", "-o", tmp_path / "converts"]
    call_tool(chip_of(HOST), "cc", [*flags, tmp_path / "main.c", tmp_path / "net.c", "-lm"])
    raws, reals = execute([tmp_path / "converts"], b"", "conversions").decode().split("\n")
    scaled = np.arange(-4000, 4001).astype(np.float32) / np.float32(40) / np.float32(UNIT)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled)) + 3
    expected = [*np.clip(rounded, -128, 127).astype(int), 127, -128, -128]
    assert [int(word) for word in raws.split()] == expected
    scores = reals.split()
    assert [float(word) for word in scores[1::2]] == [(int(raw) + 7) * 0.25 for raw in scores[::2]]


@pytest.mark.long
def test_formats_chosen_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.tflite").write_bytes(between_floats())
    x = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    np.savez(tmp_path / "val.npz", x=x, y=np.zeros(30, int))
    command = ["compile", str(tmp_path / "net.tflite"), "-o", str(tmp_path / "out"), "--quantization", "anew"]
    assert main(command) == 1
    assert "choosing number formats needs data: add --val" in capsys.readouterr().err
    assert main([*command, "--target", "host", "--val", str(tmp_path / "val.npz")]) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (report["format"], report["width"], report["samples"]) == ("fixed", 16, 30)
    assert "tdsl.matmul_sum" in (tmp_path / "out" / "ir" / "0-reals.mlir").read_text()
    search = ["--search", "maxscale", "--val", str(tmp_path / "val.npz")]
    assert main(["compile", str(tmp_path / "net.tflite"), "-o", str(tmp_path / "other"), *search]) == 1
    assert "--search needs --quantization anew" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--input", "callback"), "has a state and answers each frame that is pushed: omit --input"),
        (("--stride", "1"), "has a state and answers each frame that is pushed: omit --stride"),
        (("--plan", "rows"), "runs row by row and stores one frame in the arena: omit --plan"),
        (("--width", "8"), "keeps its number formats: --format, --width and --weights need --quantization anew"),
    ],
)
def test_a_model_with_a_state_streams(
    options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "net.tflite").write_bytes(spotter(0))
    out = tmp_path / "out"
    assert main(["compile", str(tmp_path / "net.tflite"), "-o", str(out), *options]) == 1
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
def test_samples_of_a_stream_are_sequences(tmp_path: Path):
    """For a model with a state, a sample is a sequence of frames. Its scores are those of TFLM after the last frame."""
    content = spotter(0)
    (tmp_path / "net.tflite").write_bytes(content)
    x = np.stack([inputs_of(content, 6, seed) for seed in range(3)])
    np.savez(tmp_path / "x.npz", x=x)
    program = tinyml.compile(tmp_path / "net.tflite", tmp_path / "x.npz", board="host")
    assert program.report.stream is not None
    assert (program.report.stream["steps"], program.report.stream["stride"]) == (6, 1)
    last = [computed_by_tflm(content, sample)[0][-1].astype(int) for sample in x]
    np.testing.assert_array_equal(np.round(program.scores(x, raw=True) * 256), last)
