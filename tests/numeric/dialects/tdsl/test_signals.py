"""Ops of signals, compared with numpy, scipy and TFLM on reals, and bit for bit on devices."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES, roomy
from programs.on_boards import difference, printed
from programs.signals import (
    BIQUAD,
    block_program,
    decibels,
    every_op,
    noise,
    spectrum,
    tflm_filter_bank,
    tflm_rfft,
    tones,
    transform_program,
    with_format,
)
from programs.spread import spread
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.tdsl.signals import PERIOD, BinsOp, BiquadOp, MagnitudeOp, PowerOp, SquareWavesOp
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.signals.front_ends import filter_bank, mel_matrix
from tinyml.lowering.frontends.signals.square_waves import SquareWaves
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.driver.measure import first_mismatch

MOST = {"uno": 60_000, "cortex-m4": 12_816}
"""Cycles or instructions of 256 points with the copy of their input; on Cortex-M4 1.3 times those of `arm_rfft_q15`."""


def reals_of(module: ModuleOp, signals: NDArray[np.float32]) -> NDArray[np.float64]:
    """The scores of a program with formats, converted to reals."""
    last = predict_function(module).body.block.last_op
    assert last is not None
    scores = evaluate(module, encode_inputs(module, signals)).scores
    assert scores is not None
    return tdsl.format_of(last.operands[0]).decode(scores).reshape(len(signals), -1)


def loud(length: int) -> NDArray[np.float32]:
    """Seven signals, of shape (7, length): two tones, two of noise, and three for which sums saturate, namely two
    square waves and a constant -1.
    """
    square = np.sign(tones(2, length, 5)).astype(np.float32)
    return np.concatenate([tones(2, length, 6), noise(2, length, 7), square, -np.ones((1, length), np.float32)])


@pytest.mark.parametrize("length", [8, 16, 64, 128, 512, 1024])
def test_transforms_of_reals(length: int):
    signals = noise(3, length, length)
    found = evaluate_reals(transform_program(length), signals).scores
    assert found is not None
    np.testing.assert_allclose(found.reshape(3, -1), spectrum(signals), atol=1e-11)


@pytest.mark.parametrize(("bins", "power", "error"), [(PowerOp, 2, 1e-6), (MagnitudeOp, 1, 0.03)])
def test_numbers_of_bins(bins: type[BinsOp], power: int, error: float):
    signals = noise(20, 64, 1)
    wanted = np.abs(np.fft.rfft(signals.astype(np.float64)))[:, :-1] ** power
    found = evaluate_reals(transform_program(64, bins), signals).scores
    assert found is not None
    np.testing.assert_allclose(found.reshape(20, -1), wanted, rtol=error)


@pytest.mark.parametrize("kind", [tones, noise])
def test_16_bits_with_static_scales_keep_65_decibels(kind: type):
    """The signal-to-noise ratio of a spectrum exceeds 65 dB for signals at full scale and 45 dB for signals at a tenth
    of it. The scales are those of a profile of other signals.
    """
    module = with_format(transform_program(256), kind(60, 256, 0), "fixed", 16)
    source = tdsl.format_of(predict_function(module).body.block.args[0])
    for level, least in ((1.0, 65.0), (0.1, 45.0)):
        signals = kind(200, 256, 1, level)
        rounded = source.decode(encode_inputs(module, signals)).reshape(len(signals), -1)
        assert decibels(reals_of(module, signals), spectrum(rounded)).min() > least


@pytest.mark.parametrize("kind", [tones, noise])
def test_a_block_exponent_keeps_60_decibels_at_any_level(kind: type):
    profile = np.concatenate([kind(60, 256, 0), kind(10, 256, 2, 0.01)])
    module = with_format(block_program(256), profile, "fixed", 16)
    last = predict_function(module).body.block.last_op
    assert last is not None
    source, *formats = map(tdsl.format_of, (predict_function(module).body.block.args[0], *last.operands))
    for level, least in ((1.0, 65.0), (0.1, 60.0), (0.03, 57.0)):
        signals = kind(200, 256, 1, level)
        raws = encode_inputs(module, signals)
        found = evaluate(module, raws)
        assert found.scores is not None
        pairs = zip(formats, (found.scores, *found.more), strict=True)
        bins, factor = (format.decode(values).reshape(len(signals), -1) for format, values in pairs)
        assert (np.abs(signals).max(1) * factor[:, 0] < 1).all()
        assert decibels(bins / factor, spectrum(source.decode(raws).reshape(len(signals), -1))).min() > least


def test_transforms_are_closer_than_those_of_tflm():
    module = with_format(transform_program(256), tones(60, 256, 0), "fixed", 16)
    samples = np.round(32767 * tones(1, 256, 3)).astype(np.int16)
    wanted = np.fft.rfft(samples[0].astype(np.float64))[:-1] / 256
    theirs = tflm_rfft(samples[0])[:-1]
    ours = reals_of(module, (samples / 32768).astype(np.float32))[0] * 128
    ours = ours[0::2] + 1j * ours[1::2]
    assert np.abs(theirs - wanted)[1:].max() < 16
    assert np.abs(ours - wanted)[1:].max() < 2 < np.abs(theirs - wanted)[1:].max()


def test_bands_are_those_of_tflm():
    """The bands on reals differ from those of TFLM's filter bank for the same magnitudes by at most the fraction 4e-4,
    since TFLM rounds the weights to 12 bits. Those in 16-bit fixed point differ by at most the fraction 2e-3.
    """
    matrix, to = mel_matrix(10, 128, 8000, 100, 3800), ModelBuilder("bands.py")
    module = to.module([filter_bank(to, to.argument(TensorType(f32, (1, 128)), "x"), matrix)])
    magnitudes = np.random.default_rng(0).integers(0, 30_000, (40, 128)).astype(np.float32)
    theirs = np.stack([tflm_filter_bank(row, matrix) for row in magnitudes])
    ours = evaluate_reals(module, magnitudes).scores
    assert ours is not None
    np.testing.assert_allclose(theirs, ours.reshape(40, -1), rtol=4e-4)
    fixed = reals_of(with_format(module, magnitudes, "fixed", 16), magnitudes)
    np.testing.assert_allclose(fixed, theirs, rtol=2e-3)


@pytest.mark.long
@pytest.mark.parametrize(("format", "width"), spread([("fixed", 12), ("f32", None), ("posit", 8), ("zeroskew", 8)], 2))
def test_the_host_gives_the_same_bits(format: str, width: int | None, tmp_path: Path):
    module = with_format(every_op(16), tones(20, 16, 0), format, width)
    source = printed(module, "host", tmp_path / "c")
    assert difference(module, encode_inputs(module, loud(16)), source, HostRunner(), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 4))
def test_devices_give_the_same_bits(device: str, tmp_path: Path):
    """A program with every op of signals computes the evaluator's bits on devices, also if sums overflow. Profiles of
    tones and of noise alternate, which results in different scales.
    """
    module = with_format(every_op(64), tones(10, 64, 0) if device in DEVICES[::2] else noise(10, 64, 0), "fixed", 16)
    source = printed(module, device, tmp_path / "c")
    assert difference(module, encode_inputs(module, loud(64)), source, runner_for(roomy(device)), tmp_path) is None


@pytest.mark.long
@pytest.mark.parametrize("device", MOST)
@pytest.mark.parametrize(("program", "more"), [(transform_program, 0), (block_program, 9_000)])
def test_256_points_in_place(device: str, program: Callable[[int], ModuleOp], more: int, tmp_path: Path):
    module = with_format(program(256), tones(20, 256, 0), "fixed", 16)
    source, runner, interface = printed(module, device, tmp_path / "c"), runner_for(device), interface_of(module)
    build = runner.build(source, interface, tmp_path)
    assert build.static_bytes <= 2 * 512 + 8
    raws = encode_inputs(module, tones(2, 256, 1))
    result = runner.run(build, interface, raws)
    assert first_mismatch(evaluate(module, raws), Outputs(result.labels, result.scores, result.more)) is None
    assert result.cycles is not None
    assert result.cycles.max() < MOST[device] + more


def test_biquads_filter_as_those_of_scipy():
    # The package has no types, and takes long to load.
    sosfilt: Any = import_module("scipy.signal").sosfilt
    to, signals = ModelBuilder("biquad.py"), noise(4, 50, 2)
    module = to.module([to.op(BiquadOp, to.argument(TensorType(f32, (1, 50)), "x"), BIQUAD)])
    wanted = sosfilt([[*BIQUAD[:3], 1.0, *BIQUAD[3:]]], signals)
    found = evaluate_reals(module, signals).scores
    assert found is not None
    np.testing.assert_allclose(found.reshape(4, -1), wanted, atol=1e-12)
    assert np.abs(reals_of(with_format(module, signals, "fixed", 16), signals) - wanted).max() < 2e-4


def test_square_waves_are_sums_of_samples():
    """The mean products with square waves are those of Gural and Murmann's equations (25) and (26), divided by the
    length of the chunk.
    """
    to, signals, steps = ModelBuilder("waves.py"), noise(4, 40, 3), np.array([300, 5000])
    chunk = to.argument(TensorType(f32, (1, 40)), "x")
    module = to.module([to.reshape(to.op(SquareWavesOp, chunk, to.index(100), steps.tolist()), (1, 4))])
    turns = (100 + np.arange(40)[:, None]) * steps / PERIOD
    waves = [np.where((turns - late) % 1 < 0.5, 1, -1) for late in (0.25, 0)]
    wanted = np.concatenate([signals.astype(np.float64) @ wave / 40 for wave in waves], 1)
    found = evaluate_reals(module, signals).scores
    assert found is not None
    np.testing.assert_allclose(found.reshape(4, -1), wanted, atol=1e-12)


def test_square_waves_are_odd_harmonics():
    """Equations (28) to (31) of Gural and Murmann: the mean product with a square wave of m periods is 4/pi times the
    sum of bin m, a third of bin 3m and a fifth of bin 5m.

    In a chunk of 1,024 samples, the mean product with a square wave of 16 periods detects tones of 16, 48 and 80
    periods; for a tone of 32 periods it is 0.
    """
    length, m = 1024, 16
    at = np.arange(length)
    seen: dict[int, float] = {}
    for harmonic in (1, 2, 3, 5):
        signal = np.cos(2 * np.pi * m * harmonic * (at + 0.5) / length)[None].astype(np.float32)
        to = ModelBuilder("waves.py")
        chunk = to.argument(TensorType(f32, (1, length)), "x")
        step = PERIOD * m // length
        module = to.module([to.reshape(to.op(SquareWavesOp, chunk, to.index(0), [step]), (1, 2))])
        scores = evaluate_reals(module, signal).scores
        assert scores is not None
        seen[harmonic] = float(np.hypot(*scores.ravel()))
    # A tone of amplitude 1 is 1/2 in a bin of the transform.
    assert seen[1] == pytest.approx(4 / np.pi / 2, rel=0.01)
    assert seen[1] / seen[3] == pytest.approx(3, rel=0.02)
    assert seen[1] / seen[5] == pytest.approx(5, rel=0.05)
    assert seen[2] == pytest.approx(0, abs=1e-6)


def test_memory_of_square_waves():
    """Gural and Murmann, D.2: the state consists of two sums for each of H = 5 chunks and M = 32 frequencies, however
    many samples the window contains. For each chunk of D = 256 samples, an op adds 256 x 64 terms, and a product of
    matrices 5 x 64.
    """
    waves = SquareWaves(samples=16000, hop=256, rate=16000.0, chunks=5, frequencies=tuple(range(100, 3300, 100)))
    assert waves.features == 32
    ops = list(waves.module().walk())
    carried = [value for op in ops if isinstance(op, scf.ForOp) for value in op.iter_args]
    assert [tdsl.shape_of(value) for value in carried] == [(62, 32), (5, 2 * 32)]
    [sums] = [op for op in ops if isinstance(op, SquareWavesOp)]
    assert [tdsl.shape_of(value) for value in (sums.operands[0], sums.results[0])] == [(1, 256), (2, 32)]
    [weighted] = [op for op in ops if isinstance(op, tdsl.MatmulOp)]
    assert [tdsl.shape_of(value) for value in weighted.operands] == [(1, 5), (5, 64)]


def test_powers_of_square_waves():
    """Gural and Murmann's equation (27): the power is the sum of the squares of both weighted sums over the chunks. The
    weights are a Hamming window of 5 chunks, 0.54 - 0.46 cos(2 pi t).
    """
    waves = SquareWaves(samples=200, hop=40, rate=8000.0, chunks=5, frequencies=(300.0, 1000.0))
    signal = noise(1, 200, 3)
    turns = np.arange(200)[:, None] * waves.steps / PERIOD
    weights = 0.54 - 0.46 * np.cos(2 * np.pi * (np.arange(5) + 0.5) / 5)
    expected = np.zeros(2)
    for late in (0.25, 0):
        products = signal[0].astype(np.float64)[:, None] * np.where((turns - late) % 1 < 0.5, 1, -1)
        chunks = products.reshape(5, 40, 2).mean(1)[::-1]
        expected += (weights @ chunks) ** 2
    found = evaluate_reals(waves.module(), signal).scores
    assert found is not None
    np.testing.assert_allclose(found.reshape(-1, 2)[-1], expected, rtol=1e-5)


def test_butterflies_whose_sums_all_round_to_zero():
    """The result has the shape of the input, although each number of it is zero in its coarse format."""
    numbers, coarse = "tensor<1x16x!fixed.q<8, 7>>", "tensor<1x16x!fixed.q<8, -8>>"
    text = f"""func.func @transform(%x: {numbers}) -> {coarse} {{
      %y = tdsl.butterflies %x {{radix = 2 : i64, span = 1 : i64}} : {numbers} -> {coarse}
      func.return %y : {coarse}
    }}"""
    scores = evaluate(Parser(context(), text).parse_module(), np.full((3, 16), 100, np.int8)).scores
    assert scores is not None
    assert scores.tolist() == np.zeros((3, 16)).tolist()
