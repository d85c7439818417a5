"""Imported models compute the bytes that TensorFlow Lite Micro computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import mlir_22
from oracles.mlir_22 import TosaModule
from programs.devices import DEVICES, roomy
from programs.lowered import lowered
from programs.spread import examples, spread
from programs.tflite_models import (
    NONE,
    RELU,
    RELU6,
    RELU_N1_TO_1,
    SAME,
    TYPES,
    VALID,
    TfliteModel,
    computed_by_tflm,
    inputs_of,
    raws,
    weighted,
)

from tinyml.dialects.context import context
from tinyml.dialects.formats.zeroskew.numbers import LEAST_SHIFT
from tinyml.dialects.machine.runtime_functions import requantize
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import DEFAULT_TARGET, HOST
from tinyml.tools.driver.measure import first_mismatch

SHAPE = (1, 6, 7, 4)
ONE, TWO = {"StrideW": 1, "StrideH": 1}, {"StrideW": 2, "StrideH": 2}


def compared(content: bytes, x: NDArray[Any], outputs: int = 1) -> None:
    """Assert that the evaluator computes TFLM's bytes for an imported model.

    x: inputs in the form that the file specifies.
    outputs: the number of outputs of the model.
    """
    module = read_tflite(content, "network.tflite")
    module.verify()
    got = evaluate(module, x.reshape(len(x), -1))
    for mine, theirs in zip((got.scores, *got.more), computed_by_tflm(content, x, outputs), strict=True):
        assert mine is not None
        np.testing.assert_array_equal(mine, theirs)


def every_operator(dtype: str, *, but: str = "") -> tuple[bytes, int]:
    """The bytes of a model of many operators, and its number of outputs. The operators read the input or the results of
    other operators, and the result of each is an output.

    dtype: the type of the activations, int8 or int16, which determines the operators.
    but: `L2_NORMALIZATION` to omit this operator.
    """
    random = np.random.default_rng(1)
    wide = dtype == "int16"
    unit, zero = (0.05 / 256, 0) if wide else (0.05, 3)
    model = TfliteModel()
    x = model.tensor(SHAPE, dtype, unit, zero)
    outputs: list[int] = []

    def result(shape: Any, scale: float = 0.1, zero_point: int = -5) -> int:
        index = model.tensor(shape, dtype, scale / 256 if wide else scale, 0 if wide else zero_point)
        outputs.append(index)
        return index

    def same(shape: Any) -> int:
        outputs.append(model.tensor(shape, dtype, unit, zero))
        return outputs[-1]

    other = model.constant(raws(random, (1, 1, 1, 4), dtype), dtype, scales=unit * 1.5, zero_point=0 if wide else 7)
    weighted(
        model,
        "CONV_2D",
        x,
        (5, 3, 3, 4),
        result((1, 3, 4, 5)),
        random,
        Padding=SAME,
        **TWO,
        FusedActivationFunction=RELU6,
    )
    if not wide:
        weighted(
            model, "CONV_2D", x, (4, 2, 3, 2), result((1, 5, 3, 4)), random, Padding=VALID, **ONE, DilationWFactor=2
        )
    # A dilation along an axis with a single tap spreads nothing.
    for kernel, out in (((1, 1), (6, 7)), ((3, 1), (4, 7)), ((1, 3), (6, 5))):
        gaps = dict(DilationHFactor=2 if kernel[0] == 1 else 1, DilationWFactor=2 if kernel[1] == 1 else 1)
        weighted(model, "CONV_2D", x, (5, *kernel, 4), result((1, *out, 5)), random, Padding=VALID, **ONE, **gaps)
    weighted(
        model,
        "DEPTHWISE_CONV_2D",
        x,
        (1, 3, 2, 8),
        result((1, 6, 7, 8)),
        random,
        Padding=SAME,
        **ONE,
        DepthMultiplier=2,
    )
    weighted(model, "FULLY_CONNECTED", x, (3, 168), result((1, 3), 0.5), random, FusedActivationFunction=RELU)
    model.op("MAX_POOL_2D", [x], same((1, 3, 4, 4)), Padding=SAME, **TWO, FilterWidth=3, FilterHeight=2)
    model.op("AVERAGE_POOL_2D", [x], same((1, 4, 5, 4)), Padding=VALID, **ONE, FilterWidth=3, FilterHeight=3)
    model.op("AVERAGE_POOL_2D", [x], same((1, 3, 4, 4)), Padding=SAME, **TWO, FilterWidth=3, FilterHeight=3)
    model.op("MEAN", [x, model.constant([1, 2])], result((1, 4), 0.02), KeepDims=False)
    model.op("ADD", [x, other], result(SHAPE), FusedActivationFunction=RELU_N1_TO_1)
    model.op("SUB", [x, other], result(SHAPE))
    model.op("MUL", [x, other], result(SHAPE, 0.4), FusedActivationFunction=NONE)
    model.op("LEAKY_RELU", [x], result(SHAPE), Alpha=0.15)
    model.op("PAD", [x, model.constant([[0, 0], [1, 0], [2, 1], [0, 0]])], same((1, 7, 10, 4)))
    model.op("RESHAPE", [x, model.constant([1, 168])], same((1, 168)))
    model.op("TRANSPOSE", [x, model.constant([0, 3, 1, 2])], same((1, 4, 6, 7)))
    model.op("SLICE", [x, model.constant([0, 1, 2, 0]), model.constant([1, 3, -1, 2])], same((1, 3, 5, 2)))
    ends = [model.constant(numbers) for numbers in ([0, 0, 6, 0], [1, 6, 0, 4], [1, 2, -2, 1])]
    model.op("STRIDED_SLICE", [x, *ends], same((1, 3, 3, 4)), BeginMask=0, EndMask=0)
    model.op("CONCATENATION", [x, x], same((1, 6, 7, 8)), Axis=3)
    parts = [same((1, 6, 7, 2)), same((1, 6, 7, 2))]
    model.op("SPLIT", [model.constant(3), x], parts, NumSplits=2)
    model.op("SPLIT_V", [x, model.constant([2, -1]), model.constant(2)], [same((1, 6, 2, 4)), same((1, 6, 5, 4))])
    rows = [same((1, 7, 4)) for _ in range(6)]
    model.op("UNPACK", [x], rows, Axis=1, Num=6)
    model.op("PACK", rows[::-1], same((1, 7, 6, 4)), Axis=-2, ValuesCount=6)
    model.op("BROADCAST_TO", [rows[2], model.constant([2, 3, 7, 4])], same((2, 3, 7, 4)))
    model.op("QUANTIZE", [x], result(SHAPE, 0.07))
    single = model.constant(np.maximum(raws(random, (1, 3, 3, 4)), -127), "int8", scales=0.013)
    start = model.constant([90], "int64" if wide else "int32", scales=unit * 0.013)
    model.op("CONV_2D", [x, single, start], result((1, 4, 5, 1), 0.3), Padding=VALID, **ONE)
    if wide:
        for kind in ("LOGISTIC", "TANH", "SOFTMAX"):
            outputs.append(model.tensor(SHAPE, dtype, 2.0**-15))
            model.op(kind, [x], outputs[-1], **({"Beta": 1.0} if kind == "SOFTMAX" else {}))
    else:
        model.op(
            "PADV2",
            [
                x,
                model.constant([[0, 0], [0, 1], [0, 0], [0, 0]]),
                model.constant(9, dtype, scales=unit, zero_point=zero),
            ],
            same((1, 7, 7, 4)),
        )
        for kind, scale, zero_point in (("LOGISTIC", 2.0**-8, -128), ("TANH", 2.0**-7, 0), ("HARD_SWISH", 0.04, -20)):
            outputs.append(model.tensor(SHAPE, dtype, scale, zero_point))
            model.op(kind, [x], outputs[-1])
        model.op("RELU", [x], result(SHAPE, 0.06))
        limit = model.constant(-40, dtype, scales=unit, zero_point=zero)
        model.op("MAXIMUM", [x, limit], floor := same(SHAPE))
        model.op("MINIMUM", [limit, x], same(SHAPE))
        model.op("RELU6", [x], six := same(SHAPE))
        model.op("MAXIMUM", [floor, six], same(SHAPE))
        model.op("REDUCE_MAX", [x, model.constant([1, 2])], same((1, 4)), KeepDims=False)
        model.op("REVERSE_V2", [x, model.constant([2])], same(SHAPE))
        outputs.append(model.tensor(SHAPE, dtype, 2.0**-8, -128))
        model.op("SOFTMAX", [x], outputs[-1], Beta=1.0)
        if but != "L2_NORMALIZATION":
            outputs.append(model.tensor(SHAPE, dtype, 2.0**-7))
            model.op("L2_NORMALIZATION", [x], outputs[-1], FusedActivationFunction=NONE)
        size = model.constant([12, 14])
        model.op("RESIZE_NEAREST_NEIGHBOR", [x, size], same((1, 12, 14, 4)), HalfPixelCenters=True)
    shape, padding = (1, 13, 14, 3), VALID if wide else SAME
    if padding == SAME:
        shape = (1, 12, 14, 3)
    weights = model.constant(raws(random, (3, 3, 2, 4)), "int8", scales=[0.01, 0.02, 0.03])
    bias = model.constant([100, -50, 3], "int64" if wide else "int32", scales=[unit * 0.01] * 3)
    model.op("TRANSPOSE_CONV", [model.constant(shape), weights, x, bias], result(shape, 0.4), Padding=padding, **TWO)
    return model.finish([x], outputs), len(outputs)


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_every_operator(dtype: str):
    content, count = every_operator(dtype)
    compared(content, inputs_of(content, 8), count)


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_elements_without_a_scale_move(dtype: str):
    random = np.random.default_rng(2)
    model = TfliteModel()
    x, part, joined = (model.tensor(shape, dtype) for shape in ((1, 4, 6), (1, 4, 2), (1, 4, 8)))
    model.op("SLICE", [x, model.constant([0, 0, 3]), model.constant([1, 4, 2])], part)
    model.op("CONCATENATION", [part, x], joined, Axis=2)
    content, inputs = model.finish([x], [joined]), raws(random, (5, 1, 4, 6), dtype)
    compared(content, inputs)


@pytest.mark.long
@pytest.mark.skipif(not mlir_22.is_installed(), reason="needs Debian's mlir-22-tools")
def test_every_operator_in_tosa(tmp_path: Path):
    """The model of `every_operator` without L2_NORMALIZATION, written in TOSA and run by MLIR 22, computes TFLM's
    bytes.
    """
    content, count = every_operator("int8", but="L2_NORMALIZATION")
    in_tosa, x = TosaModule(read_tflite(content, "network.tflite"), tmp_path), inputs_of(content, 8)
    for mine, theirs in zip(in_tosa(x), computed_by_tflm(content, x, count), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@given(
    st.integers(-(1 << 31), (1 << 31) - 1),
    st.integers(1 << 30, (1 << 31) - 1),
    st.integers(LEAST_SHIFT, 29),
)
@example(-(1 << 30) - 1, 1 << 30, -1)
@example(3, 1 << 30, -1)
def test_tosa_rescales_as_tflm(x: int, multiplier: int, left: int):
    """apply_scale_32 of TOSA 1.0 with double rounding equals the two steps of TensorFlow Lite."""
    shift = 31 - left
    x >>= max(left, 0)
    rounding = (1 << shift - 1) + ((1 if x >= 0 else -1) << 30 if shift > 31 else 0)
    expected = requantize(np.array(x, np.int32), np.array(multiplier, np.int32), np.array(left, np.int8))
    assert (x * multiplier + rounding) >> shift == expected


TARGETS = [roomy(device) for device in DEVICES if device != HOST]


@pytest.mark.long
@pytest.mark.parametrize(
    ("dtype", "target"),
    spread([*(("int8", target) for target in TARGETS), *(("int16", target) for target in TARGETS[:2])], 1),
)
def test_every_operator_on_devices(dtype: str, target: str, tmp_path: Path):
    """The model of `every_operator`, compiled to a single program, returns the evaluator's bytes on devices."""
    content, _ = every_operator(dtype)
    on_devices(content, inputs_of(content, 2), target, tmp_path)


def on_devices(content: bytes, inputs: NDArray[Any], target: str, tmp_path: Path) -> None:
    """Assert that a device computes the evaluator's bytes; for the default board, the host must do so, too."""
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs.reshape(len(inputs), -1)
    options = {"target": target}
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    expected, interface = evaluate(module, x), interface_of(module)
    lowered(module, ctx, **options)
    write_c(module, ctx, target, tmp_path)
    for device in (HOST, target) if target == roomy(DEFAULT_TARGET) else (target,):
        runner = runner_for(device)
        result = runner.run(runner.build(tmp_path, interface, tmp_path / device), interface, x)
        assert first_mismatch(expected, Outputs(None, result.scores, result.more)) is None


def several_inputs() -> tuple[bytes, int]:
    """A model with an image, a vector and a state as inputs, each with its own quantisation, and the number of outputs.

    The new state is the first and the last of the outputs.
    """
    random = np.random.default_rng(3)
    model = TfliteModel()
    image, vector = model.tensor((1, 4, 5, 2), "int8", 0.05, 3), model.tensor((1, 6), "int8", 0.002, -128)
    state = model.tensor((1, 6), "int8", 1.5, 100)
    features, sums, new = (model.tensor((1, 6), "int8", unit, zero) for unit, zero in ((0.1, 0), (0.2, 5), (1.25, 90)))
    pixels = model.tensor((1, 4, 5, 6), "int8", 0.1, 0)
    weighted(model, "CONV_2D", image, (6, 3, 3, 2), pixels, random, Padding=SAME, **ONE)
    model.op("MEAN", [pixels, model.constant([1, 2])], features)
    model.op("ADD", [features, vector], sums, FusedActivationFunction=NONE)
    model.op("ADD", [sums, state], new, FusedActivationFunction=NONE)
    outputs = [new, sums, new]
    return model.finish([image, vector, state], outputs), len(outputs)


def test_several_inputs():
    content, count = several_inputs()
    compared(content, inputs_of(content, 20), count)


@pytest.mark.long
@pytest.mark.parametrize("target", spread(TARGETS, 2))
def test_several_inputs_on_devices(target: str, tmp_path: Path):
    content, _ = several_inputs()
    on_devices(content, inputs_of(content, 4), target, tmp_path)


@given(st.data())
@settings(max_examples=examples(15))
def test_convolutions_of_any_shape(data: st.DataObject):
    draw = data.draw
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    height, width, channels = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    dilation = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    kernel = draw(st.integers(1, (height + 1) // dilation[0])), draw(st.integers(1, (width + 1) // dilation[1]))
    spans = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    depthwise, padding = draw(st.booleans()), draw(st.sampled_from([SAME, VALID]))
    if any(span > extent for span, extent in zip(spans, (height, width), strict=True)):
        padding = SAME
    # TFLM takes one stride of depthwise convolutions for both axes.
    down = draw(st.integers(1, 3))
    strides = down, down if depthwise else draw(st.integers(1, 3))
    extents = zip((height, width), spans, strides, strict=True)
    out = [-(-extent // step) if padding == SAME else (extent - span) // step + 1 for extent, span, step in extents]
    multiplier = draw(st.integers(1, 3))
    rows = channels * multiplier if depthwise else draw(st.integers(2, 6))
    model = TfliteModel()
    zero_point = draw(st.integers(-128, 127))
    x = model.tensor((1, height, width, channels), "int8", draw(st.floats(0.001, 1.0)), zero_point)
    y = model.tensor((1, *out, rows), "int8", draw(st.floats(0.01, 1.0)), draw(st.integers(-128, 127)))
    options = dict(
        Padding=padding,
        StrideH=strides[0],
        StrideW=strides[1],
        DilationHFactor=dilation[0],
        DilationWFactor=dilation[1],
        FusedActivationFunction=draw(st.sampled_from([NONE, RELU, RELU_N1_TO_1, RELU6])),
    )
    if depthwise:
        filter = (1, *kernel, rows)
        weighted(model, "DEPTHWISE_CONV_2D", x, filter, y, random, DepthMultiplier=multiplier, **options)
    else:
        weighted(model, "CONV_2D", x, (rows, *kernel, channels), y, random, **options)
    content = model.finish([x], [y])
    compared(content, inputs_of(content, 2))


@given(st.data())
@settings(max_examples=examples(15))
def test_elementwise_operators_of_any_scale(data: st.DataObject):
    draw = data.draw
    model = TfliteModel()
    scale, zero = st.floats(0.001, 2.0), st.integers(-128, 127)
    shape = (1, 3, 2, 4)
    x = model.tensor(shape, "int8", draw(scale), draw(zero))
    other = draw(st.sampled_from([(1, 3, 2, 4), (1, 1, 1, 4), (1, 3, 1, 1), (1,), (4,)]))
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    y = model.constant(raws(random, other), "int8", scales=draw(scale), zero_point=draw(zero))
    outputs = [model.tensor(shape, "int8", draw(scale), draw(zero)) for _ in range(5)]
    fused = draw(st.sampled_from([NONE, RELU, RELU_N1_TO_1, RELU6]))
    for kind, output in zip(("ADD", "SUB", "MUL"), outputs, strict=False):
        operands = [x, y] if draw(st.booleans()) else [y, x]
        model.op(kind, operands, output, FusedActivationFunction=fused)
    model.op("LEAKY_RELU", [x], outputs[3], Alpha=draw(st.floats(-2.0, 2.0)))
    model.op("QUANTIZE", [x], outputs[4])
    content = model.finish([x], outputs)
    compared(content, inputs_of(content, 4), len(outputs))


@given(st.one_of(st.floats(0.001, 0.3), st.floats(0.3, 64.0)), st.integers(-128, 127), st.integers(1, 9))
@example(46.4, -81, 9)
@settings(max_examples=examples(10))
def test_functions_of_any_scale(scale: float, zero_point: int, length: int):
    model = TfliteModel()
    x = model.tensor((2, length), "int8", scale, zero_point)
    outputs: list[int] = []
    kinds = {"LOGISTIC": (2.0**-8, -128), "TANH": (2.0**-7, 0), "SOFTMAX": (2.0**-8, -128), "HARD_SWISH": (scale, 0)}
    kinds["L2_NORMALIZATION"] = 2.0**-7, 0
    for kind, format in kinds.items():
        outputs.append(model.tensor((2, length), "int8", *format))
        model.op(kind, [x], outputs[-1], **({"Beta": 1.0} if kind == "SOFTMAX" else {}))
    content = model.finish([x], outputs)
    compared(content, inputs_of(content, 20), len(outputs))


@given(st.data())
@settings(max_examples=examples(10))
def test_averages_of_any_shape(data: st.DataObject):
    draw = data.draw
    height, width = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    kernel = draw(st.integers(1, height)), draw(st.integers(1, width))
    strides, padding = (draw(st.integers(1, 3)), draw(st.integers(1, 3))), draw(st.sampled_from([SAME, VALID]))
    extents = zip((height, width), kernel, strides, strict=True)
    out = [-(-extent // step) if padding == SAME else (extent - size) // step + 1 for extent, size, step in extents]
    scale, zero_point = draw(st.floats(0.001, 1.0)), draw(st.integers(-128, 127))
    model = TfliteModel()
    x = model.tensor((1, height, width, 3), "int8", scale, zero_point)
    outputs = [model.tensor((1, *out, 3), "int8", scale, zero_point) for _ in range(2)]
    for kind, output in zip(("AVERAGE_POOL_2D", "MAX_POOL_2D"), outputs, strict=True):
        window = dict(FilterHeight=kernel[0], FilterWidth=kernel[1], StrideH=strides[0], StrideW=strides[1])
        model.op(
            kind, [x], output, Padding=padding, FusedActivationFunction=draw(st.sampled_from([NONE, RELU])), **window
        )
    axes = draw(st.sampled_from([[1], [2], [3], [1, 2], [2, 1], [1, 2, 3], [-1]]))
    kept = [1 if axis in axes or axis - 4 in axes else extent for axis, extent in enumerate((1, height, width, 3))]
    outputs.append(model.tensor(kept, "int8", draw(st.floats(0.01, 1.0)), draw(st.integers(-128, 127))))
    model.op("MEAN", [x, model.constant(axes)], outputs[-1], KeepDims=True)
    content = model.finish([x], outputs)
    compared(content, inputs_of(content, 3), len(outputs))


@pytest.mark.parametrize(("scale", "result", "slope"), [(0.5, 1 / 3, 0.2), (0.37, 0.74 / 7, 0.75)])
def test_factors_of_leaky_relu_near_a_half(scale: float, result: float, slope: float):
    """LEAKY_RELU computes TFLM's bytes for all raws if the factor of a raw is so close to a half that single precision
    would round the product to 1.5 or 3.5.
    """
    model, shape = TfliteModel(), (1, 16, 16)
    x, y = model.tensor(shape, "int8", scale), model.tensor(shape, "int8", result)
    model.op("LEAKY_RELU", [x], y, Alpha=slope)
    compared(model.finish([x], [y]), np.arange(-128, 128, dtype=np.int8).reshape(1, *shape))


@given(st.data())
@settings(max_examples=examples(10))
def test_conversions_in_the_middle(data: st.DataObject):
    """A model computes TFLM's bytes if the scale changes between two operators, by one QUANTIZE or by way of floating
    point.
    """
    draw = data.draw
    scale, zero = st.floats(0.001, 0.5), st.integers(-128, 127)
    model, shape = TfliteModel(), (1, 5, 4)
    x = model.tensor(shape, "int8", draw(scale), draw(zero))
    limited = model.tensor(shape, "int8", *(spec := (draw(scale), draw(zero))))
    model.op("RELU", [x], limited)
    again = model.tensor(shape, "int8", draw(scale), draw(zero))
    model.op("QUANTIZE", [limited], again)
    outputs = [model.tensor(shape, "int8", 2.0**-8, -128)]
    model.op("LOGISTIC", [again], outputs[0])
    reals, product = model.tensor(shape, "float32"), model.tensor(shape, "float32")
    model.op("DEQUANTIZE", [limited], reals)
    factor = model.constant(draw(st.sampled_from([0.5, -1.5, 0.1])), "float32")
    model.op("MUL", [reals, factor], product, FusedActivationFunction=NONE)
    # The same scale and half of it as often as any other: then many numbers lie between two raws.
    rounded = model.tensor(shape, "int8", draw(st.sampled_from([spec[0], spec[0] / 2, draw(scale)])), draw(zero))
    model.op("QUANTIZE", [product], rounded)
    outputs.append(model.tensor(shape, "int8", 2.0**-7))
    model.op("TANH", [rounded], outputs[1])
    directly = model.tensor(shape, "int8", draw(scale), draw(zero))
    model.op("QUANTIZE", [reals], directly)
    outputs.append(model.tensor(shape, "int8", draw(scale), draw(zero)))
    model.op("LEAKY_RELU", [directly], outputs[2], Alpha=0.2)
    content = model.finish([x], outputs)
    compared(content, inputs_of(content, 20), len(outputs))


@given(st.floats(0.001, 0.9), st.floats(0.001, 0.9), st.floats(0.1, 2.0))
@settings(max_examples=examples(6, 120))
def test_a_single_output_channel(unit: float, weight: float, result: float):
    """Convolutions and dense layers with one output channel compute TFLM's bytes. With one scale per tensor, TFLM
    multiplies the scales of convolutions in double precision and those of dense layers in single precision.
    """
    random = np.random.default_rng(2)
    model = TfliteModel()
    x = model.tensor((1, 4, 4, 40), "int8", unit, 3)
    filter = model.constant(np.maximum(raws(random, (1, 1, 1, 40)), -127), "int8", scales=weight)
    start = model.constant([70], "int32", scales=unit * weight)
    outputs = [model.tensor((1, 4, 4, 1), "int8", result * 100, 5), model.tensor((16, 1), "int8", result * 100, 5)]
    model.op("CONV_2D", [x, filter, start], outputs[0], Padding=VALID, **ONE)
    matrix = model.constant(np.maximum(raws(random, (1, 40)), -127), "int8", scales=weight)
    model.op("FULLY_CONNECTED", [x, matrix, start], outputs[1])
    content = model.finish([x], outputs)
    compared(content, inputs_of(content, 20), 2)


def dense_model(dtype: str, per_channel: bool, vectors: int) -> bytes:
    """The bytes of a model of a quantised dense layer from 9 to 4 elements.

    dtype: the type of activations, int8 or int16.
    per_channel: whether weights have a scale for each row.
    vectors: the number of vectors in the input.
    """
    random = np.random.default_rng(5)
    model, wide = TfliteModel(), dtype == "int16"
    x = model.tensor((vectors, 9), dtype, 0.001 if wide else 0.3, 0 if wide else -7)
    y = model.tensor((vectors, 4), dtype, 0.01 if wide else 0.9, 0 if wide else 11)
    scales = [0.011, 0.02, 0.005, 0.1] if per_channel else [0.013]
    weights = model.constant(np.maximum(raws(random, (4, 9)), -127), "int8", scales=scales)
    unit = (0.001 if wide else 0.3) * scales[0]
    bias = model.constant(random.integers(-999, 999, 4), "int64" if wide else "int32", scales=[unit])
    model.op("FULLY_CONNECTED", [x, weights, bias], y)
    return model.finish([x], [y])


@pytest.mark.parametrize("vectors", [1, 3])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_dense_layers(dtype: str, per_channel: bool, vectors: int):
    content = dense_model(dtype, per_channel, vectors)
    compared(content, inputs_of(content, 10))


def test_scales_of_products_have_double_precision():
    """A 16-bit dense layer computes TFLM's bytes for scales whose product, in single precision, would result in a
    multiplier that is greater by one.
    """
    random, model = np.random.default_rng(91), TfliteModel()
    x = model.tensor((1, 24), "int16", 0.0001171875)
    y = model.tensor((1, 5), "int16", 2.0**-12)
    weights = model.constant(np.maximum(raws(random, (5, 24)), -127), "int8", scales=[0.0037339206])
    model.op("FULLY_CONNECTED", [x, weights], y)
    content = model.finish([x], [y])
    compared(content, inputs_of(content, 40))


@pytest.mark.parametrize("shape", [(1, 10, 9, 3), (1, 13, 14, 3)])
def test_transposed_convolutions_crop_what_the_result_has_no_room_for(shape: tuple[int, ...]):
    random, model = np.random.default_rng(7), TfliteModel()
    x = model.tensor((1, 6, 7, 4), scales=0.05, zero_point=-3)
    weights = model.constant(raws(random, (3, 3, 3, 4)), "int8", scales=[0.01, 0.02, 0.03])
    y = model.tensor(shape, scales=0.4, zero_point=2)
    options = {"Padding": VALID, "StrideH": 2, "StrideW": 2}
    model.op("TRANSPOSE_CONV", [model.constant(shape), weights, x], y, **options)
    content = model.finish([x], [y])
    compared(content, inputs_of(content, 4))


def test_shapes_that_only_the_number_of_samples_leaves_open():
    """Models compute TFLM's bytes if shapes are computed, as in Keras's Flatten, from the shape of an input whose
    number of samples is unknown.
    """
    random, model = np.random.default_rng(8), TfliteModel()
    x = model.tensor((1, 3, 4), scales=0.05, zero_point=-3, signature=(-1, 3, 4))
    shape, batch, packed = (model.tensor(extent, "int32") for extent in ((3,), (), (2,)))
    model.op("SHAPE", [x], shape)
    ends = [model.constant([number]) for number in (0, 1, 1)]
    model.op("STRIDED_SLICE", [shape, *ends], batch, ShrinkAxisMask=1)
    model.op("PACK", [batch, model.constant(12)], packed, ValuesCount=2)
    flat = model.tensor((1, 12), scales=0.05, zero_point=-3, signature=(-1, 12))
    model.op("RESHAPE", [x, packed], flat)
    sums = model.tensor((1, 12), scales=0.2, zero_point=4)
    zeros, agreed = model.tensor((1, 12), scales=0.1, zero_point=9), model.tensor((2,), "int32")
    model.op("BROADCAST_ARGS", [packed, model.constant([1, 1])], agreed)
    # TFLM fills no shape that is computed.
    model.op("FILL", [model.constant([1, 12]), model.constant(17, "int8", scales=0.1, zero_point=9)], zeros)
    model.op("ADD", [flat, zeros], sums, FusedActivationFunction=NONE)
    y = model.tensor((1, 5), scales=0.4, zero_point=2)
    weighted(model, "FULLY_CONNECTED", sums, (5, 12), y, random)
    content = model.finish([x], [y])
    compared(content, inputs_of(content, 10))


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_zeros_whose_scale_is_0(dtype: str):
    """A constant of zeros with scale 0, as converters write initial states of recurrent layers, multiplies by 0; the
    bytes equal TFLM's.
    """
    random, model, wide = np.random.default_rng(9), TfliteModel(), dtype == "int16"
    unit, zero = (0.001, 0) if wide else (0.05, 0)
    x = model.tensor((1, 4), dtype, unit, zero)
    zeros = model.constant(np.zeros((1, 4)), dtype, scales=0.0)
    outputs = [model.tensor((1, 4), dtype, 2 * unit, 0 if wide else 11) for _ in range(2)]
    weights = model.constant(np.maximum(raws(random, (4, 4)), -127), "int8", scales=0.013)
    bias = model.constant(random.integers(-9999, 9999, 4), "int64" if wide else "int32", scales=0.0)
    model.op("FULLY_CONNECTED", [zeros, weights, bias], outputs[0])
    model.op("MUL", [x, zeros], outputs[1], FusedActivationFunction=NONE)
    content = model.finish([x], outputs)
    compared(content, inputs_of(content, 6), len(outputs))


@given(
    seed=st.integers(0, 1 << 20),
    kind=st.sampled_from(["CONV_2D", "FULLY_CONNECTED"]),
    channels=st.integers(1, 40),
    biased=st.booleans(),
)
@example(seed=1, kind="CONV_2D", channels=900, biased=True)
@settings(max_examples=examples(6, 100))
def test_sums_of_32_bits_on_activations_of_16(seed: int, kind: str, channels: int, biased: bool):
    """On 16-bit activations, sums have 32 bits if the bias has, or, in layers without bias, if an option states it.
    They wrap around as TFLM's do.
    """
    random, model = np.random.default_rng(seed), TfliteModel()
    image, filters = kind == "CONV_2D", int(random.integers(1, 5))
    unit, scales = 0.0001, (0.01 * (1 + random.random(filters))).tolist()
    x = model.tensor((1, 3, 2, channels) if image else (1, channels), "int16", unit)
    shape = (filters, 2, 2, channels) if image else (filters, channels)
    weights = model.constant(np.maximum(raws(random, shape), -127), "int8", scales=scales)
    y = model.tensor((1, 2, 1, filters) if image else (1, filters), "int16", float(random.uniform(0.0001, 0.002)))
    given = [x, weights]
    if biased:
        numbers = random.integers(-(1 << 20), 1 << 20, filters)
        given.append(model.constant(numbers, "int32", scales=[unit * scale for scale in scales]))
    options = dict(Padding=VALID, **ONE) if image else {}
    model.op(kind, given, y, **options, QuantizedBiasType=TYPES[np.dtype("int32")])
    content = model.finish([x], [y])
    compared(content, inputs_of(content, 4, seed))


@given(st.integers(0, 1 << 20), st.floats(0.02, 0.3), st.booleans(), st.sampled_from(["int8", "int16"]))
@settings(max_examples=examples(8, 200))
def test_slopes_by_channel(seed: int, scale: float, one: bool, dtype: str):
    """PRELU computes TFLM's bytes for slopes of any sign, one for each channel or one for all."""
    random, model, unit = np.random.default_rng(seed), TfliteModel(), 1 if dtype == "int8" else 1 / 256
    zeros = random.integers(-128, 128, 3).tolist() if dtype == "int8" else [0] * 3
    x, y = (
        model.tensor((1, 3, 2, 5), dtype, each * unit, zero) for each, zero in zip((0.1, scale), zeros, strict=False)
    )
    slopes = raws(random, (1, 1, 1 if one else 5))
    model.op("PRELU", [x, model.constant(slopes, "int8", scales=0.02, zero_point=zeros[2])], y)
    content = model.finish([x], [y])
    compared(content, inputs_of(content, 8, seed))
