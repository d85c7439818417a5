"""Spoken digits by other speakers, at other times and in noise: augmentation of the magnitudes of mel bands.

Stretching, a shift of formants, an equaliser and noise are cheap on magnitudes, so that every batch of the training
consists of new examples. The shift of formants is that of vocal tract length perturbation (Jaitly and Hinton, 2013),
the masks are those of SpecAugment (Park et al., 2019).
"""

from __future__ import annotations

import numpy as np
from spoken_digits import FRONT_END, NOISE, SAMPLES

from tinyml import features

STEP = FRONT_END.hop // 2
"""Samples from one frame of `Augmentation.magnitudes` to the next."""
BEFORE = FRONT_END.frame // STEP - 1
"""Frames that begin before the clip."""
WINDOW = SAMPLES // STEP
HANN = np.hanning(FRONT_END.frame + 1)[:-1]
"""The periodic window of the front end."""
SHIFTS = np.exp(np.linspace(-0.2, 0.2, 9))
"""Factors by which formants are shifted."""
RUNNING, PARTLY, SILENT = 0.5, 0.4, 0.12
"""The share of examples in running audio, the share of these that contain only a part of a word, and the share of all
examples that consist of noise."""


class Augmentation:
    """Clips, from which `batch` draws changed examples.

    magnitudes: mel bands of all clips, (clips, frames, SHIFTS, bands). Frames are `STEP` samples apart; before a clip
        are `BEFORE` frames that overlap it.
    """

    def __init__(self, clips: list[np.ndarray], digits: np.ndarray) -> None:
        self.magnitudes = np.stack([shifted_bands(clip) for clip in clips])
        self.peaks = np.array([np.abs(clip).max() for clip in clips])
        self.lengths = np.array([len(clip) for clip in clips]) / STEP
        self.digits = digits
        noise = np.random.default_rng(0).normal(size=500 * FRONT_END.frame).astype(np.float32)
        self.white = bands(noise, FRONT_END.frame, 1.0).mean(0)

    def batch(self, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw `count` examples. Return their features, (count, frames, bands), and their classes."""
        which = random.integers(len(self.digits), size=count)
        running = random.uniform(size=count) < RUNNING
        partly = running & (random.uniform(size=count) < PARTLY)
        silent = random.uniform(size=count) < SILENT
        peaks = 10 ** random.uniform(-1.7, -0.1, (count, 1, 1))
        words = self.words(which, running, partly, random) * equaliser(count, random)
        words *= peaks / self.peaks[which, None, None]
        levels = np.where(
            running[:, None, None],
            0.03 * 10 ** random.uniform(-3, -0.5, (count, 1, 1)),
            peaks * 10 ** random.uniform(-3.5, -1.5, (count, 1, 1)),
        )
        noise = self.noise(levels, np.where(running, 1.0, 0.0), random)
        swelling = 10 ** np.cumsum(random.normal(0, 0.08, (count, FRONT_END.frames, 1)), 1)
        alone = self.noise(10 ** random.uniform(-4, -0.5, (count, 1, 1)) * swelling, np.full(count, 1.5), random)
        noise = np.where(silent[:, None, None], alone, noise)
        heard = np.where(silent[:, None, None], noise, np.hypot(words, noise))
        # In running audio, the means of the front end have followed the noise before the window for half a second.
        followed = 1 - (1 - FRONT_END.normalise) ** (SAMPLES // FRONT_END.hop)
        means = np.where(running[:, None], followed * np.log(noise[:, 0] + FRONT_END.floor), 0)
        classes = np.where(partly | silent, NOISE, self.digits[which])
        return masked(normalised(heard, means), random).astype(np.float32), classes

    def words(
        self, which: np.ndarray, running: np.ndarray, partly: np.ndarray, random: np.random.Generator
    ) -> np.ndarray:
        """The magnitudes of clips at other speeds, with shifted formants, at random positions of the window. At most
        half of the clips `partly` lies inside, at least nine tenths of the clips `running`.
        """
        count = len(which)
        slowness, shift = np.exp(random.uniform(-0.3, 0.3, count)), random.integers(len(SHIFTS), size=count)
        length = np.minimum(self.lengths[which] * slowness, WINDOW)
        alone = random.uniform(0, np.clip(WINDOW - length, 1, 19))
        early = random.uniform(0, np.maximum(1, WINDOW - length)) - random.uniform(0, 0.1, count) * length
        inside = random.uniform(0.05, 0.5, count) * length
        at_edge = np.where(random.uniform(size=count) < 0.5, inside - length, WINDOW - inside)
        start = np.where(partly, at_edge, np.where(running, early, alone))
        hops = FRONT_END.hop // STEP * np.arange(FRONT_END.frames)
        at = (hops - start[:, None]) / slowness[:, None] + BEFORE
        frames = self.magnitudes.shape[1]
        left = np.clip(at.astype(int), 0, frames - 2)
        right_share = (at - left)[..., None]
        row, shift = which[:, None], shift[:, None]
        between = (1 - right_share) * self.magnitudes[row, left, shift]
        between += right_share * self.magnitudes[row, left + 1, shift]
        return between * ((at >= 0) & (at < frames - 1))[..., None]

    def noise(self, levels: np.ndarray, colours: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The magnitudes of noise.

        levels: standard deviations, broadcast to (count, frames, 1).
        colours: the greatest slope of each spectrum, as the logarithm of the change from its middle to an end.
        """
        count = len(colours)
        slopes = (colours * random.uniform(-1, 1, count))[:, None] * np.linspace(1, -1, FRONT_END.features)
        frames = np.abs(1 + 0.3 * random.normal(size=(count, FRONT_END.frames, FRONT_END.features)))
        return levels * np.exp(slopes)[:, None] * self.white * frames


def bands(signal: np.ndarray, hop: int, shift: float) -> np.ndarray:
    """The magnitudes of mel bands of a signal whose frequencies are multiplied by `shift`, (frames, bands)."""
    frames = np.lib.stride_tricks.sliding_window_view(signal, FRONT_END.frame)[::hop]
    bins = FRONT_END.frame // 2
    spectrum = np.abs(np.fft.rfft(frames * HANN))[:, :bins]
    # Above half the sampling rate, the last bin is repeated.
    wide = np.pad(spectrum, ((0, 0), (0, bins // 4)), "edge")
    rate = FRONT_END.rate * shift * wide.shape[1] / bins
    return wide @ features.mel_matrix(FRONT_END.features, wide.shape[1], rate, FRONT_END.low, FRONT_END.high).T


def shifted_bands(clip: np.ndarray) -> np.ndarray:
    """The magnitudes of a clip's mel bands, (frames, SHIFTS, bands); a clip that is too long is truncated."""
    signal = np.zeros(BEFORE * STEP + 6 * SAMPLES // 5, np.float32)
    part = clip[: len(signal) - BEFORE * STEP - STEP]
    signal[BEFORE * STEP : BEFORE * STEP + len(part)] = part
    return np.stack([bands(signal, STEP, shift) for shift in SHIFTS], 1).astype(np.float32)


def equaliser(count: int, random: np.random.Generator) -> np.ndarray:
    """Factors (count, 1, bands) that change smoothly from band to band, of at most 5 dB."""
    knots = random.uniform(-5, 5, (count, 4))
    at = np.linspace(0, 3, FRONT_END.features)
    decibels = np.stack([np.interp(at, np.arange(4), knot) for knot in knots])
    return 10 ** (decibels[:, None] / 20)


def normalised(magnitudes: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The features of the front end: logarithms of mel bands minus their running means, which begin at `means`."""
    logs = np.log(magnitudes + FRONT_END.floor)
    for row in logs.swapaxes(0, 1):
        means = means + FRONT_END.normalise * (row - means)
        row -= means
    return logs


def masked(rows: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Features (count, frames, bands), of which up to two neighbouring bands and up to five frames are zero."""
    for axis, most in ((2, 2), (1, 5)):
        size = rows.shape[axis]
        first, extent = random.integers(size, size=len(rows)), random.integers(most + 1, size=len(rows))
        at = np.arange(size)
        hidden = (at >= first[:, None]) & (at < (first + extent)[:, None])
        rows = np.where(np.expand_dims(hidden, 3 - axis), 0, rows)
    return rows
