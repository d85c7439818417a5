"""The spectrogram of Gural and Murmann, appendix D: running sums of the signal multiplied by square waves, without an
FFT.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import signals
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, reals
from tinyml.lowering.frontends.signals.front_ends import FrontEnd, by_frame, less_running_mean, verify_share

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class SquareWaves(FrontEnd):
    """Powers at given frequencies over the last `chunks` chunks (equation (27)), updated after each chunk of `hop`
    samples.

    The state has two accumulators per chunk and frequency, and no samples of earlier chunks. The sums over a chunk are
    divided by the length of the chunk. Chunks are weighted by a Hamming window.

    frame: ignored, because `hop` is the number of samples of a chunk.
    frequencies: frequencies in Hz, at `rate` samples per second, rounded to multiples of `rate / signals.PERIOD`.
    floor, normalise: as in `Spectrogram`.
    """

    rate: float = 8000.0
    chunks: int = 5
    frequencies: Sequence[float] = ()
    floor: float | None = None
    normalise: float | None = None
    frame: int = 1
    hop: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.samples < self.hop or self.chunks < 1:
            raise InputError(f"{self.samples} samples have no chunk of {self.hop}, or none counts")
        verify_share(self.normalise)
        if not self.frequencies or not 1 <= self.steps.min() <= self.steps.max() <= signals.PERIOD // 2:
            least = self.rate / signals.PERIOD
            raise InputError(f"frequencies are from {least:.2f} to {self.rate / 2} Hz, got {[*self.frequencies]}")

    @property
    def samples_per_second(self) -> float:
        return self.rate

    @property
    def steps(self) -> NDArray[Any]:
        """The phase increment of each frequency per sample."""
        return np.round(np.array(self.frequencies) * signals.PERIOD / self.rate).astype(int)

    @property
    def signal_frames(self) -> tdsl.SignalFrames:
        return super().signal_frames._replace(frame=self.hop)

    @property
    def frames(self) -> int:
        return self.samples // self.hop

    @property
    def features(self) -> int:
        return len(self.frequencies)

    @property
    def window(self) -> NDArray[Any]:
        """The weight of each chunk, from the latest to the earliest."""
        middles = (np.arange(self.chunks) + 0.5) / self.chunks
        return 0.54 - 0.46 * np.cos(2 * np.pi * middles)

    def module(self) -> ModuleOp:
        to = ModelBuilder("features.py")
        signal = to.argument(TensorType(f32, (1, self.samples)), "signal")
        bins = self.features

        def of_chunk(
            number: SSAValue, first: SSAValue, states: Sequence[SSAValue]
        ) -> tuple[SSAValue, Sequence[SSAValue]]:
            chunk = to.op(tdsl.SliceOp, signal, [to.index(0), first], (1, self.hop))
            latest = to.op(signals.SquareWavesOp, chunk, first, self.steps.tolist())
            sums = self._shifted(to, states[0], to.reshape(latest, (1, 2 * bins)))
            row, after = self.of_frame(to, sums), [sums]
            if self.normalise is not None:
                row, mean = less_running_mean(to, row, states[1], self.normalise)
                after.append(mean)
            return row, after

        starts = range(0, self.frames * self.hop, self.hop)
        shapes = [(self.chunks, 2 * bins)] + [(1, bins)] * (self.normalise is not None)
        states = [TensorType(f32, shape) for shape in shapes]
        powers = by_frame(to, starts, TensorType(f32, (1, bins)), states, of_chunk)
        return self.finished(to, powers)

    def _shifted(self, to: ModelBuilder, sums: SSAValue, latest: SSAValue) -> SSAValue:
        """Emit the accumulators of all chunks: move the earlier chunks by one place, and insert the sums of the
        latest chunk first.
        """
        zero = to.index(0)
        if self.chunks > 1:
            kept = to.part(sums, (0, 0), (self.chunks - 1, 2 * self.features))
            sums = to.op(tdsl.InsertSliceOp, kept, sums, [to.index(1), zero])
        return to.op(tdsl.InsertSliceOp, latest, sums, [zero, zero])

    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        """Emit the powers, 1 x bins, from the sums of all chunks (chunks, 2 * bins). With `floor`, emit the logarithms
        of the powers instead.
        """
        row = to.op(tdsl.MatmulOp, to.parameter(reals(self.window[None])), frame)
        halves = [to.part(row, (0, at), (1, self.features)) for at in (0, self.features)]
        in_phase, quadrature = (to.op(tdsl.MulOp, half, half) for half in halves)
        power = to.op(tdsl.AddOp, in_phase, quadrature)
        return power if self.floor is None else self.logarithm(to, power, self.floor)
