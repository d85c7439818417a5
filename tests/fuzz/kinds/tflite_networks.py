"""Small TensorFlow Lite networks with changed structure or bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from programs.tflite_models import OPTIONS, TYPES, TfliteModel

from fuzz.kinds.files import damaged
from fuzz.verdicts import OPT, TINYML, call

EXTENTS = (-(1 << 31), -129, -2, -1, 0, 1, 2, 3, 7, 255, 1 << 16, (1 << 31) - 1)
SCALES = (0.5, 1.0, 1e-30, 1e30, 0.0, -1.0, float("nan"), float("inf"))
SHAPES = (
    (),
    (0,),
    (12,),
    (1, 12),
    (2, 6),
    (1, (1 << 31) - 1),
    (1, -1),
    (3, 2, 2),
    (1, 2, 2, 3),
    (1,) * 7,
    (1 << 16,) * 4,
)
KINDS = (
    *("EXPAND_DIMS", "HARD_SWISH", "LOGISTIC", "PAD", "PADV2", "RELU", "RELU6", "RESHAPE", "SLICE", "SQUEEZE", "TANH"),
    *("TRANSPOSE", "QUANTIZE", "DEQUANTIZE", "SVDF", "READ_VARIABLE", "ASSIGN_VARIABLE", "WHILE", "CUSTOM", "FILL"),
    *("SHAPE", "BROADCAST_ARGS", "BROADCAST_TO", "TILE", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND", "REVERSE_V2"),
    *("MAXIMUM", "MINIMUM", "ELU", "PRELU"),
    *OPTIONS,
)

COMPILED, LOWERED = 0.01, 0.1
"""The parts of the cases that are compiled, and that are lowered to loops."""


@dataclass
class Network(TfliteModel):
    """A TensorFlow Lite model under construction, with its inputs and outputs; cases may change all of its fields."""

    inputs: list[int] = field(default_factory=list[int])
    outputs: list[int] = field(default_factory=list[int])

    @property
    def content(self) -> bytes:
        return self.finish(self.inputs, self.outputs)


def dense(random: Random) -> Network:
    """A network with a dense layer, up to three elementwise ops and a softmax, in integers or floats."""
    model = Network()
    dtype = random.choice(["int8", "int8", "int8", "uint8", "int16", "float32"])
    quantized: dict[str, Any] = {} if dtype == "float32" else {"scales": 0.5, "zero_point": 0}
    wide = {"int16": "int64", "float32": "float32"}.get(dtype, "int32")
    narrow = {"float32": "float32", "uint8": "uint8"}.get(dtype, "int8")

    def tensor(*shape: int) -> int:
        return model.tensor(shape, dtype, **quantized)

    x, y = tensor(1, 4), tensor(1, 3)
    weights = model.constant(np.ones((3, 4)), narrow, **quantized)
    bias = model.constant(np.ones(3), wide, **({"scales": 0.25} if quantized else {}))
    model.op("FULLY_CONNECTED", [x, weights, bias], y, FusedActivationFunction=random.randrange(2))
    for _ in range(random.randint(0, 3)):
        z = tensor(1, 3)
        match kind := random.choice(["RELU6", "TANH", "LOGISTIC", "HARD_SWISH", "LEAKY_RELU", "ADD", "MUL", "SUB"]):
            case "ADD" | "MUL" | "SUB":
                model.op(kind, [y, random.choice([y, model.constant(np.ones(3), narrow, **quantized)])], z)
            case "LEAKY_RELU":
                model.op(kind, [y], z, Alpha=0.25)
            case _:
                model.op(kind, [y], z)
        y = z
    scores = model.tensor((1, 3), dtype, 2.0**-8 if quantized else None, -128 if dtype == "int8" else 0)
    model.op("SOFTMAX", [y], scores, Beta=1.0)
    model.inputs, model.outputs = [x], random.choice([[scores], [scores, y], [x], [y, y]])
    return model


def image(random: Random) -> Network:
    """A network with a convolution, a pool, and an op that moves, repeats, pads or averages elements."""
    model = Network()

    def tensor(*shape: int) -> int:
        return model.tensor(shape, "int8", 0.5, 1)

    x, y, z = tensor(1, 6, 6, 2), tensor(1, 3, 3, 4), tensor(1, 3, 3, 4)
    scales = {"scales": [0.25] * 4}
    bias = model.constant(np.ones(4), "int32", scales=[0.125] * 4)
    common = dict(StrideW=2, StrideH=2, Padding=0)
    match random.randrange(3):
        case 0:
            weights = model.constant(np.ones((4, 3, 3, 2)), "int8", **scales)
            model.op("CONV_2D", [x, weights, bias], y, DilationWFactor=1, DilationHFactor=1, **common)
        case 1:
            weights = model.constant(np.ones((1, 3, 3, 4)), "int8", axis=3, **scales)
            model.op("DEPTHWISE_CONV_2D", [x, weights, bias], y, DepthMultiplier=2, **common)
        case _:
            y, z = tensor(1, 12, 12, 4), tensor(1, 12, 12, 4)
            weights = model.constant(np.ones((4, 3, 3, 2)), "int8", **scales)
            model.op("TRANSPOSE_CONV", [model.constant([1, 12, 12, 4]), weights, x, bias], y, **common)
    pool = random.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"])
    model.op(pool, [y], z, Padding=0, StrideW=1, StrideH=1, FilterWidth=2, FilterHeight=2)
    side, pixels = (3, 9) if model.tensors[z].shape[1] == 3 else (12, 144)
    movements: dict[str, tuple[Sequence[int], tuple[int, ...], dict[str, Any]]] = {
        "RESHAPE": ([z], (1, pixels * 4), {}),
        "TRANSPOSE": ([z, model.constant([0, 3, 1, 2])], (1, 4, side, side), {}),
        "MEAN": ([z, model.constant([1, 2])], (1, 4), {}),
        "PAD": ([z, model.constant([[0, 0], [1, 1], [0, 1], [0, 0]])], (1, side + 2, side + 1, 4), {}),
        "SLICE": ([z, model.constant([0, 1, 0, 0]), model.constant([1, 1, -1, 2])], (1, 1, side, 2), {}),
        "STRIDED_SLICE": (
            [z, *(model.constant(numbers) for numbers in ([0, 0, 1, 0], [1, side, side, 4], [1, 1, 1, 2]))],
            (1, side, side - 1, 2),
            {},
        ),
        "CONCATENATION": ([z, z], (1, side, side, 8), {"Axis": 3}),
        "SPLIT": ([model.constant(3), z], (1, side, side, 2), {"NumSplits": 2}),
        "RESIZE_NEAREST_NEIGHBOR": ([z, model.constant([2 * side, 7])], (1, 2 * side, 7, 4), {}),
    }
    kind = random.choice(sorted(movements))
    inputs, shape, options = movements[kind]
    parts = [tensor(*shape) for _ in range(2 if kind == "SPLIT" else 1)]
    model.op(kind, inputs, parts, **options)
    model.inputs, model.outputs = [x], random.choice([parts, [parts[0], z, y]])
    return model


def chain(random: Random) -> Network:
    """A network of 99 or 399 operators, each of which reads the result of the previous one."""
    model = Network()
    tensors = [model.tensor((1, 2), "int8", 0.5, 1) for _ in range(random.choice([100, 400]))]
    for before, after in pairwise(tensors):
        model.op(random.choice(["TANH", "RELU", "ADD"]), random.choice([[before], [before, tensors[0]]]), after)
    model.inputs, model.outputs = tensors[:1], tensors[-1:]
    return model


def change_tensor(model: Network, random: Random) -> None:
    index = random.randrange(len(model.tensors))
    spec = model.tensors[index]
    match random.randrange(7):
        case 0:
            spec = replace(spec, dtype=random.choice([*TYPES]))
        case 1:
            spec = replace(spec, shape=random.choice(SHAPES))
        case 2:
            shape = list(spec.shape)
            changed(shape, EXTENTS, random)
            spec = replace(spec, shape=tuple(shape))
        case 3:
            scales = list(spec.scales or [])
            changed(scales, SCALES, random)
            spec = replace(spec, scales=random.choice([scales, scales, scales * 3, None]))
        case 4:
            spec = replace(spec, zero_point=random.choice([-(1 << 63), -129, -128, 0, 127, 255, 300, 1 << 40]))
        case 5:
            spec = replace(spec, axis=random.choice([-1, 0, 1, 3, 4, 7, (1 << 31) - 1]))
        case _ if spec.data is None:
            spec = replace(spec, data=np.zeros(random.choice([1, 12, 144])))
        case _:
            flat = spec.data.reshape(-1)
            cut = flat[: random.randrange(len(flat) + 1)]
            numbers = flat.astype(np.int64)
            numbers[random.randrange(len(flat))] = random.choice([-128, -1, 0, 1, 5, 127])
            spec = replace(spec, data=random.choice([None, cut, np.tile(flat, 2), numbers, numbers]))
    model.tensors[index] = spec


def change_operator(model: Network, random: Random) -> None:
    index = random.randrange(len(model.operators))
    kind, inputs, outputs, options = model.operators[index]
    inputs, outputs, options = list(inputs), list(outputs), dict(options)
    indices = [-2, -1, len(model.tensors), 1 << 30, *range(len(model.tensors))]
    match random.randrange(5):
        case 0:
            kind, options = random.choice(KINDS), {}
        case 1 | 2:
            changed(inputs, indices, random)
        case 3:
            # An operator may come to read what it writes, and two may write the same.
            changed(outputs, [*inputs, *indices], random)
        case _ if options:
            name = random.choice([*options])
            odd = range(8) if name in ("Padding", "FusedActivationFunction") else EXTENTS
            options[name] = random.choice([0.0, -1.0, 1e38] if name in ("Beta", "Alpha") else odd)
        case _:
            pass
    model.operators[index] = kind, inputs, outputs, options


def change_order(model: Network, random: Random) -> None:
    match random.randrange(3):
        case 0:
            random.shuffle(model.operators)
        case 1:
            model.operators.append(random.choice(model.operators))
        case _ if len(model.operators) > 1:
            model.operators.remove(random.choice(model.operators))
        case _:
            pass


def change_interface(model: Network, random: Random) -> None:
    changed(random.choice([model.inputs, model.outputs]), [-1, 1 << 30, *range(len(model.tensors))], random)


CHANGES: tuple[Callable[[Network, Random], None], ...] = (
    *(change_tensor,) * 4,
    *(change_operator,) * 4,
    change_order,
    change_interface,
)


def changed(values: list[Any], choices: Sequence[Any], random: Random) -> None:
    """Remove or replace an element of a list, or insert one. An empty list may be unchanged.

    choices: possible new elements; an inserted element may also be a copy of another one.
    """
    match random.randrange(4):
        case 0 if values:
            del values[random.randrange(len(values))]
        case 1:
            values.insert(random.randrange(len(values) + 1), random.choice([*values, *choices]))
        case _ if values:
            values[random.randrange(len(values))] = random.choice(choices)
        case _:
            pass


@cache
def usual() -> tuple[bytes, ...]:
    """The bytes of some valid networks, which cases change."""
    return tuple(write(Random(seed)).content for seed in range(12) for write in (dense, image))


def with_other_numbers(content: bytes, random: Random) -> bytes:
    """A file with some numbers replaced: FlatBuffers offsets and lengths of four bytes, or vtable entries of two
    bytes.
    """
    piece = bytearray(content)
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.5:
            at = random.randrange(len(piece) // 2) * 2
            struct.pack_into("<H", piece, at, random.choice([0, 2, 4, 6, 8, 255, 65535, random.randrange(64)]))
            continue
        at = random.randrange(len(piece) // 4) * 4
        ends = [len(piece), len(piece) - 4, len(piece) - at, (1 << 32) - max(at, 1)]
        number = random.choice([0, 1, 4, *ends, 1 << 20, (1 << 31) - 1, (1 << 32) - 1, random.randrange(256)])
        struct.pack_into("<I", piece, at, number)
    return bytes(piece)


def tflite(number: int, random: Random, folder: Path) -> str:
    """Import and verify a network, in most cases a changed one, and return the verdict. Some networks are also lowered,
    and a few are compiled.
    """
    match random.randrange(6):
        case 0:
            content = damaged(random.choice(usual()), random)
        case 1:
            content = with_other_numbers(random.choice(usual()), random)
        case _:
            model = chain(random) if random.random() < 0.02 else random.choice([dense, image])(random)
            for _ in range(random.randint(0, 3)):
                random.choice(CHANGES)(model, random)
            content = model.content
    file = folder / "network.tflite"
    file.write_bytes(content)
    way = random.random()
    if way < COMPILED:
        return call(TINYML, "compile", file, "-o", folder / "out", "--target", "host")
    return call(OPT, file, *(["-p", "formats-to-buffers,buffers-to-loops"] if way < COMPILED + LOWERED else []))
