"""Random quantised networks: the evaluator and the sanitized host build give the bytes of TensorFlow Lite Micro."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from programs.lowered import lowered
from programs.tflite_models import (
    NONE,
    RELU,
    RELU6,
    RELU_N1_TO_1,
    SAME,
    VALID,
    TfliteModel,
    computed_by_tflm,
    inputs_of,
    raws,
    weighted,
)

from fuzz.verdicts import ACCEPTED, Harm
from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.device import DeviceError
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.targets.registry import HOST
from tinyml.tools.driver.measure import first_mismatch

SAMPLES = 4
FUSED = (NONE, RELU, RELU_N1_TO_1, RELU6)


class Network:
    """A chain of operators under construction, each on the result of the one before."""

    def __init__(self, random: Random):
        self.random = random
        self.constants = np.random.default_rng(random.randrange(1 << 30))
        self.model = TfliteModel()
        self.shape = (1, random.randint(3, 9), random.randint(3, 9), random.randint(1, 6))
        self.first = self.last = self.like(self.shape, random.uniform(0.02, 0.12), random.randint(-128, 127))

    def like(self, shape: tuple[int, ...], scale: float, zero_point: int) -> int:
        """Add a tensor and make it the one that the next operator takes."""
        self.shape, self.last = shape, self.model.tensor(shape, "int8", scale, zero_point)
        return self.last

    def same(self, shape: tuple[int, ...]) -> int:
        """The same, in the scale and zero point of the last."""
        return self.like(shape, self.scale, self.model.tensors[self.last].zero_point)

    def scaled(self, shape: tuple[int, ...], scale: float) -> int:
        """The same, in about this scale."""
        return self.like(shape, scale * self.random.uniform(0.3, 1.5), self.random.randint(-128, 127))

    @property
    def scale(self) -> float:
        scales = self.model.tensors[self.last].scales
        assert scales is not None
        return scales[0]

    def window(self) -> tuple[tuple[int, int], int, int, tuple[int, int]]:
        """The extents, stride and padding of a window on the image, and the extents of the result."""
        random, image = self.random, self.shape[1:3]
        kernel = random.randint(1, min(4, image[0])), random.randint(1, min(4, image[1]))
        stride, padding = random.randint(1, 2), random.choice([SAME, VALID])
        rows, columns = (
            -(-extent // stride) if padding == SAME else (extent - size) // stride + 1
            for extent, size in zip(image, kernel, strict=True)
        )
        return kernel, stride, padding, (rows, columns)

    def convolution(self) -> None:
        kernel, stride, padding, out = self.window()
        channels = self.shape[3]
        options = dict(Padding=padding, StrideW=stride, StrideH=stride)
        options["FusedActivationFunction"] = self.random.choice(FUSED)
        x, terms = self.last, kernel[0] * kernel[1]
        if self.random.random() < 0.4:
            multiplier = self.random.randint(1, 2)
            rows, kind, filter = channels * multiplier, "DEPTHWISE_CONV_2D", (1, *kernel, channels * multiplier)
            options["DepthMultiplier"] = multiplier
        else:
            rows, kind, terms = self.random.randint(2, 9), "CONV_2D", terms * channels
            filter = (rows, *kernel, channels)
        y = self.scaled((1, *out, rows), self.scale * terms**0.5)
        weighted(self.model, kind, x, filter, y, self.constants, **options)

    def pool(self) -> None:
        kernel, stride, padding, out = self.window()
        x = self.last
        y = self.same((1, *out, self.shape[3]))
        kind = self.random.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"])
        options = dict(StrideW=stride, StrideH=stride, FilterHeight=kernel[0], FilterWidth=kernel[1])
        fused = self.random.choice(FUSED)
        self.model.op(kind, [x], y, Padding=padding, FusedActivationFunction=fused, **options)

    def arithmetic(self) -> None:
        x, scale = self.last, self.scale
        operand = self.random.choice([(1, 1, 1, self.shape[3]), self.shape])
        constant = self.model.constant(
            raws(self.constants, operand), "int8", scales=scale, zero_point=self.random.randint(-128, 127)
        )
        kind = self.random.choice(["ADD", "SUB", "MUL"])
        y = self.scaled(self.shape, scale * (20 * scale if kind == "MUL" else 1))
        self.model.op(kind, [x, constant], y, FusedActivationFunction=self.random.choice(FUSED))

    def activation(self) -> None:
        x = self.last
        kind = self.random.choice(["RELU", "RELU6", "LEAKY_RELU", "LOGISTIC", "TANH", "HARD_SWISH", "QUANTIZE"])
        if kind == "LOGISTIC":
            y = self.like(self.shape, 2.0**-8, -128)
        elif kind == "TANH":
            y = self.like(self.shape, 2.0**-7, 0)
        else:
            # TFLM limits the raws of relu6 alone.
            y = self.same(self.shape) if kind == "RELU6" else self.scaled(self.shape, self.scale)
        self.model.op(kind, [x], y, **({"Alpha": self.random.uniform(-1, 1)} if kind == "LEAKY_RELU" else {}))

    def padding(self) -> None:
        x, pads = (
            self.last,
            [[0, 0], *([self.random.randint(0, 2), self.random.randint(0, 2)] for _ in range(2)), [0, 0]],
        )
        y = self.same(tuple(extent + sum(pad) for extent, pad in zip(self.shape, pads, strict=True)))
        self.model.op("PAD", [x, self.model.constant(pads)], y)

    def end(self) -> None:
        """A mean, a dense layer or neither, and softmax perhaps."""
        if self.random.random() < 0.5:
            x = self.last
            y = self.scaled((1, self.shape[3]), self.scale)
            self.model.op("MEAN", [x, self.model.constant([1, 2])], y, KeepDims=False)
        if self.random.random() < 0.5:
            x, length = self.last, int(np.prod(self.shape))
            y = self.scaled((1, 4), self.scale * length**0.5)
            weighted(self.model, "FULLY_CONNECTED", x, (4, length), y, self.constants)
        if self.random.random() < 0.3:
            x = self.last
            y = self.like(self.shape, 2.0**-8, -128)
            self.model.op("SOFTMAX", [x], y, Beta=1.0)

    def finish(self) -> bytes:
        return self.model.finish([self.first], [self.last])


STEPS: tuple[Callable[[Network], None], ...] = (
    Network.convolution,
    Network.convolution,
    Network.pool,
    Network.arithmetic,
    Network.activation,
    Network.padding,
)


def written(random: Random) -> bytes:
    """A random network as a file."""
    network = Network(random)
    for _ in range(random.randint(1, 5)):
        random.choice(STEPS)(network)
    network.end()
    return network.finish()


def as_tflm(number: int, random: Random, folder: Path) -> str:
    """A network in the evaluator, and every eighth on the host as well."""
    content = written(random)
    x = inputs_of(content, SAMPLES, number)
    expected = computed_by_tflm(content, x)[0]
    module = read_tflite(content, "network.tflite")
    module.verify()
    raw = x.reshape(SAMPLES, -1)
    _same("the evaluator", expected, evaluate(module, raw).scores)
    if number % 8 == 0:
        _same_on_host(module, raw, folder)
    return ACCEPTED


def _same(place: str, expected: NDArray[Any], got: NDArray[Any] | None) -> None:
    assert got is not None
    if not np.array_equal(expected, got):
        raise Harm("mismatch", f"{place} and TFLM differ in {np.count_nonzero(expected != got)} of {got.size} bytes")


def _same_on_host(module: Any, raw: NDArray[Any], folder: Path) -> None:
    ctx, interface = context(), interface_of(module)
    expected = evaluate(module, raw)
    lowered(module, ctx, start="refine-formats", target=HOST)
    printed = folder / "printed"
    printed.mkdir()
    write_c(module, ctx, HOST, printed)
    runner = HostRunner(sanitize=True)
    try:
        result = runner.run(runner.build(printed, interface, folder / "build"), interface, raw)
    except DeviceError as error:
        raise Harm("sanitizer", str(error)) from error
    difference = first_mismatch(expected, Outputs(result.labels, result.scores))
    if difference is not None:
        raise Harm("mismatch", f"the host: {difference}")
