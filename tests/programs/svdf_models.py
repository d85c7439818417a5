"""Random TensorFlow Lite models of an SVDF layer, either in floats or in 8 bits. The states of the quantised layers
have 8 or 16 bits.
"""

from __future__ import annotations

import numpy as np

from programs.tflite_models import NONE, TfliteModel, raws


def svdf(
    seed: int,
    dtype: str,
    *,
    inputs: int = 5,
    units: int = 3,
    rank: int = 2,
    steps: int = 4,
    layers: int = 2,
    most: float = 0.08,
    shares: bool = False,
) -> bytes:
    """The bytes of a model of consecutive SVDF layers.

    dtype: the type of the states and of the weights over time; float32 for all tensors.
    most: the greatest scale of an 8-bit state; 16-bit states have 1/256 of it.
    shares: True for a softmax after the layers, in unsigned 16 bits, which is imported in 32 bits.
    inputs: the number of elements of the input.
    units, rank, steps: the numbers of results, of filters for each result, and of stored steps in a layer.
    layers: the number of layers.
    """
    random = np.random.default_rng(seed)
    model, floats = TfliteModel(), dtype == "float32"
    kind = "float32" if floats else "int8"

    def scale(greatest: float) -> float | None:
        return None if floats else float(np.float32(greatest * random.uniform(0.5, 1)))

    def activations(elements: int) -> int:
        return model.tensor((1, elements), kind, scale(0.05), 0 if floats else int(random.integers(-128, 128)))

    def weights(shape: tuple[int, ...], dtype: str, greatest: float) -> int:
        data = random.normal(size=shape) if floats else np.maximum(raws(random, shape, dtype), -np.iinfo(dtype).max)
        return model.constant(data, dtype, scales=scale(greatest))

    first = x = activations(inputs)
    for _ in range(layers):
        [[_, before], filters] = model.tensors[x].shape, units * rank
        features = weights((filters, before), kind, 0.01)
        time = weights((filters, steps), dtype, 0.01 if dtype == "int8" else 0.01 / 256)
        unit = scale(most if dtype == "int8" else most / 256)
        zero = int(random.integers(-128, 128)) if dtype == "int8" else 0
        state = model.tensor((1, filters * steps), dtype, unit, zero, kept=True)
        given = model.tensors[time].scales
        of_bias = None if given is None or unit is None else float(np.float32(given[0]) * np.float32(unit))
        bias = model.constant(
            random.normal(size=units) if floats else random.integers(-4000, 4000, units),
            "float32" if floats else "int32",
            scales=of_bias,
        )
        y = activations(units)
        model.op("SVDF", [x, features, time, bias, state], y, Rank=rank, FusedActivationFunction=NONE)
        x = y
    if shares:
        share, y = (
            model.tensor((1, units), "int16", 1 / 65535, -(1 << 15)),
            model.tensor((1, units), "int32", 1 / 32767),
        )
        model.op("SOFTMAX", [x], share, Beta=1.0)
        model.op("QUANTIZE", [share], y)
        x = y
    return model.finish([first], [x])
