"""The front end of microWakeWord equals pymicro-features (`tests/models/microwakeword`), also on devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES, roomy
from programs.on_boards import difference, printed
from programs.signals import tflm_rfft
from programs.sounds import recording, sounds
from programs.spread import spread
from xdsl.dialects.builtin import TensorType

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.tdsl.signals import ScaledSpectrumOp, channels
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.signals.micro_frontend import ESPHOME_UNIT, UNIT, MicroFrontend
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of

EXPECTED = Path(__file__).parents[3] / "models" / "microwakeword" / "expected.npz"

MOST_INSTRUCTIONS = 53_500
"""Instructions of a frame on a Cortex-M4; TensorFlow Lite Micro's own front end, compiled with -Os, takes 89,638."""


def _integers(front_end: MicroFrontend, samples: NDArray[np.int16]) -> NDArray[np.int64]:
    """The integer features of sounds (n, samples), of shape (n, frames, channels)."""
    scores = evaluate(front_end.module(), samples).scores
    assert scores is not None
    return scores.reshape(len(samples), -1, front_end.channels).astype(np.int64)


@pytest.mark.long(seconds=10)
def test_ten_seconds_have_the_integers_of_pymicro_features():
    given = sounds()
    found = _integers(MicroFrontend(samples=160_000), np.stack([*given.values()]))
    with np.load(EXPECTED) as expected:
        for name, features in zip(given, found, strict=True):
            assert features.shape == (998, 40)
            np.testing.assert_array_equal(features, expected[name], name)


def test_frames_of_which_some_are_computed_together():
    samples = sounds()["speech"][None, : 480 + 8 * 160]
    rows = _integers(MicroFrontend(samples=samples.shape[1], rows=3), samples)
    np.testing.assert_array_equal(rows, _integers(MicroFrontend(samples=samples.shape[1]), samples))


def test_reals_are_the_integers_in_units():
    samples = recording()[None, :1120].astype(np.int16)
    front_end = MicroFrontend(samples=1120)
    found = evaluate_reals(front_end.module(), (samples / 32768).astype(np.float32)).scores
    assert found is not None
    np.testing.assert_array_equal(found.reshape(1, -1, 40), _integers(front_end, samples) * UNIT)


def test_spectra_are_those_of_tflm():
    """Spectra equal TFLM's. Samples are doubled as long as they fit 16 bits; bin 0 contains the number of doublings
    instead of the mean.
    """
    random = np.random.default_rng(0)
    peaks = (1, 2, 255, 256, 16_383, 16_384, 32_767)
    rows = np.stack([np.rint(peak * random.uniform(-1, 1, 512)) for peak in peaks]).astype(np.int16)
    rows[:, 7] = peaks
    to = ModelBuilder("spectrum.py")
    x = to.argument(TensorType(FixedType(16, 15), (1, 512)), "x")
    scores = evaluate(to.module([to.op(ScaledSpectrumOp, x, FixedType(16, 15))]), rows).scores
    assert scores is not None
    bins = scores.reshape(len(rows), 256, 2)
    assert bins[:, 0].tolist() == [[15 - peak.bit_length(), 0] for peak in peaks]
    for row, doublings, found in zip(rows, bins[:, 0, 0], bins, strict=True):
        theirs = tflm_rfft(row << doublings)[1:256]
        np.testing.assert_array_equal(found[1:, 0] + 1j * found[1:, 1], theirs)


SCALE = float(np.float32(26 / 255))
"""The scale of the inputs of microWakeWord's models; their zero point is -128."""

QUANTISED: dict[float, Callable[[NDArray[np.int64]], NDArray[np.int64]]] = {
    UNIT: lambda x: np.round(x * 0.0390625 / SCALE - 128).astype(np.int64),
    ESPHOME_UNIT: lambda x: (x * 256 + 333) // 666 - 128,
}
"""What pymicro-wakeword and ESPHome compute of an integer feature."""


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("unit", QUANTISED)
def test_features_of_8_bits_are_the_inputs_of_both_users(unit: float):
    """8-bit features equal the inputs that ESPHome and pymicro-wakeword compute, clamped to 127. ESPHome clamps them
    itself; in pymicro-wakeword, greater features wrap around.
    """
    samples = np.stack([sounds()[name][:40_000] for name in ("speech", "full scale")])
    integers = _integers(MicroFrontend(samples=40_000), samples)
    assert integers.max() > 666
    found = _integers(MicroFrontend(samples=40_000, unit=unit, scale=SCALE), samples)
    np.testing.assert_array_equal(found, np.minimum(QUANTISED[unit](integers), 127))


@pytest.mark.long
@pytest.mark.parametrize("scale", [None, SCALE])
@pytest.mark.parametrize("device", spread(DEVICES, 4))
def test_devices_give_the_same_bits(device: str, scale: float | None, tmp_path: Path):
    given = sounds()
    parts = given["speech"][4_000:], given["noise"][50_000:], given["full scale"][70_000:], given["full scale"][95_000:]
    samples = np.stack([part[:800] for part in parts])
    module = MicroFrontend(samples=800, scale=scale).module()
    source = printed(module, device, tmp_path / "c")
    assert difference(module, samples, source, runner_for(roomy(device)), tmp_path) is None


def test_instructions_of_a_frame(tmp_path: Path):
    module, runner = MicroFrontend(samples=1120).module(), runner_for("cortex-m4")
    interface = interface_of(module)
    build = runner.build(printed(module, "cortex-m4", tmp_path / "c"), interface, tmp_path)
    result = runner.run(build, interface, recording()[None, 4_000:5_120].astype(np.int16))
    assert result.cycles is not None
    assert result.cycles.max() / 5 < MOST_INSTRUCTIONS


def test_logarithms_in_single_precision():
    x = np.random.default_rng(0).uniform(0, 12, 2000).astype(np.float32)
    exact = np.array([math.log1p(float(each)) for each in x])
    found = np.array([channels.log1p(each) for each in x])
    # At most an ulp from the exact logarithm, which is not always rounded to nearest.
    assert (np.abs(found - exact) <= np.spacing(exact.astype(np.float32))).all()
    assert (found != exact.astype(np.float32)).any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"frame": 64}, "from 65 to 128, from 257 to 512 or from 1025 to 2048 samples, got 64"),
        ({"frame": 129}, "got 129"),
        ({"frame": 256}, "got 256"),
        ({"frame": 1024}, "got 1024"),
        ({"frame": 2049}, "got 2049"),
        ({"rate": math.inf}, "do not fit inf samples per second"),
        ({"offset": 0.0}, "offset is finite and above 0, got 0.0"),
        ({"offset": math.nan}, "offset is finite and above 0, got nan"),
        ({"unit": 0.0}, "unit is finite and above 0, got 0.0"),
        ({"unit": -1.0, "offset": -1.0}, "is finite and above 0, got -1.0"),
        ({"unit": math.inf}, "unit is finite and above 0, got inf"),
        ({"scale": math.nan}, "8-bit features have a scale above"),
        ({"scale": math.inf}, "8-bit features have a scale above"),
        ({"strength": 0.0}, r"strength in \(0, 1\]"),
    ],
)
def test_options_that_no_front_end_has(options: dict[str, Any], said: str):
    with pytest.raises(InputError, match=said):
        MicroFrontend(**options)


@pytest.mark.parametrize("frame", [65, 128, 257, 512, 1025, 2048])
def test_frames_at_the_limits_have_a_program(frame: int):
    MicroFrontend(frame=frame).module().verify()
