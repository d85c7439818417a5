"""The front end of the example, its clips, and the program for the Uno."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tinyml
from tinyml import features

SAMPLES = 5120
"""0.64 seconds: what an answer is given for."""
NOISE, CLASSES = 10, 11
"""The class of noise and silence, behind those of the digits."""
FRONT_END = features.Spectrogram(
    samples=SAMPLES, frame=256, hop=128, rate=8000, bands=10, low=100, high=3800, floor=0.1, normalise=0.05
)


def load_clips(file: Path) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Return clips with samples from -1 to 1, their digits and their speakers."""
    with np.load(file) as data:
        samples = data["samples"].astype(np.float32) / 32768
        clips = np.split(samples, data["offsets"][1:-1])
        return clips, data["digit"].astype(np.int64), data["speaker"]


def at_start(clips: list[np.ndarray]) -> np.ndarray:
    """Signals (n, SAMPLES) in which each clip begins after 300 samples of silence; a clip that is too long is
    truncated.
    """
    signals = np.zeros((len(clips), SAMPLES), np.float32)
    for signal, clip in zip(signals, clips, strict=True):
        part = clip[: SAMPLES - 300]
        signal[300 : 300 + len(part)] = part
    return signals


def compiled(
    model: Path, signals: Path, stride: int | None = None, format: str = "zeroskew", width: int = 8
) -> tinyml.Program:
    """The program that consists of the front end and a model, compiled for an Uno.

    model: the file of the model.
    signals: an .npz file with signals on which the scales of formats are chosen.
    stride: the number of frames from one answer to the next; None for the default of tinyml.
    format: the number format of the network. In zero-skew integers, the results of a ReLU use all numbers, not half.
    width: the bits of a number.
    """
    with np.load(signals) as data:
        some = data["x"].astype(np.float32) / 32768
    whole = features.for_device(FRONT_END, some).followed_by(model)
    return tinyml.compile(whole, some, board="uno", input="push", stride=stride, format=format, width=width)


def share_understood(program: tinyml.Program, sounds: np.ndarray, digits: np.ndarray) -> float:
    """The share of sounds for which the right digit has the greatest score; the score of the class noise is ignored."""
    return float((program.scores(sounds)[:, :NOISE].argmax(1) == digits).mean())
