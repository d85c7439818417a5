"""False alarms of wake words in spoken digits and in noise.

    python -m measured.wake_word_alarms CLIPS.npz

CLIPS.npz is the Free Spoken Digit Dataset in the form that `examples/spoken_digits/train.py` reads. The noise is that
of `examples/spoken_digits/detect.py`. Both are interpolated from 8 to 16 kHz.
"""

from __future__ import annotations

import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from programs.paths import ROOT, TESTS

import tinyml

WORDS = "hey_jarvis", "okay_nabu"
RATE = 16_000
PART = 300 * RATE
"""The samples that a program processes from its initial state."""

NOISE = 3600
"""Seconds of noise."""

CONFIDENCE = 0.95


def sounds(clips: Path) -> dict[str, NDArray[np.float32]]:
    """Samples from -1 to 1 at 16 kHz, by kind of sound."""
    sys.path.append(str(ROOT / "examples" / "spoken_digits"))
    detect: Any = import_module("detect")
    with np.load(clips) as data:
        digits = data["samples"].astype(np.float32) / 32768
    noise = np.concatenate([*detect.noises(NOISE, np.random.default_rng(0))])
    return {"spoken digits": _doubled(digits), "noise": _doubled(noise)}


def _doubled(samples: NDArray[Any]) -> NDArray[np.float32]:
    return np.interp(np.arange(2 * len(samples)) / 2, np.arange(len(samples)), samples).astype(np.float32)


def main(clips: Path) -> None:
    """Print the minutes, the false alarms, the greatest mean probability, and the rate of false alarms per hour that is
    excluded with `CONFIDENCE` (nan after an alarm).
    """
    given = sounds(clips)
    for word in WORDS:
        program = tinyml.compile(TESTS / "models" / "microwakeword" / f"{word}.json", board="host")
        for name, samples in given.items():
            parts = [samples[at : at + PART] for at in range(0, len(samples) - RATE, PART)]
            heard = [program.listen(part) for part in parts]
            alarms = sum(len(each.words(background=["nothing"])) for each in heard)
            greatest = max(float(each.scores[:, 1].max()) for each in heard)
            bound = -math.log(1 - CONFIDENCE) * 3600 * RATE / len(samples) if alarms == 0 else math.nan
            print(f"{word} | {name}: {len(samples) / RATE / 60:.0f}, {alarms}, {greatest:.3f}, {bound:.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
