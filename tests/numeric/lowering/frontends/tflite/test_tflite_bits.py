"""Imported models compute the bytes that TensorFlow Lite Micro computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.tflite_models import TfliteModel, computed_by_tflm

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST, chip_of
from tinyml.tools.driver.measure import first_mismatch

SAME, VALID = 0, 1
NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)
SHAPE = (1, 6, 7, 4)
ONE, TWO = {"StrideW": 1, "StrideH": 1}, {"StrideW": 2, "StrideH": 2}


def raws(random: np.random.Generator, shape: Any, dtype: str = "int8") -> NDArray[Any]:
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def compared(content: bytes, x: NDArray[Any], outputs: int = 1) -> None:
    """Assert that the evaluator gives TFLM's bytes for an imported model. x: inputs as the file takes them."""
    module = read_tflite(content, "network.tflite")
    module.verify()
    got = evaluate(module, x.reshape(len(x), -1))
    for mine, theirs in zip((got.scores, *got.more), computed_by_tflm(content, x, outputs), strict=True):
        assert mine is not None
        np.testing.assert_array_equal(mine, theirs)


def weighted(
    model: TfliteModel,
    kind: str,
    x: int,
    filter: tuple[int, ...],
    result: int,
    random: np.random.Generator,
    **options: Any,
) -> None:
    """Add an operator with weights of scales per channel and a bias; result: the index of its output."""
    rows = filter[3] if kind == "DEPTHWISE_CONV_2D" else filter[0]
    spec = model.tensors[x]
    assert spec.scales is not None
    wide = spec.dtype == np.int16
    scales = (0.01 * (1 + random.random(rows))).astype(np.float32).tolist()
    axis = 3 if kind == "DEPTHWISE_CONV_2D" else 0
    weights = model.constant(np.maximum(raws(random, filter), -127), "int8", scales=scales, axis=axis)
    bias = model.constant(
        random.integers(-2000, 2000, rows),
        "int64" if wide else "int32",
        scales=[spec.scales[0] * scale for scale in scales],
    )
    model.op(kind, [x, weights, bias], result, **options)


def every_operator(dtype: str) -> tuple[bytes, int]:
    """A model with one output for each operator, all on the same input, and the number of outputs."""
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
    model.op("QUANTIZE", [x], result(SHAPE, 0.07))
    if wide:
        for kind in ("LOGISTIC", "TANH"):
            outputs.append(model.tensor(SHAPE, dtype, 2.0**-15))
            model.op(kind, [x], outputs[-1])
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
        for kind in ("RELU", "RELU6"):
            model.op(kind, [x], result(SHAPE, 0.06))
        outputs.append(model.tensor(SHAPE, dtype, 2.0**-8, -128))
        model.op("SOFTMAX", [x], outputs[-1], Beta=1.0)
        size = model.constant([12, 14])
        model.op("RESIZE_NEAREST_NEIGHBOR", [x, size], same((1, 12, 14, 4)), AlignCorners=False, HalfPixelCenters=False)
    shape = model.constant([1, 12, 14, 3])
    weighted_transpose(model, x, shape, result((1, 12, 14, 3), 0.3), random)
    return model.finish([x], outputs), len(outputs)
