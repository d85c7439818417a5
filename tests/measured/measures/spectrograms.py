"""Two spectrograms of a recorded word: log-mel bands, and sums of square waves (Gural and Murmann, figure 12)."""

from __future__ import annotations

import math
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from programs.paths import TESTS

from measured.store import Values
from tinyml.lowering.frontends.signals.front_ends import FrontEnd, Spectrogram
from tinyml.lowering.frontends.signals.square_waves import SquareWaves
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.tools.reports.svg import Drawing

RECORDING = TESTS / "recordings/yes_1000ms.wav"

RATE, HOP, CHUNKS, BANDS = 16000, 256, 5, 32
LOW, HIGH = 100.0, 4000.0
"""In Hz."""

FRAME = 4 * HOP
FLOOR = 1e-6

LEVELS = 16
"""Of the brightness of a picture, a hexadecimal digit for each pixel."""


def spectrograms(_models: Path | None) -> Values:
    """The correlation of the two spectrograms, the number of bands, and the levels of each band over time as
    hexadecimal digits, the lowest band first.
    """
    mel = features(Spectrogram(
        samples=RATE, frame=FRAME, hop=HOP, rate=RATE, power=True, bands=BANDS, low=LOW, high=HIGH, floor=FLOOR
    ))  # fmt: skip
    waves = features(
        SquareWaves(samples=RATE, hop=HOP, rate=RATE, chunks=CHUNKS, frequencies=centres(), floor=FLOOR / 10)
    )
    # A frame ends with the chunk by which its square waves are summed up.
    waves = waves[FRAME // HOP - 1 :][: len(mel)]
    correlation = float(np.corrcoef(mel.ravel(), waves.ravel())[0, 1])
    return {"correlation": round(correlation, 3), "bands": BANDS, "mel": levels(mel), "waves": levels(waves)}


def centres() -> Sequence[float]:
    """The centre frequencies of the mel bands."""
    low, high = (1127 * math.log1p(end / 700) for end in (LOW, HIGH))
    return (700 * np.expm1(np.linspace(low, high, BANDS + 2)[1:-1] / 1127)).tolist()


def features(front_end: FrontEnd) -> NDArray[np.float64]:
    """The features of each frame of the recording, computed in floating point."""
    with wave.open(str(RECORDING)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / (1 << 15)
    scores = evaluate_reals(front_end.module(), samples[None]).scores
    assert scores is not None
    return scores.reshape(-1, front_end.features).astype(np.float64)


def levels(rows: NDArray[np.float64]) -> list[str]:
    shares = (rows - rows.min()) / np.ptp(rows)
    return ["".join(f"{level:x}" for level in band) for band in (shares.T * (LEVELS - 1)).round().astype(int)]


def drawn(found: Values) -> str:
    """An SVG picture of both spectrograms, with the log-mel bands above the square waves. Time increases to the right,
    frequency upwards.
    """
    pixel, left, top = 7, 12, 26
    wide, high = pixel * len(found["mel"][0]), pixel * BANDS
    drawing = Drawing(wide + 2 * left, 2 * (high + top) + left, 'Two spectrograms of the word "yes"')
    for number, (title, key) in enumerate((("log-mel", "mel"), ("square waves", "waves"))):
        y = top + number * (high + top)
        drawing.text(left, y - 8, title, "start")
        dark = 255 // (LEVELS - 1) * np.array([[int(digit, LEVELS) for digit in row] for row in found[key][::-1]])
        drawing.pixels(left, y, wide, high, (255 - dark).astype(np.uint8)[:, :, None])
    return drawing.finished()
