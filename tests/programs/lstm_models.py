"""Random LSTMs in TensorFlow Lite's format: in floats, in 8 bits, and in 16 bits with 8-bit weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.tflite_models import TfliteModel, raws

TANH = 4
"""A fused activation by the schema's number."""

NOTHING = -1
"""The place of an optional input that a file leaves out."""


def lstm(
    seed: int,
    dtype: str,
    steps: int,
    *,
    inputs: int = 3,
    units: int = 4,
    cell: int = -11,
    clip: float = 0.0,
    time_major: bool = False,
) -> bytes:
    """The bytes of a model of one LSTM with inputs (1, steps, inputs), or (steps, 1, inputs) if time_major.

    dtype: `float32`, `int8` or `int16`, the type of activations.
    inputs, units: the numbers of elements of an input and of a state.
    cell: the logarithm to base 2 of the scale of the cell state.
    clip: the limit of the cell state's magnitude; 0 for none.
    """
    random = np.random.default_rng(seed)
    model = TfliteModel()
    floats, wide = dtype == "float32", dtype == "int16"

    def shape(elements: int) -> tuple[int, ...]:
        return (steps, 1, elements) if time_major else (1, steps, elements)

    def tensor(shape: tuple[int, ...], scale: float, zero: int, **options: Any) -> int:
        return model.tensor(shape, dtype, None if floats else scale, 0 if floats or wide else zero, **options)

    unit = 0.03 / (256 if wide else 1)
    hidden = 1 / (1 << 15 if wide else 130)
    x = tensor(shape(inputs), unit, 5)

    def weights(columns: int) -> tuple[int, float]:
        scale = float(np.float32(0.004 * (1 + random.random())))
        if floats:
            return model.constant(random.normal(size=(units, columns)), "float32"), scale
        return model.constant(np.maximum(raws(random, (units, columns)), -127), "int8", scales=scale), scale

    entered, kept = [weights(inputs) for _ in range(4)], [weights(units)[0] for _ in range(4)]
    biases = [
        model.constant(random.normal(size=units), "float32")
        if floats
        else model.constant(random.integers(-4000, 4000, units), "int64" if wide else "int32", scales=unit * scale)
        for _, scale in entered
    ]
    states = [tensor((1, units), hidden, -3, kept=True)]
    states.append(model.tensor((1, units), "float32" if floats else "int16", None if floats else 2.0**cell, kept=True))
    y = tensor(shape(units), hidden, -3)
    given = [x, *(index for index, _ in entered), *kept, *[NOTHING] * 3, *biases, NOTHING, NOTHING, *states]
    options = dict(FusedActivationFunction=TANH, CellClip=clip, ProjClip=0.0, TimeMajor=time_major)
    model.op("UNIDIRECTIONAL_SEQUENCE_LSTM", [*given, *[NOTHING] * 4], y, **options)
    return model.finish([x], [y])
