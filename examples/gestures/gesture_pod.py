"""The features of the GesturePod, a cane that recognises gestures, as a front end and in numpy.

The GesturePod (Patil and others, UIST 2019) computes features of the last 400 readings of an accelerometer and a
gyroscope (two seconds), after every 20 readings. There are 124 features. Two features are the start and the length of
the longest run of readings in which the cane turns in one direction about its y axis. Two other features describe the
longest run in the other direction. The remaining 120 features are the counts in 20 bins for each of the six axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path

import numpy as np
from xdsl.ir import SSAValue

from tinyml import features
from tinyml.extend.frontends import ModelBuilder, hint, reals, tdsl
from tinyml.extend.signals import signals

MODEL = Path(__file__).parents[1] / "protonn-gesturepod" / "protonn_gesturepod.sd"
"""The published classifier of these features."""
READINGS = 400
"""The readings of a window."""
AXES, BINS = 6, 20
FULL = np.array([16384, 16384, 16384, 512, 2048, 512])
"""The readings of three axes of acceleration and three of rotation at which their histograms end, on either side."""
EDGES = FULL[:, None] * (2 * np.arange(1, BINS) / BINS - 1)
"""The least reading in each bin but the first."""
TURNED = 4
"""The axis that runs are of."""
LOW, HIGH = (FULL[TURNED] * (2 * share - 1) for share in (0.32, 0.63))
"""The readings below which, and from which on, the cane turns."""
LEAST = 4
"""The least length of a run."""
GAMMA2 = 0.15
"""The square of the classifier's gamma."""


@dataclass(frozen=True, kw_only=True)
class GesturePod(features.FrontEnd):
    """A front end whose frames are chunks of readings. The features of a window are computed from the stored values of
    its chunks, so that a streaming program stores no readings.

    The values of a chunk are the counts of its bins, 1 x (6 * 20), and a number for each of its readings: 1 or -1 for
    the direction in which the cane turns, or 0. `samples`, `frame` and `hop` count numbers; each reading has six
    numbers.
    """

    samples: int = READINGS * AXES
    frame: int = 20 * AXES
    hop: int = 20 * AXES

    @property
    def chunk(self) -> int:
        """The number of readings in a frame."""
        return self.frame // AXES

    @property
    def features(self) -> int:
        return AXES * BINS + self.chunk

    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        readings = to.reshape(frame, (self.chunk, AXES))
        counts = to.reshape(to.op(signals.HistogramOp, readings, EDGES), (1, AXES * BINS))
        turns = to.reshape(to.part(readings, (0, TURNED), (self.chunk, 1)), (1, self.chunk))
        low, high = (to.parameter(reals(np.full((1, 1), reading))) for reading in (LOW, HIGH))
        above, below = (to.op(tdsl.StepOp, to.op(tdsl.SubOp, *pair)) for pair in ((turns, high), (low, turns)))
        return features.joined(to, [counts, to.op(tdsl.SubOp, above, below)])

    def of_rows(self, to: ModelBuilder, rows: SSAValue) -> SSAValue:
        hint(rows, "chunks")
        bins = AXES * BINS
        counts = [to.part(rows, (frame, 0), (1, bins)) for frame in range(self.frames)]
        total = reduce(partial(to.op, tdsl.AddOp), counts)
        turns = to.part(rows, (0, bins), (self.frames, self.chunk))
        forth, back = (to.op(signals.LongestRunOp, turns, level, LEAST, below=level < 0) for level in (0.5, -0.5))
        back = [to.part(back, (0, at), (1, 1)) for at in (1, 0)]
        return features.joined(to, [forth, *back, total])


def numpy_features(readings: np.ndarray) -> np.ndarray:
    """The features (windows, 124) of every window of readings (n, 6), computed by numpy without a compiled program."""
    bins = (readings[:, :, None] >= EDGES).sum(-1)
    counts = np.cumsum(bins[:, :, None] == np.arange(BINS), 0)
    before = np.concatenate([np.zeros((1, AXES, BINS), int), counts[:-READINGS]])
    histograms = (counts[READINGS - 1 :] - before).reshape(-1, AXES * BINS)
    windows = np.lib.stride_tricks.sliding_window_view(readings[:, TURNED], READINGS)
    forth, back = (np.array([_longest(row) for row in ways]) for ways in (windows >= HIGH, windows < LOW))
    return np.concatenate([forth, back[:, ::-1], histograms], 1)


def _longest(turns: np.ndarray) -> tuple[int, int]:
    """Return the start and the length of the longest run of true values in `turns`, the first one if several have this
    length. Return (-1, 0) if no run has at least `LEAST` values.
    """
    ends = np.flatnonzero(np.diff(turns, prepend=False, append=False))
    starts, lengths = ends[::2], ends[1::2] - ends[::2]
    if not len(lengths) or lengths.max() < LEAST:
        return -1, 0
    return int(starts[lengths.argmax()]), int(lengths.max())


def numpy_labels(features: np.ndarray) -> np.ndarray:
    """The classes that the published ProtoNN predicts from features (n, 124), in double precision."""
    w, b, z = (np.load(MODEL.with_name(f"{name}.npy")).astype(np.float64) for name in "WBZ")
    distances = (features @ w.T)[:, None] - b.reshape(len(b), -1)
    return (np.exp(-GAMMA2 * (distances**2).sum(-1)) @ z.reshape(len(b), -1)).argmax(1)


def windows(readings: np.ndarray, every: int = 1) -> np.ndarray:
    """Windows of readings (n, 6), each as a row of 2400 numbers. The starts of adjacent windows are `every` readings
    apart.
    """
    views = np.lib.stride_tricks.sliding_window_view(readings, READINGS, axis=0)[::every]
    return views.transpose(0, 2, 1).reshape(len(views), READINGS * AXES)


def wandering(count: int, seed: int) -> np.ndarray:
    """Generated readings (count, 6): six random walks that end at 0. The greatest magnitude of each walk is the limit
    of its axis's histogram (`FULL`) times a random number from 0.3 to 1.3.
    """
    random = np.random.default_rng(seed)
    walks = random.normal(size=(count, AXES)).cumsum(0)
    walks -= np.linspace(0, 1, count)[:, None] * walks[-1]
    return np.round(walks / np.abs(walks).max(0) * random.uniform(0.3, 1.3, AXES) * FULL).astype(int)


def for_scales() -> np.ndarray:
    """Windows on which the scales of formats are chosen: generated windows, and two windows in which every number is
    -32767 or 32767, respectively.
    """
    ends = np.multiply.outer([-32767, 32767], np.ones(READINGS * AXES, int))
    return np.concatenate([windows(wandering(3000, 0), 50), ends])
