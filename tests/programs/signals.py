"""Signals, programs of signal ops, and the results of TFLM's signal ops."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType, f32

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.tdsl.signals import BinsOp, BiquadOp, BlockFactorOp, MagnitudeOp, ScaleBlockOp, SquareWavesOp
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.signals.front_ends import transform
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

BIQUAD = (0.2066, 0.4131, 0.2066, -0.3695, 0.1958)
"""The coefficients of a low-pass filter of Butterworth's kind at a fifth of the rate."""


def tones(count: int, length: int, seed: int, level: float = 1.0) -> NDArray[np.float32]:
    """Tones of random frequencies and phases, of shape (count, length).

    Peaks are 0.1 % below the number `level`.
    """
    random = np.random.default_rng(seed)
    turns = random.uniform(0, 0.5, (count, 1)) * np.arange(length) + random.uniform(0, 1, (count, 1))
    signals = np.cos(2 * np.pi * turns)
    return (level * 0.999 * signals / np.abs(signals).max(1, keepdims=True)).astype(np.float32)


def noise(count: int, length: int, seed: int, level: float = 1.0) -> NDArray[np.float32]:
    """Normally distributed noise, of shape (count, length). The peak of each signal is 0.1 % below `level`."""
    signals = np.random.default_rng(seed).normal(size=(count, length))
    return (level * 0.999 * signals / np.abs(signals).max(1, keepdims=True)).astype(np.float32)


def spectrum(signals: NDArray[Any]) -> NDArray[np.float64]:
    """The bins of signals computed by numpy, in the order of `tdsl.real_spectrum`."""
    bins = np.fft.rfft(signals.astype(np.float64))
    ordered = np.stack([bins[:, :-1].real, bins[:, :-1].imag], -1)
    ordered[:, 0, 1] = bins[:, -1].real
    return ordered.reshape(len(signals), -1)


def decibels(found: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.float64]:
    """The signal-to-noise ratio of each row in decibels."""
    return 10 * np.log10((wanted**2).sum(1) / ((found - wanted) ** 2).sum(1))


def transform_program(length: int, bins: type[BinsOp] | None = None) -> ModuleOp:
    """A program that computes the discrete Fourier transform of 1 x `length` samples.

    bins: an op that computes one number for each bin of the transform; None to return the transform.
    """
    to = ModelBuilder("spectrum.py")
    row = transform(to, to.argument(TensorType(f32, (1, length)), "x"))
    return to.module([row if bins is None else to.op(bins, row)])


def block_program(length: int, most: int = 6) -> ModuleOp:
    """A program that doubles 1 x `length` samples at most `most` times, without overflow, and returns their transform
    and the factor.
    """
    to = ModelBuilder("block.py")
    samples = to.argument(TensorType(f32, (1, length)), "x")
    factor = to.op(BlockFactorOp, samples, 1.0, most)
    return to.module([transform(to, to.op(ScaleBlockOp, samples, factor)), factor])


def every_op(length: int) -> ModuleOp:
    """A program that contains each signal op and concatenates three results: the magnitudes of a scaled spectrum,
    square waves, and the factor of the scaling. All of them read a filtered signal.
    """
    to = ModelBuilder("signals.py")
    filtered = to.op(BiquadOp, to.argument(TensorType(f32, (1, length)), "x"), BIQUAD)
    waves = to.op(SquareWavesOp, filtered, to.index(37), [500, 3000, 8191])
    factor = to.op(BlockFactorOp, filtered, 1.0, 4)
    magnitudes = to.op(MagnitudeOp, transform(to, to.op(ScaleBlockOp, filtered, factor)))
    whole, at = to.op(tdsl.FillOp, 0.0, TensorType(f32, (1, length // 2 + 7))), 0
    for part in (magnitudes, to.reshape(waves, (1, 6)), factor):
        whole = to.op(tdsl.InsertSliceOp, part, whole, [to.index(0), to.index(at)])
        at += tdsl.shape_of(part)[1]
    return to.module([whole])


def with_format(module: ModuleOp, signals: NDArray[Any], format: str, width: int | None) -> ModuleOp:
    """Convert a program on reals to a format in place, and return it. The given signals determine the scales."""
    record_profiles(module, signals)
    AssignFormatPass(format, width).apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": "host"}))
    return module


def tflm_rfft(signal: NDArray[np.int16]) -> NDArray[np.complex128]:
    """The frequency bins that TFLM's `SignalRfft` computes from 16-bit samples: the transform divided by the number of
    samples.
    """
    length, int16 = len(signal), import_module("tflite").TensorType.INT16
    result = tflm_op("SignalRfft", [signal], length + 2, int16, {"T": int16, "fft_length": length}).astype(np.float64)
    return result[0::2] + 1j * result[1::2]


def tflm_filter_bank(magnitudes: NDArray[Any], matrix: NDArray[Any]) -> NDArray[np.float64]:
    """The triangular bands that TFLM's `SignalFilterBank` computes from integer magnitudes with 12-bit weights.

    matrix: weights (bands, bins). Where one band falls and the next one rises, their weights add up to 1.
    """
    bins = [np.flatnonzero(row) for row in matrix]
    # A band rises while the one before it falls; the last one falls once that is over.
    ends = [*(int(found[0]) for found in bins), int(bins[-2][-1]) + 1, int(bins[-1][-1]) + 1]
    rising, falling = np.vstack([matrix, 0 * matrix[:1]]), np.vstack([0 * matrix[:1], matrix])
    parts = [slice(first, end) for first, end in pairwise(ends)]
    # Weights count for the band that falls, the others for the one that rises.
    weights, others = (
        np.concatenate([np.round(4096 * rows[i, part]) for i, part in enumerate(parts)]).astype(np.int16)
        for rows in (falling, rising)
    )
    widths = np.diff(ends).astype(np.int16)
    starts, at = np.array(ends[:-1], np.int16), (np.cumsum(widths) - widths).astype(np.int16)
    inputs = [magnitudes.astype(np.uint32), weights, others, starts, at, widths]
    count, uint64 = len(matrix), import_module("tflite").TensorType.UINT64
    return tflm_op("SignalFilterBank", inputs, count, uint64, {"num_channels": count}) / 4096


def tflm_op(name: str, inputs: list[NDArray[Any]], length: int, element: int, options: dict[str, int]) -> NDArray[Any]:
    """The `length` elements that a signal op of TFLM computes; all inputs except the first are constants.

    element: the TensorFlow Lite type of the elements.
    """
    flatbuffers, flexbuffers = import_module("flatbuffers"), import_module("flatbuffers.flexbuffers")
    tflite: Any = import_module("tflite")
    runtime: Any = import_module("tflite_micro.python.tflite_micro.runtime")
    types: Any = tflite.TensorType
    b, spelled = flatbuffers.Builder(1024), flexbuffers.Builder()
    with spelled.Map():
        for key, number in sorted(options.items()):
            spelled.Key(key)
            spelled.Int(number)

    def offsets(items: list[int]) -> int:
        b.StartVector(4, len(items), 4)
        for item in reversed(items):
            b.PrependUOffsetTRelative(item)
        return b.EndVector()

    tensors: list[int] = []
    contents: list[int | None] = [None]
    elements = [{"int16": types.INT16, "uint32": types.UINT32}[str(array.dtype)] for array in inputs]
    for at, (extent, of) in enumerate(zip([*map(len, inputs), length], [*elements, element], strict=True)):
        constant = 0 < at < len(inputs)
        if constant:
            contents.append(b.CreateByteVector(inputs[at].tobytes()))
        shape = b.CreateNumpyVector(np.array([extent], np.int32))
        tflite.TensorStart(b)
        tflite.TensorAddShape(b, shape)
        tflite.TensorAddType(b, of)
        if constant:
            tflite.TensorAddBuffer(b, at)
        tensors.append(tflite.TensorEnd(b))
    tensors_at = offsets(tensors)
    numbers = [range(len(inputs)), [len(inputs)], [0], [len(inputs)]]
    given, made, first, last = (b.CreateNumpyVector(np.array([*each], np.int32)) for each in numbers)
    content = b.CreateByteVector(bytes(spelled.Finish()))
    tflite.OperatorStart(b)
    tflite.OperatorAddInputs(b, given)
    tflite.OperatorAddOutputs(b, made)
    tflite.OperatorAddCustomOptions(b, content)
    operators = offsets([tflite.OperatorEnd(b)])
    tflite.SubGraphStart(b)
    tflite.SubGraphAddTensors(b, tensors_at)
    tflite.SubGraphAddInputs(b, first)
    tflite.SubGraphAddOutputs(b, last)
    tflite.SubGraphAddOperators(b, operators)
    graphs = offsets([tflite.SubGraphEnd(b)])
    code = b.CreateString(name)
    tflite.OperatorCodeStart(b)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(b, tflite.BuiltinOperator.CUSTOM)
    tflite.OperatorCodeAddCustomCode(b, code)
    tflite.OperatorCodeAddBuiltinCode(b, tflite.BuiltinOperator.CUSTOM)
    codes = offsets([tflite.OperatorCodeEnd(b)])
    made_buffers: list[int] = []
    for data in contents:
        tflite.BufferStart(b)
        if data is not None:
            tflite.BufferAddData(b, data)
        made_buffers.append(tflite.BufferEnd(b))
    buffers = offsets(made_buffers)
    tflite.ModelStart(b)
    tflite.ModelAddVersion(b, 3)
    tflite.ModelAddOperatorCodes(b, codes)
    tflite.ModelAddSubgraphs(b, graphs)
    tflite.ModelAddBuffers(b, buffers)
    b.Finish(tflite.ModelEnd(b), b"TFL3")
    interpreter = runtime.Interpreter.from_bytes(bytes(b.Output()), arena_size=1 << 16)
    interpreter.set_input(inputs[0], 0)
    interpreter.invoke()
    return np.asarray(interpreter.get_output(0))
