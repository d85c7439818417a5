"""Models in TensorFlow Lite's format: small ones with damaged bytes, and with sizes, numbers and names that mislead."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from programs.tflite_models import TfliteModel

from fuzz.kinds.files import damaged
from fuzz.verdicts import OPT, TINYML, call

EXTENTS = (-1, 0, 1, 2, 3, 7, 1 << 16, (1 << 31) - 1)


def odd(random: Random, usual: Any, others: Sequence[Any]) -> Any:
    """A value that is usual most of the time."""
    return random.choice(others) if random.random() < 0.08 else usual


def dense(random: Random) -> bytes:
    """A dense layer, softmax and further outputs, with shapes and types that may disagree."""
    model, zero = TfliteModel(), odd(random, 3, [-129, -128, 127, 300])
    dtype = odd(random, "int8", ["uint8", "int16", "float32", "int32"])
    x = model.tensor((1, odd(random, 4, EXTENTS)), dtype, 0.5, zero)
    scales = [0.25] * odd(random, 3, [1, 2, 4])
    weights = model.constant(np.ones((3, 4)), "int8", scales=scales, axis=odd(random, 0, [1, 7]))
    kind = odd(random, "int32", ["int64", "int8"])
    bias = model.constant(np.ones(odd(random, 3, [1, 12])), kind, scales=0.125)
    y = model.tensor((1, 3), "int8", odd(random, 1.0, [0.5, 1e-30, -1.0, float("nan")]), 1)
    z = model.tensor((1, 3), "int8", 2.0**-8, -128)
    fused = odd(random, 1, range(8))
    model.op("FULLY_CONNECTED", [x, weights, odd(random, bias, [-1, x, 99])], y, FusedActivationFunction=fused)
    model.op("SOFTMAX", [y], z, Beta=odd(random, 1.0, [0.0, -1.0]))
    return model.finish([x], random.choice([[z], [z, y], [x], [y, y]]))


def image(random: Random) -> bytes:
    """A convolution, pools and movements, with extents, strides and axes that may mislead."""

    def extent(usual: int) -> int:
        return odd(random, usual, [*EXTENTS, -2, 255])

    model = TfliteModel()
    x = model.tensor((1, extent(6), extent(6), 2), "int8", 0.5, 1)
    weights = model.constant(np.ones((3, 3, 3, 2)), "int8", scales=[0.25] * 3)
    bias = model.constant(np.ones(3), "int32", scales=[0.125] * 3)
    y = model.tensor((1, 3, 3, 3), "int8", 1.0, 1)
    z = model.tensor((1, extent(2), 2, 3), "int8", 1.0, 1)
    options = dict(StrideW=extent(2), StrideH=extent(2), DilationWFactor=extent(1), DilationHFactor=extent(1))
    model.op("CONV_2D", [x, weights, bias], y, Padding=random.randrange(2), **options)
    window = dict(StrideW=extent(1), StrideH=1, FilterWidth=extent(2), FilterHeight=2)
    model.op(random.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"]), [y], z, Padding=1, **window)
    last = model.tensor((1, 12), "int8", 1.0, 1)
    kinds = {
        "RESHAPE": [z],
        "TRANSPOSE": [z, model.constant([extent(0), extent(1), 3, 2])],
        "MEAN": [z, model.constant([extent(1), 2])],
        "PAD": [z, model.constant([[0, extent(0)]] * 4)],
        "SLICE": [z, model.constant([0, extent(0), 0, 0]), model.constant([1, extent(-1), 2, 3])],
        "STRIDED_SLICE": [z, *(model.constant([0, extent(0), 0, extent(1)]) for _ in range(3))],
        "CONCATENATION": [z, z],
        "SVDF": [z, z, z, z],
    }
    kind = random.choice(sorted(kinds))
    axis = {"Axis": extent(3)} if kind == "CONCATENATION" else {}
    model.op(kind, kinds[kind], random.choice([last, last, y, x]), **axis)
    return model.finish([x], [random.choice([last, z, y])])


@cache
def usual() -> tuple[bytes, ...]:
    """Some models whose bytes are then damaged."""
    return tuple(write(Random(seed)) for seed in range(8) for write in (dense, image))


def tampered(content: bytes, random: Random) -> bytes:
    """A file with some of its offsets and lengths, which have four bytes, replaced."""
    piece = bytearray(content)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(piece) // 4) * 4
        number = random.choice(
            [0, 1, 4, len(piece), len(piece) - 4, 1 << 20, (1 << 31) - 1, (1 << 32) - 1, random.randrange(256)]
        )
        struct.pack_into("<I", piece, at, number)
    return bytes(piece)


def tflite(number: int, random: Random, folder: Path) -> str:
    """A model through the importer, and some through the compiler."""
    match random.randrange(4):
        case 0:
            content = damaged(random.choice(usual()), random)
        case 1:
            content = tampered(random.choice(usual()), random)
        case _:
            content = random.choice([dense, image])(random)
    file = folder / "network.tflite"
    file.write_bytes(content)
    if random.random() < 0.1:
        return call(TINYML, "compile", file, "-o", folder / "out", "--target", "host")
    return call(OPT, file)
