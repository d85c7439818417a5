"""Front ends: their parameters, the programs on reals that compute features frame by frame, and composition with a
model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import prod
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType, f32
from xdsl.ir import Attribute, Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.dialects.tdsl.signals import (
    BlockFactorOp,
    ButterfliesOp,
    MagnitudeOp,
    PowerOp,
    RealSpectrumOp,
    ReverseBitsOp,
    ScaleBlockOp,
)
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, hint, reals

if TYPE_CHECKING:
    from numpy.typing import NDArray


def mel_matrix(bands: int, bins: int, rate: float, low: float, high: float) -> NDArray[Any]:
    """Triangular mel filters of height 1, as f32 weights of shape (bands, bins).

    The corners of the triangles are equally spaced in mel, 1127 ln(1 + f / 700). As in TensorFlow's
    linear_to_mel_weight_matrix, weights are linear in mel, and the weights of bin 0 are zero. Bin k has the
    frequency `k * rate / (2 * bins)`.

    rate: samples per second.
    low, high: limits of the filter bank in Hz.
    """

    def mel(frequency: NDArray[Any]) -> NDArray[Any]:
        return 1127.0 * np.log1p(frequency / 700.0)

    first, last = mel(np.array([low, high])).tolist()
    corners = (first + (last - first) * np.arange(bands + 2) / (bands + 1))[:, None]
    at = mel(np.arange(bins) * rate / (2 * bins))[None]
    rising = (at - corners[:-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[2:] - at) / (corners[2:] - corners[1:-1])
    weights = np.maximum(0.0, np.minimum(rising, falling))
    weights[:, 0] = 0.0
    return weights.astype(np.float32)


def _dct_matrix(coefficients: int, bands: int) -> NDArray[Any]:
    """The first rows of the orthonormal DCT of type II, of shape (coefficients, bands)."""
    k, n = np.arange(coefficients)[:, None], np.arange(bands)[None]
    rows = np.cos(np.pi * k * (2 * n + 1) / (2 * bands)) * np.sqrt(2 / bands)
    rows[0] /= np.sqrt(2)
    return rows


def filter_bank(to: ModelBuilder, bins: SSAValue, matrix: NDArray[Any]) -> SSAValue:
    """Emit 1 x bands weighted sums of 1 x bins numbers. The weights are the rows of a sparse matrix."""
    column = to.reshape(bins, (shape_of(bins)[1], 1))
    weights = to.emit(tdsl.ConstOp, matrix.astype(np.float32), F32_FORMAT, tdsl.Csr()).result
    return to.reshape(to.op(tdsl.SpmvOp, weights, column), (1, len(matrix)))


def _cosine_transform(to: ModelBuilder, bands: SSAValue, coefficients: int) -> SSAValue:
    count = shape_of(bands)[1]
    rows = to.parameter(reals(_dct_matrix(coefficients, count)))
    return to.reshape(to.op(tdsl.MatmulOp, rows, to.reshape(bands, (count, 1))), (1, coefficients))


def hann(length: int) -> NDArray[Any]:
    """The periodic Hann window of `length` samples, with values from 0 to 1."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)


def transform(to: ModelBuilder, row: SSAValue) -> SSAValue:
    """Emit the spectrum of 1 x N real samples in the order of `tdsl.real_spectrum`.
    N is a power of two of at least 8.
    """
    points = shape_of(row)[-1] // 2
    row = to.op(ReverseBitsOp, row)
    span = 1
    if points.bit_length() % 2 == 0:
        row, span = to.op(ButterfliesOp, row, 2, 1), 2
    while span < points:
        row, span = to.op(ButterfliesOp, row, 4, span), 4 * span
    return to.op(RealSpectrumOp, row)


def by_frame(
    to: ModelBuilder,
    frames: range,
    row: TensorType[Attribute],
    states: Sequence[TensorType[Attribute]],
    of_frame: Callable[[SSAValue, SSAValue, Sequence[SSAValue]], tuple[SSAValue, Sequence[SSAValue]]],
) -> SSAValue:
    """Emit a loop over frames that computes a matrix (frames, features).

    frames: the index of the first sample of each frame.
    row: the type of a row, 1 x features.
    states: the types of the tensors that the loop carries, initially zero.
    of_frame: emits a row and the next states, from the index of a frame, the index of its first sample and the
        states.
    """
    whole = to.op(tdsl.FillOp, 0.0, TensorType(row.element_type, (len(frames), row.get_shape()[1])))
    initial = [to.op(tdsl.FillOp, 0.0, state) for state in states]
    start, stop, step = (to.index(value) for value in (0, len(frames), 1))
    outer = to.block
    inner = to.block = Block(arg_types=[IndexType(), whole.type, *(state.type for state in initial)])
    try:
        index, matrix, *before = inner.args
        first = to.emit(arith.MuliOp, index, to.index(frames.step)).result
        latest, after = of_frame(index, first, before)
        matrix = to.op(tdsl.InsertSliceOp, latest, matrix, [index, to.index(0)])
        inner.add_op(scf.YieldOp(matrix, *after))
    finally:
        to.block = outer
    return to.emit(scf.ForOp, start, stop, step, [whole, *initial], inner).results[0]


def _windowed(to: ModelBuilder, frame: SSAValue) -> SSAValue:
    window = reals(hann(shape_of(frame)[1])[None])
    return to.op(tdsl.MulOp, frame, to.parameter(window))


MIN_FRAME = 8
"""Minimum samples of a frame."""


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _are(accepts: Callable[[object], bool], value: object) -> bool:
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return False
    return all(accepts(element) for element in cast("Sequence[object]", value))


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool] | None]] = {
    "int": ("an integer", lambda value: isinstance(value, Integral) and _is_real(value)),
    "float": ("a number", _is_real),
    "bool": ("True or False", lambda value: isinstance(value, bool | np.bool_)),
    "Sequence[float]": ("a list of numbers", lambda value: _are(_is_real, value)),
    "Sequence[tuple[float, float]]": (
        "a list of pairs of two numbers, such as [(5, 20), (20, 50)]",
        lambda value: _are(lambda pair: _are(_is_real, pair) and len(cast("Sequence[object]", pair)) == 2, value),
    ),
}
"""The parameter types of front ends: a description, and a predicate on values."""


@dataclass(frozen=True, kw_only=True)
class FrontEnd(ABC):
    """A program that computes a row of features for each frame of a signal. Raises `InputError` for inconsistent
    parameters, and `TypeError` for a parameter of the wrong type.

    samples: the number of samples of the signal.
    frame: the number of samples in a frame.
    hop: the distance in samples between the starts of adjacent frames.
    """

    samples: int
    frame: int = 256
    hop: int = 128

    def __post_init__(self) -> None:
        for field in fields(self):
            words, accepts = _KINDS.get(str(field.type).removesuffix(" | None"), ("", None))
            value = getattr(self, field.name)
            optional = str(field.type).endswith(" | None") and value is None
            if accepts is not None and not optional and not accepts(value):
                raise TypeError(f"{field.name} of {type(self).__name__}: expected {words}, got {value!r}")
        if not 0 < self.frame <= self.samples or self.hop < 1:
            raise InputError(
                f"frames of {self.frame} samples, {self.hop} apart, do not fit a signal of {self.samples} samples"
            )

    @property
    def samples_per_second(self) -> float | None:
        """The sampling rate: numbers of the signal per second, summed over all axes of a sensor; None if the features
        do not depend on the rate.
        """
        return None

    @property
    def frames(self) -> int:
        """The number of frames that lie entirely inside the signal."""
        return 1 + (self.samples - self.frame) // self.hop

    @property
    def signal_frames(self) -> tdsl.SignalFrames:
        """The division of the input signal into frames that the program declares."""
        return tdsl.SignalFrames(self.frame, self.hop, self.frames * self.features, 1)

    @property
    @abstractmethod
    def features(self) -> int:
        """The number of features of a frame."""

    @abstractmethod
    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        """Emit the features, 1 x `features`, of a frame of 1 x `frame` samples."""

    def logarithm(
        self, to: ModelBuilder, row: SSAValue, floor: float, factor: SSAValue | None = None, times: int = 1
    ) -> SSAValue:
        """Emit the natural logarithm of `row / factor^times + floor`.

        factor: a tensor of shape 1 x 1; None for 1.
        """
        least = to.parameter(reals(np.full((1, 1), floor)))
        if factor is None:
            return to.op(tdsl.LogOp, to.op(tdsl.AddOp, row, least))
        for _ in range(times):
            least = to.op(tdsl.MulOp, least, factor)
        scale = to.op(tdsl.LogOp, factor)
        row = to.op(tdsl.LogOp, to.op(tdsl.AddOp, row, least))
        for _ in range(times):
            row = to.op(tdsl.SubOp, row, scale)
        return row

    @property
    def states(self) -> Sequence[tuple[int, ...]]:
        """The shapes of the tensors that one frame passes to the next."""
        return ()

    def after_frame(
        self, to: ModelBuilder, row: SSAValue, states: Sequence[SSAValue]
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        """Combine a row of features with the states of earlier frames. Return the row of results, and the states for
        the next frame. By default, both are returned unchanged.

        row: the features of the frame, of shape 1 x `features`.
        states: the tensors that the previous frame returned, initially zero.
        """
        return row, states

    def of_rows(self, to: ModelBuilder, rows: SSAValue) -> SSAValue:
        """Emit the result, 1 x N, from the rows (frames, features) of all frames. By default, it is their
        concatenation.
        """
        return to.reshape(rows, (1, self.frames * self.features))

    def module(self) -> ModuleOp:
        """The program that maps 1 x samples to the result of `of_rows`."""
        to = ModelBuilder("features.py")
        signal = to.argument(TensorType(f32, (1, self.samples)), "signal")

        def of_frame(
            number: SSAValue, first: SSAValue, states: Sequence[SSAValue]
        ) -> tuple[SSAValue, Sequence[SSAValue]]:
            frame = to.op(tdsl.SliceOp, signal, [to.index(0), first], (1, self.frame))
            hint(frame, "frame")
            return self.after_frame(to, self.of_frame(to, frame), states)

        starts = range(0, self.frames * self.hop, self.hop)
        states = [TensorType(f32, shape) for shape in self.states]
        rows = by_frame(to, starts, TensorType(f32, (1, self.features)), states, of_frame)
        return self.finished(to, rows)

    def finished(self, to: ModelBuilder, rows: SSAValue) -> ModuleOp:
        """Build the module that returns the result of `of_rows` for `rows`. It declares the sampling rate and the
        division into frames.
        """
        module = to.module([self.of_rows(to, rows)])
        tdsl.update_input(module, rate=self.samples_per_second, frames=self.signal_frames)
        return module


@dataclass(frozen=True, kw_only=True)
class Spectrogram(FrontEnd):
    """Spectra of frames. A frame is multiplied by a Hann window and zero-padded to a power of two.

    power: true for squared magnitudes, which need twice the bits for the same range; false for magnitudes.
    bands: the number of mel bands between `low` and `high` Hz at `rate` samples per second; None for single bins,
        without the bin at half the rate.
    floor: a number added before the natural logarithm; None for no logarithm.
    coefficients: the number of cepstral coefficients that replace the bands; None to return the bands.
    normalise: the fraction by which the running mean of each feature moves towards a frame's feature, before the mean
        is subtracted from the feature; the mean is initially 0. None for no subtraction.
    block_exponent: the maximum number of doublings of a quiet frame before its transform, for which the logarithm
        compensates; None for no doubling.
    full_scale: a power of two that bounds doubled samples.
    delta: true to append the differences from the previous frame; the frame before the first is zero.
    """

    rate: float = 8000.0
    power: bool = False
    bands: int | None = None
    low: float = 80.0
    high: float | None = None
    floor: float | None = None
    coefficients: int | None = None
    normalise: float | None = None
    delta: bool = False
    block_exponent: int | None = None
    full_scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frame < MIN_FRAME:
            raise InputError(f"the frame of a spectrum has at least {MIN_FRAME} samples, got {self.frame}")
        if not 0 <= self.low < self.highest <= self.rate / 2:
            raise InputError(f"bands from {self.low} to {self.highest} Hz do not fit {self.rate} samples per second")
        if self.floor is not None and self.floor <= 0:
            raise InputError(f"the floor of a logarithm is greater than 0, got {self.floor}")
        if self.block_exponent is not None and self.floor is None:
            raise InputError("a block exponent is taken back by the logarithm: give a floor")
        counts = ("bands", self.bands, self.length // 2), ("coefficients", self.coefficients, self.bands)
        for what, count, most in counts:
            if count is not None and not 0 < count <= (most or 0):
                raise InputError(f"there are from 1 to {most or 0} {what}, got {count}")
        verify_share(self.normalise)
        if self.bands is not None and not self.matrix.any(1).all():
            raise InputError(f"some of {self.bands} bands contain no bin of {self.length} samples: take fewer bands")

    @property
    def samples_per_second(self) -> float:
        return self.rate

    @property
    def signal_frames(self) -> tdsl.SignalFrames:
        return super().signal_frames._replace(grain=0)

    @property
    def length(self) -> int:
        """The length of the transform in samples: the length of the zero-padded frame."""
        return 1 << (self.frame - 1).bit_length()

    @property
    def highest(self) -> float:
        """The upper limit of the bands in Hz."""
        return self.rate / 2 if self.high is None else self.high

    @property
    def matrix(self) -> NDArray[Any]:
        """The weights of the mel bands, of shape (bands, bins)."""
        assert self.bands is not None
        return mel_matrix(self.bands, self.length // 2, self.rate, self.low, self.highest)

    @property
    def _row(self) -> int:
        return self.coefficients or self.bands or self.length // 2

    @property
    def features(self) -> int:
        return self._row * (1 + self.delta)

    @property
    def states(self) -> Sequence[tuple[int, ...]]:
        return [(1, self._row)] * ((self.normalise is not None) + self.delta)

    def after_frame(
        self, to: ModelBuilder, row: SSAValue, states: Sequence[SSAValue]
    ) -> tuple[SSAValue, Sequence[SSAValue]]:
        before, after = [*states], list[SSAValue]()
        if self.normalise is not None:
            row, mean = less_running_mean(to, row, before.pop(0), self.normalise)
            after.append(mean)
        if self.delta:
            after.append(row)
            row = joined(to, [row, to.op(tdsl.SubOp, row, before.pop(0))])
        return row, after

    def of_frame(self, to: ModelBuilder, frame: SSAValue) -> SSAValue:
        factor = None
        if self.block_exponent is not None:
            factor = to.op(BlockFactorOp, frame, self.full_scale, self.block_exponent)
            frame = to.op(ScaleBlockOp, frame, factor)
        frame = _windowed(to, frame)
        if self.length > self.frame:
            zeros = to.op(tdsl.FillOp, 0.0, TensorType(f32, (1, self.length)))
            frame = to.op(tdsl.InsertSliceOp, frame, zeros, [to.index(0), to.index(0)])
        spectrum = transform(to, frame)
        row = to.op(PowerOp if self.power else MagnitudeOp, spectrum)
        if self.bands is not None:
            row = filter_bank(to, row, self.matrix)
        if self.floor is not None:
            row = self.logarithm(to, row, self.floor, factor, 1 + self.power)
        return row if self.coefficients is None else _cosine_transform(to, row, self.coefficients)


def verify_share(share: float | None) -> None:
    """Raise `InputError` unless the fraction by which a running mean moves is None or in (0, 1)."""
    if share is not None and not 0 < share < 1:
        raise InputError(f"a running mean moves by a share between 0 and 1, got {share}")


def less_running_mean(to: ModelBuilder, row: SSAValue, mean: SSAValue, share: float) -> tuple[SSAValue, SSAValue]:
    """Move a running mean towards a row by the fraction `share`. Return the row minus the new mean, and the new
    mean.
    """
    step = to.op(tdsl.MulOp, to.op(tdsl.SubOp, row, mean), to.parameter(reals(np.full((1, 1), share))))
    mean = to.op(tdsl.AddOp, mean, step)
    return to.op(tdsl.SubOp, row, mean), mean


def joined(to: ModelBuilder, rows: list[SSAValue]) -> SSAValue:
    """Emit the concatenation of rows 1 x n."""
    total = sum(shape_of(row)[1] for row in rows)
    whole, at = to.op(tdsl.FillOp, 0.0, TensorType(f32, (1, total))), 0
    for row in rows:
        whole = to.op(tdsl.InsertSliceOp, row, whole, [to.index(0), to.index(at)])
        at += shape_of(row)[1]
    return whole


def followed_by(front_end: ModuleOp, model: ModuleOp) -> ModuleOp:
    """Compose a front end in number formats with a model on reals. Both modules are copied.

    Raises `InputError` for a model with number formats, with several inputs, or with a different number of input
    features.
    """
    if tdsl.has_formats(model):
        raise InputError("a model that follows a front end must be on reals: this one has number formats")
    module = front_end.clone()
    [function], [following] = defined_functions(module), defined_functions(model)
    block, arguments = function.body.block, following.body.block.args
    last = block.last_op
    assert isinstance(last, func.ReturnOp)
    [features] = last.operands
    if len(arguments) != 1 or prod(shape_of(arguments[0])) != prod(shape_of(features)):
        shapes = ", ".join(str(list(shape_of(argument))) for argument in arguments)
        raise InputError(f"the front end gives {prod(shape_of(features))} features, the model takes {shapes}")
    last.detach()
    last.erase()
    cast = tdsl.CastOp(features, f32)
    reshaped = tdsl.ReshapeOp(cast.out, shape_of(arguments[0]))
    block.add_ops([cast, reshaped])
    copies: dict[SSAValue, SSAValue] = {arguments[0]: reshaped.out}
    block.add_ops([op.clone(value_mapper=copies) for op in following.body.block.ops])
    function.sym_name = following.sym_name
    function.res_attrs = following.res_attrs
    function.update_function_type()
    module.attributes |= model.attributes
    tdsl.update_interface(function, **(vars(tdsl.read_interface(following)) | {"input": tdsl.read_input(function)}))
    return module
