"""The front end of MLPerf Tiny's streaming wake word, computed in single precision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.signals import PowerOp
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, hint, reals
from tinyml.lowering.frontends.signals.front_ends import (
    MIN_FRAME,
    FrontEnd,
    by_frame,
    filter_bank,
    mel_matrix,
    transform,
)
from tinyml.lowering.frontends.signals.micro_frontend import SAMPLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMPHASIS = 1 - 2.0**-5
"""The fraction of the preceding sample that is subtracted from each sample."""

OFFSET, SPAN = 52.0, 64.0
"""A feature of 0 corresponds to -OFFSET dB, and a feature of 1 to SPAN dB more."""

MIN_POWER = 1e-30
"""The power of silence in a band."""


def _hamming(length: int) -> NDArray[Any]:
    """The symmetric Hamming window of `length` samples."""
    return 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(length) / (length - 1))


@dataclass(frozen=True, kw_only=True)
class LogMel(FrontEnd):
    """The front end of MLPerf Tiny's streaming wake word: logarithms of the powers of mel bands.

    A frame is a Hamming window times the differences of successive samples (pre-emphasis); the sample before the first
    frame is 0. A feature is the power of a band in dB, mapped so that -52 dB become 0 and 12 dB become 1. The device
    computes it in single precision. If there is a scale, the feature is divided by it, `zero` is added, and the sum is
    rounded towards 0 to 8 bits, as in the benchmark. The formats are fixed, and do not depend on sample signals.

    Source: github.com/mlcommons/tiny, benchmark/training/streaming_wakeword/get_dataset.py and evaluate.py.

    bands: the number of mel bands from 0 to half of `rate` Hz.
    scale, zero: parameters of 8-bit features `scale * (raw - zero)`, such as the input of a model; without a scale,
        features are floats.
    """

    samples: int = 16000
    frame: int = 1024
    hop: int = 512
    rate: float = 16000.0
    bands: int = 40
    scale: float | None = None
    zero: int = -128

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frame < MIN_FRAME or self.frame & (self.frame - 1):
            raise InputError(f"the frame is a power of two of samples, at least {MIN_FRAME}, got {self.frame}")
        if self.hop > self.frame:
            raise InputError(f"frames are at most their length of {self.frame} samples apart, got {self.hop}")
        if not 0 < self.rate < math.inf:
            raise InputError(f"the rate is finite and above 0, got {self.rate}")
        if self.scale is not None and (not 0 < self.scale < math.inf or not -128 <= self.zero <= 127):
            raise InputError("8-bit features have a scale above 0 and a zero from -128 to 127")
        if not 0 < self.bands <= self.frame // 2 or not self.matrix.any(1).all():
            raise InputError(f"some of {self.bands} bands contain no bin of {self.frame} samples: take fewer bands")

    @property
    def samples_per_second(self) -> float:
        return self.rate

    @property
    def features(self) -> int:
        return self.bands

    @property
    def feature(self) -> Attribute:
        return f32 if self.scale is None else ZeroSkewType(8, self.scale, self.zero)

    @property
    def matrix(self) -> NDArray[Any]:
        """The weights of powers in the mel bands, of shape (bands, bins)."""
        return mel_matrix(self.bands, self.frame // 2, self.rate, 0.0, self.rate / 2) / self.frame

    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        """Emit the features of a frame. Here the operand contains the sample before the frame, too: 1 x (`frame` + 1)
        floats.
        """

        def constant(numbers: float | NDArray[Any]) -> SSAValue:
            return to.parameter(reals(np.asarray(numbers).reshape(1, -1)))

        before, after = (to.part(frame, (0, start), (1, self.frame)) for start in (0, 1))
        sound = to.op(tdsl.SubOp, after, to.op(tdsl.MulOp, before, constant(EMPHASIS)))
        spectrum = transform(to, to.op(tdsl.MulOp, sound, constant(_hamming(self.frame))))
        powers = filter_bank(to, to.op(PowerOp, spectrum), self.matrix)
        logarithms = to.op(tdsl.LogOp, to.op(tdsl.AddOp, powers, constant(MIN_POWER)))
        decibels = to.op(tdsl.MulOp, logarithms, constant(10 / math.log(10) / SPAN))
        features = to.op(tdsl.AddOp, decibels, constant(OFFSET / SPAN))
        if self.scale is None:
            return features
        # The cast rounds to nearest.
        at_zero, half = constant(-self.zero * self.scale), self.scale / 2
        distance = to.op(tdsl.SubOp, features, at_zero)
        nearer = to.op(tdsl.SubOp, distance, to.op(tdsl.ClipOp, distance, -half, half))
        return to.op(tdsl.CastOp, to.op(tdsl.AddOp, nearer, at_zero), self.feature)

    def module(self) -> ModuleOp:
        to = ModelBuilder("logmel.py")
        signal = to.argument(TensorType(SAMPLE, (1, self.samples)), "signal")

        def of_frame(
            number: SSAValue, first: SSAValue, states: Sequence[SSAValue]
        ) -> tuple[SSAValue, Sequence[SSAValue]]:
            frame = to.op(tdsl.SliceOp, signal, [to.index(0), first], (1, self.frame))
            hint(frame, "frame")
            last = to.part(frame, (0, self.hop - 1), (1, 1))
            hint(last, "last")
            longer = to.op(tdsl.FillOp, 0.0, TensorType(SAMPLE, (1, self.frame + 1)))
            for tensor, at in ((states[0], 0), (frame, 1)):
                longer = to.op(tdsl.InsertSliceOp, tensor, longer, [to.index(0), to.index(at)])
            return self.of_frame(to, to.op(tdsl.CastOp, longer, f32)), [last]

        starts = range(0, self.frames * self.hop, self.hop)
        states = [TensorType(SAMPLE, (1, 1))]
        return self.finished(to, by_frame(to, starts, TensorType(self.feature, (1, self.bands)), states, of_frame))
