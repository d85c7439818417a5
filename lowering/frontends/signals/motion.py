"""A front end that computes statistics of a motion sensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl import shape_of
from tinyml.dialects.tdsl.signals import BiquadOp
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.signals.front_ends import FrontEnd, joined


@dataclass(frozen=True, kw_only=True)
class Motion(FrontEnd):
    """Statistics of a motion sensor: for each axis and frame the mean, the variance and the rate of zero crossings.

    A zero crossing is a sign change of the deviation from the mean. Each band adds one feature per axis: the mean
    square of the axis after a second-order band-pass filter. The filter state is zero at the start of each frame.

    samples, frame, hop: counts of interleaved numbers; a reading of three axes counts as three.
    rate: readings per second.
    bands: limits in Hz.
    """

    axes: int = 3
    rate: float = 50.0
    bands: Sequence[tuple[float, float]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.axes < 1 or any(count % self.axes for count in (self.samples, self.frame, self.hop)):
            raise InputError(f"signal, frames and hops have whole readings of {self.axes} axes")
        if self.frame < 2 * self.axes:
            raise InputError("a frame has at least two readings")
        for low, high in self.bands:
            if not 0 < low < high < self.rate / 2:
                raise InputError(f"a band from {low} to {high} Hz does not fit {self.rate} readings per second")

    @property
    def samples_per_second(self) -> float | None:
        return self.rate * self.axes if self.bands else None

    @property
    def signal_frames(self) -> tdsl.SignalFrames:
        return super().signal_frames._replace(grain=self.axes)

    @property
    def features(self) -> int:
        return (3 + len(self.bands)) * self.axes

    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        readings = shape_of(frame)[1] // self.axes
        by_axis = to.reshape(frame, (readings, self.axes))
        mean = self._mean(to, by_axis)
        deviations = to.op(tdsl.SubOp, by_axis, mean)
        variance = self._mean_square(to, deviations)
        now, before = (to.part(deviations, (first, 0), (readings - 1, self.axes)) for first in (1, 0))
        turns = to.op(tdsl.StepOp, to.op(tdsl.NegOp, to.op(tdsl.MulOp, now, before)))
        rows = [mean, variance, self._mean(to, turns)]
        for low, high in self.bands:
            in_time = to.op(tdsl.TransposeOp, deviations, [1, 0])
            filtered = to.op(BiquadOp, in_time, band_pass(low, high, self.rate))
            rows.append(self._mean_square(to, to.op(tdsl.TransposeOp, filtered, [1, 0])))
        return joined(to, rows)

    def _mean(self, to: ModelBuilder, by_axis: SSAValue) -> SSAValue:
        return to.reshape(to.op(tdsl.MeanOp, by_axis, [0]), (1, self.axes))

    def _mean_square(self, to: ModelBuilder, by_axis: SSAValue) -> SSAValue:
        return self._mean(to, to.op(tdsl.MulOp, by_axis, by_axis))


def band_pass(low: float, high: float, rate: float) -> tuple[float, float, float, float, float]:
    """Return the coefficients b0, b1, b2, a1, a2 of a band-pass filter. The gain is 1 at sqrt(low high) Hz and about
    0.7 at both limits.

    The filter is the bilinear transform of the analogue band pass (Bristow-Johnson, "Cookbook formulae for audio EQ
    biquad filter coefficients").
    """
    middle = math.sqrt(low * high)
    turn = 2 * math.pi * middle / rate
    alpha = math.sin(turn) * (high - low) / (2 * middle)
    return alpha / (1 + alpha), 0.0, -alpha / (1 + alpha), -2 * math.cos(turn) / (1 + alpha), (1 - alpha) / (1 + alpha)
