"""Sounds of 16 kHz in 16 bits, equal on every computer."""

from __future__ import annotations

import wave
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

RECORDING = Path(__file__).parents[1] / "recordings" / "yes_1000ms.wav"
WAKE_WORDS = Path(__file__).parents[1] / "models" / "microwakeword"

LENGTH = 160_000
"""The samples of each sound: ten seconds."""


def recording() -> NDArray[np.int64]:
    """The samples of the recording of the word "yes"."""
    return _samples(RECORDING)


def wake_word(name: str = "hey_jarvis") -> NDArray[np.int16]:
    """The samples of "hey jarvis" or "okay nabu", spoken by a speech synthesiser."""
    return _samples(WAKE_WORDS / f"{name}.wav").astype(np.int16)


def _samples(path: Path) -> NDArray[np.int64]:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.int64)


def sounds() -> Mapping[str, NDArray[np.int16]]:
    """Speech, noise of several levels, silence, and samples at full scale, by name. All have the same length."""
    yes = recording()
    louder = np.clip(yes * 3, -(1 << 15), (1 << 15) - 1)
    speech = np.concatenate([yes, yes // 7, louder, yes[::-1], yes[::2], yes * 2 // 3, np.repeat(yes, 2)])
    random = np.random.default_rng(0)
    levels = np.repeat([3, 40, 600, 9_000, 30_000], LENGTH // 5)
    noise = random.integers(-32_768, 32_768, LENGTH) * levels >> 15
    full = np.where(random.integers(0, 2, LENGTH), 32_767, -32_768)
    # A square wave of 400 Hz, and the least integer alone.
    full[: LENGTH // 4] = np.where(np.arange(LENGTH // 4) // 20 % 2, 32_767, -32_768)
    full[LENGTH // 4 : LENGTH // 2] = -32_768
    found = {"speech": np.resize(speech, LENGTH), "noise": noise, "silence": np.zeros(LENGTH), "full scale": full}
    return {name: samples.astype(np.int16) for name, samples in found.items()}
