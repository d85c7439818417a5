"""Random quantised networks in TensorFlow Lite's format: 8 or 16 bits, dilation, floating-point parts and several
outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.tflite_models import (
    NONE,
    RELU,
    RELU6,
    RELU_N1_TO_1,
    SAME,
    VALID,
    TfliteModel,
    inputs_of,
    raws,
    weighted,
)

FUSED = (NONE, RELU, RELU_N1_TO_1, RELU6)


class Network:
    """A chain of operators under construction, each of which reads the result of the previous one.

    outputs: returned tensors other than the last result.
    exact: False if the chain contains a floating-point op whose bits depend on libraries and compilers.
    dtype: the type of activations, `int8` or `int16`.
    """

    def __init__(self, random: Random, dtype: str = "int8"):
        self.random = random
        self.dtype = dtype
        self.constants = np.random.default_rng(random.randrange(1 << 30))
        self.model = TfliteModel()
        self.outputs: list[int] = []
        self.exact = True
        self.shape = (1, random.randint(3, 9), random.randint(3, 9), random.randint(1, 6))
        self.first = self.last = self.like(self.shape, self.unit(random.uniform(0.02, 0.12)), random.randint(-128, 127))

    @property
    def is_wide(self) -> bool:
        return self.dtype == "int16"

    def unit(self, scale: float) -> float:
        """A scale of the network's element type with which its range equals that of 8 bits with `scale`."""
        return scale / 256 if self.is_wide else scale

    def like(self, shape: tuple[int, ...], scale: float, zero_point: int) -> int:
        """Add a tensor with the given scale and zero point, and make it the operand of the next operator."""
        zero = 0 if self.is_wide else zero_point
        self.shape, self.last = shape, self.model.tensor(shape, self.dtype, scale, zero)
        return self.last

    def same(self, shape: tuple[int, ...]) -> int:
        """Add a tensor with the scale and zero point of the last one, and make it the operand of the next operator."""
        return self.like(shape, self.scale, self.model.tensors[self.last].zero_point)

    def scaled(self, shape: tuple[int, ...], scale: float) -> int:
        """Add a tensor with approximately the given scale, and make it the operand of the next operator."""
        return self.like(shape, scale * self.random.uniform(0.3, 1.5), self.random.randint(-128, 127))

    @property
    def scale(self) -> float:
        scales = self.model.tensors[self.last].scales
        assert scales is not None
        return scales[0]

    def window(self, dilation: tuple[int, int] = (1, 1)) -> tuple[tuple[int, int], int, int, tuple[int, int]]:
        """Random extents, stride and padding of a window on the image, and the extents of the result.

        dilation: the distances of a window's elements.
        """
        random, image = self.random, self.shape[1:3]
        high, wide = (min(4, 1 + (extent - 1) // gap) for extent, gap in zip(image, dilation, strict=True))
        kernel = random.randint(1, high), random.randint(1, wide)
        stride, padding = random.randint(1, 2), random.choice([SAME, VALID])
        spans = (1 + (size - 1) * gap for size, gap in zip(kernel, dilation, strict=True))
        rows, columns = (
            -(-extent // stride) if padding == SAME else (extent - span) // stride + 1
            for extent, span in zip(image, spans, strict=True)
        )
        return kernel, stride, padding, (rows, columns)

    def convolution(self) -> None:
        dilation = (1, 1)
        if self.random.random() < 0.4:
            dilation = self.random.randint(1, 3), self.random.randint(1, 3)
        kernel, stride, padding, out = self.window(dilation)
        channels = self.shape[3]
        options = dict(Padding=padding, StrideW=stride, StrideH=stride)
        options |= dict(DilationHFactor=dilation[0], DilationWFactor=dilation[1])
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
        zero = 0 if self.is_wide else self.random.randint(-128, 127)
        constant = self.model.constant(
            raws(self.constants, operand, self.dtype), self.dtype, scales=scale, zero_point=zero
        )
        kind = self.random.choice(["ADD", "SUB", "MUL"])
        reach = 20 * 256 if self.is_wide else 20
        y = self.scaled(self.shape, scale * (reach * scale if kind == "MUL" else 1))
        self.model.op(kind, [x, constant], y, FusedActivationFunction=self.random.choice(FUSED))

    def activation(self) -> None:
        x = self.last
        kinds = ["LEAKY_RELU", "LOGISTIC", "TANH", "QUANTIZE"]
        kind = self.random.choice(kinds if self.is_wide else [*kinds, "RELU", "RELU6", "HARD_SWISH"])
        if kind in ("LOGISTIC", "TANH"):
            scale, zero = (2.0**-8, -128) if kind == "LOGISTIC" else (2.0**-7, 0)
            y = self.like(self.shape, 2.0**-15 if self.is_wide else scale, zero)
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

    def in_floats(self) -> None:
        """Add some floating-point ops between two conversions."""
        scale = self.scale
        x = self.model.tensor(self.shape, "float32")
        self.model.op("DEQUANTIZE", [self.last], x)
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(["RELU", "ADD", "MUL", "LEAKY_RELU", "TANH", "CONV_2D"])
            shape, options, operands = self.shape, dict[str, Any](), [x]
            if kind == "LEAKY_RELU":
                options["Alpha"] = 0.25
            if kind in ("ADD", "MUL"):
                options["FusedActivationFunction"] = self.random.choice(FUSED)
                operands.append(self._reals((1, 1, 1, shape[3])))
            if kind == "CONV_2D":
                kernel, stride, padding, out = self.window()
                rows = self.random.randint(2, 5)
                shape = (1, *out, rows)
                operands += [self._reals((rows, *kernel, self.shape[3])), self._reals((rows,))]
                options = dict(Padding=padding, StrideW=stride, StrideH=stride, DilationWFactor=1, DilationHFactor=1)
                scale *= (kernel[0] * kernel[1] * self.shape[3]) ** 0.5
            # The sums of convolutions are added up in another order, and there are several tanh.
            self.exact &= kind not in ("TANH", "CONV_2D")
            y = self.model.tensor(shape, "float32")
            self.model.op(kind, operands, y, **options)
            x, self.shape = y, shape
        self.model.op("QUANTIZE", [x], self.scaled(self.shape, scale))

    def _reals(self, shape: tuple[int, ...]) -> int:
        return self.model.constant(self.constants.normal(size=shape), "float32")

    def end(self) -> None:
        """Possibly add a mean, then possibly a dense layer, then possibly a softmax."""
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
            y = self.like(self.shape, 2.0**-15 if self.is_wide else 2.0**-8, -128)
            self.model.op("SOFTMAX", [x], y, Beta=1.0)

    def finish(self) -> bytes:
        return self.model.finish([self.first], [self.last, *self.outputs])


STEPS: tuple[Callable[[Network], None], ...] = (
    Network.convolution,
    Network.convolution,
    Network.pool,
    Network.arithmetic,
    Network.activation,
    Network.padding,
    Network.in_floats,
)


def random_network(random: Random, dtype: str | None = None, floats: bool | None = None) -> Network:
    """A complete random network.

    dtype: int8 or int16; by default chosen randomly.
    floats: whether the network has a floating-point part; by default chosen randomly.
    """
    network = Network(random, dtype or random.choice(["int8", "int8", "int16"]))
    steps = STEPS if floats is None else STEPS[:-1]
    chosen = [random.choice(steps) for _ in range(random.randint(1, 5))]
    if floats:
        chosen[random.randrange(len(chosen))] = Network.in_floats
    for step in chosen:
        step(network)
        if random.random() < 0.3:
            network.outputs.append(network.last)
    network.end()
    network.outputs = [output for output in network.outputs if output != network.last]
    return network


def raw_inputs(content: bytes, samples: int, seed: int) -> NDArray[Any]:
    """Random raws of a network's input, of shape (samples, elements)."""
    return inputs_of(content, samples, seed).reshape(samples, -1)
