"""Random keyword spotters in TensorFlow Lite's format: each inference is a step, and variables store rows of earlier
steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.tflite_models import NONE, RELU, VALID, TfliteModel, raws, weighted

ONE = {"StrideW": 1, "StrideH": 1}


class _Spotter:
    """A spotter under construction.

    dtype: the type of activations.
    """

    def __init__(self, seed: int, dtype: str):
        self.random = np.random.default_rng(seed)
        self.model, self.dtype, self.wide = TfliteModel(), dtype, dtype == "int16"
        self.names = 0

    def activation(self, shape: tuple[int, ...]) -> int:
        """Add a tensor with a random scale and zero point."""
        scale = float(np.float32(self.random.uniform(0.02, 0.2)))
        zero = 0 if self.wide else int(self.random.integers(-128, 128))
        return self.model.tensor(shape, self.dtype, scale / 256 if self.wide else scale, zero)

    def like(self, tensor: int, shape: tuple[int, ...]) -> int:
        """Add a tensor with the scale and zero point of another tensor."""
        spec = self.model.tensors[tensor]
        return self.model.tensor(shape, self.dtype, spec.scales, spec.zero_point)

    def shape(self, tensor: int) -> tuple[int, ...]:
        return self.model.tensors[tensor].shape

    def variable(self, like: int, shape: tuple[int, ...]) -> int:
        """Add a variable whose initial value is zeros or random raws, and return its handle.

        like: the tensor whose scale and zero point the variable has.
        """
        spec = self.model.tensors[like]
        data = spec.zero_point if self.random.random() < 0.7 else raws(self.random, shape, self.dtype)
        self.names += 1
        quantization: dict[str, Any] = {"scales": spec.scales, "zero_point": spec.zero_point}
        return self.model.variable(f"stream_{self.names}/states", shape, self.dtype, data, **quantization)

    def slice(self, x: int, first: int, last: int) -> int:
        """Append a slice of the rows of an image from `first` to `last`, which is excluded. If `last` is 0, the slice
        contains all remaining rows.
        """
        rows = range(self.shape(x)[1])[first : last or None]
        result = self.like(x, (1, len(rows), *self.shape(x)[2:]))
        ends = [self.model.constant(numbers) for numbers in ([0, first, 0, 0], [0, last, 0, 0], [1, 1, 1, 1])]
        masks = {"BeginMask": 13, "EndMask": 13 if last else 15}
        self.model.op("STRIDED_SLICE", [x, *ends], result, **masks)
        return result

    def ring(self, x: int, before: int) -> int:
        """Append a concatenation of the last `before` rows of earlier steps and of the rows of x, in one of two forms
        that converters write.
        """
        _, rows, *row = self.shape(x)
        whole = self.like(x, (1, before + rows, *row))
        if self.random.random() < 0.3:
            # The variable has all rows; the oldest ones are cut off as it is read.
            handle = self.variable(x, self.shape(whole))
            kept = self.like(x, self.shape(whole))
            self.model.op("READ_VARIABLE", [handle], kept)
            self.model.op("CONCATENATION", [self.slice(kept, rows, 0), x], whole, Axis=1)
            self.model.op("ASSIGN_VARIABLE", [handle, whole], [])
            return whole
        handle, kept = self.variable(x, (1, before, *row)), self.like(x, (1, before, *row))
        self.model.op("READ_VARIABLE", [handle], kept)
        self.model.op("CONCATENATION", [kept, x], whole, Axis=1)
        self.model.op("ASSIGN_VARIABLE", [handle, self.slice(whole, rows, 0)], [])
        return whole

    def convolution(self, x: int, channels: int | None) -> int:
        """Append a convolution of one row of results over all rows of x.

        channels: the channels of the result; None for a depthwise convolution.
        """
        _, rows, _, before = self.shape(x)
        if channels is None:
            y = self.activation((1, 1, 1, before))
            filter, options = (1, rows, 1, before), {"DepthMultiplier": 1}
            weighted(self.model, "DEPTHWISE_CONV_2D", x, filter, y, self.random, Padding=VALID, **ONE, **options)
            return y
        y = self.activation((1, 1, 1, channels))
        options = {"FusedActivationFunction": int(self.random.choice([NONE, RELU]))}
        weighted(self.model, "CONV_2D", x, (channels, rows, 1, before), y, self.random, Padding=VALID, **ONE, **options)
        return y

    def average(self, x: int) -> int:
        """Append a running mean with exponential decay: half of the previous mean plus half of x."""
        handle, kept = self.variable(x, self.shape(x)), self.like(x, self.shape(x))
        self.model.op("READ_VARIABLE", [handle], kept)
        half = self.model.constant(np.full((1, 1, 1, 1), 64), self.dtype, scales=2.0**-7)
        halves = [self.activation(self.shape(x)) for _ in range(2)]
        for value, result in zip((x, kept), halves, strict=True):
            self.model.op("MUL", [value, half], result, FusedActivationFunction=NONE)
        mixed = self.like(x, self.shape(x))
        self.model.op("ADD", halves, mixed, FusedActivationFunction=NONE)
        self.model.op("ASSIGN_VARIABLE", [handle, mixed], [])
        return mixed


def spotter(seed: int, dtype: str = "int8") -> bytes:
    """The bytes of a random spotter: some rows of features per step, blocks over time, a dense layer and a sigmoid.

    dtype: the type of activations, `int8` or `int16`.
    """
    net = _Spotter(seed, dtype)
    random, model = net.random, net.model
    rows, bands = int(random.integers(1, 4)), int(random.integers(3, 9))
    x = net.activation((1, rows, bands))
    image = net.like(x, (1, rows, 1, bands))
    model.op("RESHAPE", [x, model.constant([1, rows, 1, bands])], image)
    image = net.convolution(net.ring(image, int(random.integers(1, 4))), int(random.integers(3, 7)))
    for _ in range(int(random.integers(1, 4))):
        image = net.convolution(net.ring(image, int(random.integers(1, 7))), None)
        image = net.convolution(image, int(random.integers(3, 7)))
        image = net.average(image) if random.random() < 0.4 else image
    last = net.ring(image, int(random.integers(1, 5)))
    length = int(np.prod(net.shape(last)))
    flat = net.like(last, (1, length))
    model.op("RESHAPE", [last, model.constant([1, length])], flat)
    classes = int(random.integers(1, 4))
    logits = model.tensor((1, classes), dtype, 0.1 / 256 if net.wide else 0.1, 0 if net.wide else 5)
    weighted(model, "FULLY_CONNECTED", flat, (classes, length), logits, random)
    share = model.tensor((1, classes), dtype, *((2.0**-15, 0) if net.wide else (2.0**-8, -128)))
    model.op("LOGISTIC", [logits], share)
    if net.wide:
        return model.finish([x], [share])
    unsigned = model.tensor((1, classes), "uint8", 2.0**-8, 0)
    model.op("QUANTIZE", [share], unsigned)
    return model.finish([x], [unsigned])
