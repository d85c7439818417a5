"""The front end of microWakeWord and of TensorFlow Lite Micro's speech examples, computed on the same integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.tdsl import shape_of, signals
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, hint
from tinyml.lowering.frontends.signals.front_ends import FrontEnd, by_frame

SAMPLE = ZeroSkewType(16, 2.0**-15)
"""The format of samples from -1 to 1: the 16-bit integers of a microphone."""

CHANNEL = FixedType(32, 0)
"""The format of channels and of their noise estimates."""

UNIT = 10 / 256
"""The unit of microWakeWord's features."""

ESPHOME_UNIT = 26 / 255 * 256 / 666
"""The unit of features for models of microWakeWord that read ESPHome's integers (256 x + 333) // 666 - 128."""


@dataclass(frozen=True, kw_only=True)
class MicroFrontend(FrontEnd):
    """The front end of microWakeWord and of TensorFlow Lite Micro's micro_speech, in integers: logarithms of mel
    channels with noise reduction and gain control (PCAN).

    A feature is an integer of 0 to about 700 in units of `unit`. The integers equal those of TensorFlow Lite
    Micro's audio front end and of the package pymicro-features. The formats are fixed, and do not depend on sample
    signals.

    channels: the number of mel channels between `low` and `high` Hz at `rate` samples per second.
    even, odd: the fractions by which the noise estimates of channels 0, 2, 4 and so on, and of channels 1, 3, 5 and
        so on, move towards the channel with each frame.
    least: the least fraction of a channel that remains when its noise is subtracted.
    strength, offset: parameters of the gain control.
    unit: the real value of a feature of 1.
    scale, zero: parameters of 8-bit features `scale * (raw - zero)`, such as the input of a model; without a scale,
        features have 16 bits.
    rows: the number of successive frames whose features are computed together, which is the number of frames per step
        of a streaming program.
    """

    samples: int = 16000
    frame: int = 480
    hop: int = 160
    rate: float = 16000.0
    channels: int = 40
    low: float = 125.0
    high: float = 7500.0
    even: float = 0.025
    odd: float = 0.06
    least: float = 0.05
    strength: float = 0.95
    offset: float = 80.0
    unit: float = UNIT
    scale: float | None = None
    zero: int = -128
    rows: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.frame - 1).bit_length() not in (7, 9, 11):
            raise InputError(
                f"the frame has from 65 to 128, from 257 to 512 or from 1025 to 2048 samples, got {self.frame}"
            )
        if self.rows < 1 or self.samples < self.step:
            raise InputError(
                f"{self.rows} frames of {self.frame} samples do not fit a signal of {self.samples} samples"
            )
        if not 0 <= self.low < self.high < self.rate / 2 < math.inf:
            raise InputError(f"channels from {self.low} to {self.high} Hz do not fit {self.rate} samples per second")
        for name, share in (("even", self.even), ("odd", self.odd)):
            if not 0 < share < 1:
                raise InputError(f"{name} is a share between 0 and 1, got {share}")
        for name, value in (("offset", self.offset), ("unit", self.unit)):
            if not 0 < value < math.inf:
                raise InputError(f"{name} is finite and above 0, got {value}")
        if self.scale is not None and (not self.unit < self.scale < math.inf or not -128 <= self.zero <= 127):
            raise InputError(f"8-bit features have a scale above {self.unit} and a zero from -128 to 127")
        if self.channels < 1 or not 0 <= self.least < 1 or not 0 < self.strength <= 1:
            raise InputError("there is a channel, least is in [0, 1), and strength in (0, 1]")

    @property
    def samples_per_second(self) -> float:
        return self.rate

    @property
    def feature(self) -> ZeroSkewType:
        """The format of features: 16 bits in units of `unit`, or 8 bits if `scale` is given."""
        return ZeroSkewType(16, self.unit) if self.scale is None else ZeroSkewType(8, self.scale, self.zero)

    @property
    def bits(self) -> int:
        return signals.channel_bits(1 << (self.frame - 1).bit_length())

    @property
    def step(self) -> int:
        """The number of samples spanned by the frames that are computed together."""
        return self.frame + (self.rows - 1) * self.hop

    @property
    def frames(self) -> int:
        return 1 + (self.samples - self.step) // (self.rows * self.hop)

    @property
    def signal_frames(self) -> tdsl.SignalFrames:
        return tdsl.SignalFrames(self.step, self.rows * self.hop, self.frames * self.features, 1)

    @property
    def features(self) -> int:
        return self.rows * self.channels

    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        """Emit the energies of the mel channels, 1 x `channels`, of 1 x `frame` samples."""
        tapered = to.op(signals.TaperOp, frame, SAMPLE)
        spectrum = to.op(signals.ScaledSpectrumOp, tapered, SAMPLE)
        return to.op(signals.ChannelsOp, spectrum, self.channels, self.rate, self.low, self.high, CHANNEL)

    def after_frame(
        self, to: ModelBuilder, row: SSAValue, states: Sequence[SSAValue]
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Emit the features of a row of channels, and the updated noise estimates. Return both."""
        noise = to.op(signals.NoiseOp, row, states[0], self.even, self.odd, CHANNEL)
        hint(noise, "noise")
        features = to.op(
            signals.ChannelFeaturesOp,
            row,
            noise,
            least=self.least,
            strength=self.strength,
            offset=self.offset,
            unit=self.unit,
            bits=self.bits,
            element=self.feature,
        )
        return features, [noise]

    def module(self) -> ModuleOp:
        to = ModelBuilder("microfrontend.py")
        signal = to.argument(TensorType(SAMPLE, (1, self.samples)), "signal")

        def of_step(
            number: SSAValue, first: SSAValue, states: Sequence[SSAValue]
        ) -> tuple[SSAValue, Sequence[SSAValue]]:
            step = to.op(tdsl.SliceOp, signal, [to.index(0), first], (1, self.step))
            hint(step, "frame")
            together = None
            for row in range(self.rows):
                frame = step if self.rows == 1 else to.part(step, (0, row * self.hop), (1, self.frame))
                features, states = self.after_frame(to, self.of_frame(to, frame), states)
                if self.rows == 1:
                    return features, states
                if together is None:
                    together = to.op(tdsl.FillOp, 0.0, TensorType(self.feature, (1, self.features)))
                at = [to.index(0), to.index(row * self.channels)]
                together = to.op(tdsl.InsertSliceOp, features, together, at)
            assert together is not None
            return together, states

        hop = self.rows * self.hop
        starts = range(0, self.frames * hop, hop)
        noise = TensorType(CHANNEL, (1, self.channels))
        rows = by_frame(to, starts, TensorType(self.feature, (1, self.features)), [noise], of_step)
        assert shape_of(rows) == (self.frames, self.features)
        return self.finished(to, rows)


def score_format(scale: float) -> Attribute:
    """The format of mean probabilities: 16-bit integers in units of `scale`."""
    return ZeroSkewType(16, scale)
