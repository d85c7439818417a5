"""Channels of sound with noise reduction and gain control: the features of TensorFlow Lite Micro's speech examples and
of microWakeWord.

The ops compute on integers. Their results are bit-identical to those of TensorFlow Lite Micro's audio front end and the
16-bit transform of kissfft, so that a model receives the features on which it was trained. On reals they compute the
same integers times units. The gain control is PCEN of Wang et al., "Trainable Frontend For Robust and Far-Field Keyword
Spotting" (2017), computed from tables.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f32, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.affine import affine_formula
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, spell
from tinyml.dialects.tdsl.signals.fourier import IN_AND_OUT, SpectrumOp
from tinyml.dialects.tdsl.values import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = [
    "ChannelFeaturesOp",
    "ChannelsOp",
    "IntegerOp",
    "NoiseOp",
    "ScaledSpectrumOp",
    "TaperOp",
    "channel_bits",
    "log1p",
]

SAMPLE_UNIT = 2.0**-15
"""The unit of samples from -1 to 1 in 16 bits."""

WEIGHT_BITS = 12
"""The fractional bits of the window and of the weights of channels."""

MOST_WEIGHT = 1 << WEIGHT_BITS

SHARE_BITS = 14
"""The fractional bits of the fractions by which noise moves, and of the least fraction of a channel that remains."""

NOISE_BITS = 10
"""The number of fractional bits that a noise estimate has in addition to those of a channel."""

GAIN_BITS, RATIO_BITS = 21, 12
"""The fractional bits of a gain, and of a channel relative to its noise."""

RATIO_OUT_BITS = 6
"""The fractional bits of the compressed ratio."""

LOG_BITS, SEGMENT_BITS, FEATURE_BITS = 16, 7, 6
"""The fractional bits of a logarithm, the binary logarithm of the number of segments of its table, and the fractional
bits of a feature.
"""

LOG_OF_TWO = round(math.log(2) * (1 << LOG_BITS))

MOST_FEATURE = (1 << 11) - 1
"""An integer that no feature exceeds: the greatest feature is 64 ln(2^32)."""

QUANTISATION_BITS = 31


def _as_i16(x: Array) -> Array:
    """Integers reduced modulo 2^16 to signed 16-bit integers."""
    return ((x + (1 << 15)) & 0xFFFF) - (1 << 15)


def _single(x: float) -> np.float32:
    return np.float32(x)


def _integer_fault(format: NumberFormat, bits: int, unit: float) -> str | None:
    """The reason why a format is not that of `bits`-bit integers whose unit is `unit`; None if it is."""
    formula = affine_formula(format) if format.dtype.kind == "i" else None
    if 8 * format.dtype.itemsize == bits and formula == (float(_single(unit)), 0):
        return None
    return f"computes on integers of {bits} bits in units of {unit}, got {format.type}"


class IntegerOp(TensorOp, ABC):
    """An op on integers. A tensor of reals represents them as integer * unit, with the unit of `units`.

    The method `integers` defines the result, also on reals.
    """

    ONE_FAMILY: ClassVar[bool] = False

    BITS: ClassVar[Sequence[int]]
    """The bits of the integers of each operand and of the result."""

    @property
    def units(self) -> Sequence[float]:
        """For each operand and for the result, the real that represents the integer 1."""
        return [SAMPLE_UNIT if bits == 16 else 1.0 for bits in self.BITS]

    def format_fault(self, formats: Sequence[NumberFormat]) -> str | None:
        """The reason why formats are neither all f32 nor those of the op's integers; None if they are."""
        if all(format.type == f32 for format in formats):
            return None
        return next(filter(None, map(_integer_fault, formats, self.BITS, self.units)), None)

    def real(self, x: Sequence[Any]) -> Array:
        *units, unit = self.units
        numbers = [np.rint(np.asarray(reals) / unit) for unit, reals in zip(units, x, strict=True)]
        return self.integers([number.astype(np.int64) for number in numbers]) * unit

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        return self.integers([raw.astype(np.int64) for raw in x]).astype(format_of(self.out).dtype)

    @abstractmethod
    def integers(self, x: Sequence[Array]) -> Array:
        """The result as integers, computed from operands that are arrays of 64-bit integers."""


def _row_length(value: SSAValue) -> int:
    shape = shape_of(value)
    if len(shape) != 2 or shape[0] != 1:
        raise VerifyException(f"takes one row 1 x N, got shape {spell(shape)}")
    return shape[1]


@lru_cache
def _window(length: int) -> NDArray[np.int64]:
    angle = _single(math.pi) * _single(2) / _single(length)
    cosines = [math.cos(angle * (_single(i) + _single(0.5))) for i in range(length)]
    weights = _single(0.5) - _single(0.5) * np.array(cosines, np.float32)
    return np.floor(weights * _single(MOST_WEIGHT) + _single(0.5)).astype(np.int64)


@irdl_op_definition
class TaperOp(IntegerOp):
    """A frame multiplied by a Hann window, and padded with zeros until its number of samples is a power of two.

    Sample i is multiplied by 0.5 - 0.5 cos(2 pi (i + 0.5) / N), rounded to 12 fractional bits. The product is rounded
    down.
    """

    name = "tdsl.taper"
    BITS: ClassVar[Sequence[int]] = (16, 16)
    input = operand_def(SHAPED)
    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue, element: Attribute):
        length = shape_of(input)[-1]
        build(self, [input], TensorType(element, (1, 1 << (length - 1).bit_length())))

    def infer_shape(self) -> Shape:
        return (1, 1 << (_row_length(self.input) - 1).bit_length())

    @property
    def window(self) -> NDArray[np.int64]:
        """The integer weights of the N samples, in units of 2^-12, computed in single precision."""
        return _window(shape_of(self.input)[1])

    def integers(self, x: Sequence[Array]) -> Array:
        tapered = _as_i16((x[0] * self.window) >> WEIGHT_BITS)
        return np.pad(tapered, [(0, 0), (0, 0), (0, shape_of(self.out)[1] - tapered.shape[2])])


@irdl_op_definition
class ScaledSpectrumOp(IntegerOp, SpectrumOp):
    """The spectrum of N real samples, where N / 2 is a power of four. The samples are first doubled as often as their
    magnitudes stay below 2^15, but at most 15 times; the magnitude of the sample -2^15 is ignored.

    The first pair of the result contains the number of doublings and 0, instead of bins 0 and N / 2. Each of the log4(N
    / 2) stages divides its inputs by 4 before it rotates them. The last step separates the bins of the real signal, and
    divides by 2 both before and after the rotation. Sums wrap around.
    """

    name = "tdsl.scaled_spectrum"
    BITS: ClassVar[Sequence[int]] = (16, 16)
    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue, element: Attribute):
        build(self, [input], TensorType(element, shape_of(input)))

    def verify_points(self) -> None:
        super().verify_points()
        _row_length(self.input)
        if self.points.bit_length() % 2 == 0:
            raise VerifyException(f"transforms a power of four of complex numbers, got {self.points}")

    @property
    def order(self) -> NDArray[np.int64]:
        """The permutation of the input of the transform: each index with its base-4 digits in reverse order."""
        order = np.zeros(1, np.int64)
        while len(order) < self.points:
            order = np.concatenate([4 * order + digit for digit in range(4)])
        return order

    @property
    def rotations(self) -> NDArray[np.int64]:
        """The rotations (twiddle factors) of the last stage, of shape (N / 8, 3, 2). The other stages use a subset of
        them.
        """
        return _turns(np.arange(self.points // 4)[:, None] * [1, 2, 3] / self.points)

    @property
    def real_rotations(self) -> NDArray[np.int64]:
        """The rotations (twiddle factors) that separate bins 1 to N / 4 of the real signal, of shape (N / 4, 2)."""
        return _turns(np.arange(1, self.points // 2 + 1) / (2 * self.points) + 0.25)

    def integers(self, x: Sequence[Array]) -> Array:
        samples = x[0][:, 0]
        # The greatest magnitude counts modulo 2^16, so that -32768 is no magnitude.
        peak = np.maximum(_as_i16(np.abs(samples)).max(-1), 0)
        doublings = 15 - np.ceil(np.log2(peak + 1)).astype(np.int64)
        z = _as_i16(samples << doublings[:, None]).reshape(len(samples), -1, 2)[:, self.order]
        span, rotations = 1, self.rotations
        while span < self.points:
            stride = self.points // (4 * span)
            z = _stage(z.reshape(len(z), -1, 4, span, 2), rotations[::stride]).reshape(z.shape)
            span *= 4
        bins = _real_bins(z, self.real_rotations)
        bins[:, 0, 0] = doublings
        return bins.reshape(len(bins), 1, -1)


def _turns(periods: Array) -> NDArray[np.int64]:
    """exp(-2 pi j t) for each number of periods t, in units of 1 / 32767."""
    angles = 2 * np.pi * np.asarray(periods)
    return np.floor(32767 * np.stack([np.cos(angles), -np.sin(angles)], -1) + 0.5).astype(np.int64)


def _rounded(x: Array) -> Array:
    return _as_i16((x + (1 << 14)) >> 15)


def _over(x: Array, count: int) -> Array:
    """Integers divided by `count`: multiplied by 32767 // count and shifted right by 15 bits, rounded to nearest."""
    return _rounded(x * (32767 // count))


def _times(z: Array, w: Array) -> Array:
    """The products of complex 16-bit integers, whose real and imaginary parts are along the last axis."""
    real = z[..., 0] * w[..., 0] - z[..., 1] * w[..., 1]
    return np.stack([_rounded(real), _rounded(z[..., 0] * w[..., 1] + z[..., 1] * w[..., 0])], -1)


def _by_minus_j(z: Array) -> Array:
    return np.stack([z[..., 1], -z[..., 0]], -1)


def _stage(z: Array, w: Array) -> Array:
    """The result of one radix-4 stage of a Fourier transform.

    z: the complex inputs of the stage as 16-bit integers, of shape (samples, groups, 4, span, 2); the last axis
        is the real and imaginary part.
    w: the complex twiddle factors, of shape (span, 3, 2).
    """
    z = _over(z, 4)
    a, (b, c, d) = z[:, :, 0], (_times(z[:, :, i], w[:, i - 1]) for i in (1, 2, 3))
    even, odd, sum, turned = a + c, a - c, b + d, _by_minus_j(b - d)
    return _as_i16(np.stack([even + sum, odd + turned, even - sum, odd - turned], 2))


def _real_bins(z: Array, w: Array) -> Array:
    """The bins of a real signal, computed from the Fourier transform of its samples, read as complex numbers. Bin 0 is
    set to 0.

    z: this Fourier transform, of shape (samples, points, 2); the last axis is the real and imaginary part.
    w: the complex twiddle factors, of shape (points / 2, 2).
    """
    points = z.shape[1]
    low: NDArray[np.int64] = np.arange(1, points // 2 + 1, dtype=np.int64)
    bins = np.zeros_like(z)
    conjugate = np.array([1, -1])
    p, q = _over(z[:, low], 2), _over(_as_i16(z[:, points - low] * conjugate), 2)
    even, odd = _as_i16(p + q), _times(_as_i16(p - q), w)
    bins[:, low] = (even + odd) >> 1
    # The middle bin is a pair with itself; the second of the pair counts.
    bins[:, points - low] = np.stack([even[..., 0] - odd[..., 0], odd[..., 1] - even[..., 1]], -1) >> 1
    return bins


class Bank(NamedTuple):
    """The bins of a spectrum that belong to each channel, and their weights.

    first: the index of the first bin that belongs to a channel.
    widths: the numbers of bins between adjacent centres of channels. There is one more number than there are channels.
    falling: for each bin, its weight in the channel whose triangle falls there, in units of 2^-12. Its weight in the
        next channel is 2^12 minus this number.
    """

    first: int
    widths: Sequence[int]
    falling: Sequence[int]


def log1p(x: np.float32) -> np.float32:
    """log(1 + x) for x >= 0 in single precision, rounded as by the C libraries of microcontrollers (fdlibm).

    1 + x is written as 2^k (1 + f) with f between sqrt(1/2) - 1 and sqrt(2) - 1. log(1 + f) is a polynomial in f / (2 +
    f). With any other rounding, some weights of channels would differ by one unit.
    """
    high, low = _single(6.9313812256e-01), _single(9.0580006145e-06)
    k, f, lost = 0, x, _single(0)
    if x >= _single(math.sqrt(2) - 1):
        whole = _single(1) + x
        k = math.frexp(whole)[1] - 1
        lost = (_single(1) - (whole - x) if k > 0 else x - (whole - _single(1))) / whole
        mantissa = _single(math.ldexp(float(whole), -k))
        if mantissa >= _single(math.sqrt(2)):
            k, mantissa = k + 1, mantissa / _single(2)
        f = mantissa - _single(1)
    half_square, s = _single(0.5) * f * f, f / (_single(2) + f)
    z, series = s * s, _single(0)
    for coefficient in _LOG1P:
        series = (_single(coefficient) + series) * z
    rest = s * (half_square + series)
    if k == 0:
        return f - (half_square - rest)
    return _single(k) * high - ((half_square - (rest + (_single(k) * low + lost))) - f)


_LOG1P = (0.14798198640, 0.15313838422, 0.18183572590, 0.22222198546, 0.28571429849, 0.40000000596, 0.66666668653)


def _mel(frequency: np.float32) -> np.float32:
    return _single(1127) * log1p(frequency / _single(700))


@lru_cache
def _bank(points: int, count: int, rate: float, low: float, high: float) -> Bank:
    lowest, highest = _mel(_single(low)), _mel(_single(high))
    spacing = (highest - lowest) / _single(count + 1)
    centres = [lowest + spacing * _single(i + 1) for i in range(count + 1)]
    width = _single(0.5) * _single(rate) / _single(points)
    first = bin = int(_single(1.5) + _single(low) / width)
    widths: list[int] = []
    falling: list[int] = []
    for before, centre in zip([lowest, *centres], centres, strict=False):
        start = bin
        while bin < points and (mel := _mel(_single(bin) * width)) <= centre:
            weight = (centre - mel) / (centre - before)
            falling.append(math.floor(weight * _single(MOST_WEIGHT) + _single(0.5)))
            bin += 1
        widths.append(bin - start)
    return Bank(first, widths, falling)


@irdl_op_definition
class ChannelsOp(IntegerOp):
    """The magnitudes of `count` channels of a `tdsl.scaled_spectrum`. The weights of a channel are a triangle on the
    mel scale.

    A magnitude is the square root of a weighted sum of powers, divided by 2^d for the d doublings of the spectrum. Its
    unit is 2^-6 of the magnitude of a bin. Bins from 1 on belong to channels. `rate` is the number of samples per
    second. The centres of the channels divide the mels between `low` and `high` Hz evenly.
    """

    name = "tdsl.channels"
    BITS: ClassVar[Sequence[int]] = (16, 32)
    input = operand_def(SHAPED)
    count = prop_def(IntegerAttr)
    rate = prop_def(FloatAttr)
    low = prop_def(FloatAttr)
    high = prop_def(FloatAttr)
    assembly_format = IN_AND_OUT

    def __init__(self, input: SSAValue, count: int, rate: float, low: float, high: float, element: Attribute):
        properties: dict[str, Attribute] = {"count": IntegerAttr(count, i64)}
        properties |= {name: FloatAttr(value, f64) for name, value in (("rate", rate), ("low", low), ("high", high))}
        build(self, [input], TensorType(element, (1, count)), properties)

    def infer_shape(self) -> Shape:
        _row_length(self.input)
        return (1, self.count.value.data)

    def verify_more(self) -> None:
        rate, low, high = (value.value.data for value in (self.rate, self.low, self.high))
        if self.count.value.data < 1 or not 0 <= low < high < rate / 2:
            raise VerifyException(
                f"has channels between 0 Hz and half the sampling rate, got {self.count.value.data} from {low} to "
                f"{high} Hz at {rate} Hz"
            )

    @property
    def bank(self) -> Bank:
        """The bins of the channels and their weights, computed in single precision."""
        rate, low, high = (value.value.data for value in (self.rate, self.low, self.high))
        return _bank(shape_of(self.input)[1] // 2, self.count.value.data, rate, low, high)

    def integers(self, x: Sequence[Array]) -> Array:
        bins = x[0].reshape(len(x[0]), -1, 2)
        power = (bins**2).sum(-1)
        sums = np.zeros((len(bins), len(self.bank.widths) + 1), np.int64)
        falling, bin = iter(self.bank.falling), self.bank.first
        for channel, width in enumerate(self.bank.widths):
            for _ in range(width):
                weight = next(falling)
                sums[:, channel] += weight * power[:, bin]
                sums[:, channel + 1] += (MOST_WEIGHT - weight) * power[:, bin]
                bin += 1
        roots = _root(sums[:, 1:-1]) >> bins[:, :1, 0]
        return roots[:, None]


def _root(x: Array) -> Array:
    """Square roots of integers, rounded to nearest. The root of a 32-bit integer has 16 bits."""
    root = np.sqrt(x.astype(np.float64)).astype(np.int64)
    root -= root * root > x
    root += (root + 1) ** 2 <= x
    return np.where((x - root * root > root) & ((x >> 32 != 0) | (root != 0xFFFF)), root + 1, root)


def _share(real: float) -> int:
    return int(_single(real) * _single(1 << SHARE_BITS))


@irdl_op_definition
class NoiseOp(IntegerOp):
    """An estimate of the noise of each channel after a frame: (1 - share) * `before` + share * the channel, where
    `before` is the previous estimate.

    The share is `even` for channels 0, 2 and so on, and `odd` for the others. The noise has ten more fractional bits
    than a channel.
    """

    name = "tdsl.noise"
    BITS: ClassVar[Sequence[int]] = (32, 32, 32)
    channels = operand_def(SHAPED)
    before = operand_def(SHAPED)
    even = prop_def(FloatAttr)
    odd = prop_def(FloatAttr)
    assembly_format = (
        "$channels `,` $before attr-dict `:` type($channels) `,` type($before)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, channels: SSAValue, before: SSAValue, even: float, odd: float, element: Attribute):
        properties: dict[str, Attribute] = {"even": FloatAttr(even, f64), "odd": FloatAttr(odd, f64)}
        build(self, [channels, before], TensorType(element, shape_of(channels)), properties)

    def infer_shape(self) -> Shape:
        return _same_rows(self.channels, self.before)

    def verify_more(self) -> None:
        for share in (self.even, self.odd):
            if not 0 < share.value.data < 1:
                raise VerifyException(f"moves by a share between 0 and 1, got {share.value.data}")

    def reads_in_place(self, operand: SSAValue) -> bool:
        return True

    @property
    def shares(self) -> tuple[int, int]:
        """The shares of even and of odd channels, in units of 2^-14."""
        return _share(self.even.value.data), _share(self.odd.value.data)

    def integers(self, x: Sequence[Array]) -> Array:
        shares = np.array(self.shares)[np.arange(x[0].shape[-1]) % 2]
        return ((x[0] << NOISE_BITS) * shares + x[1] * ((1 << SHARE_BITS) - shares)) >> SHARE_BITS


def _same_rows(channels: SSAValue, noise: SSAValue) -> Shape:
    if _row_length(channels) != _row_length(noise):
        raise VerifyException(f"takes two rows of equal length, got {spell(shape_of(noise))}")
    return shape_of(channels)


def channel_bits(points: int) -> int:
    """The property `bits` of `tdsl.channel_features`: the exponent of the power of two that multiplies channels and
    noise.

    points: the number of samples of the spectrum.
    """
    return points.bit_length() - 1 - WEIGHT_BITS // 2


@lru_cache
def _gains(strength: float, offset: float, bits: int) -> NDArray[np.int64]:
    def gain(noise: int) -> int:
        base = _single(noise) / _single(1 << (NOISE_BITS - bits)) + _single(offset)
        power = _single(math.pow(base, -_single(strength)))
        return min(int(_single(1 << GAIN_BITS) * power + _single(0.5)), (1 << 15) - 1)

    points = [gain(0), gain(1)]
    for exponent in range(1, 32):
        low, end = 1 << exponent, (1 << 32) - 1 if exponent == 31 else 2 << exponent
        first, middle, last = (gain(noise) for noise in (low, low + low // 2, end))
        slope = 4 * (middle - first) - (last - first)
        points += [first, slope, last - first - slope]
    return np.array(points)


@irdl_op_definition
class ChannelFeaturesOp(IntegerOp):
    """The feature of each channel, multiplied by `unit`: 64 ln(y 2^bits), rounded to an integer, or 0 if y 2^bits is
    below 2.

    Let x be the channel minus its noise, multiplied by 2^bits and by a gain that decreases with the noise. y is x^2 / 4
    if x is below 2, and x - 1 otherwise, as an integer in units of 2^-6.

    * channels, noise: the channels, and the estimate of their noise.
    * least: the least fraction of a channel that remains after the noise is subtracted.
    * strength, offset: the gain is (noise 2^bits + offset)^-strength, interpolated in a table.
    * unit: the real that represents the integer 1.
    * bits: the result of `channel_bits`.

    The elements of the result have 16 bits and represent the integers exactly, or 8 bits, to which the integers are
    rounded once.
    """

    name = "tdsl.channel_features"
    BITS: ClassVar[Sequence[int]] = (32, 32, 16)
    channels = operand_def(SHAPED)
    noise = operand_def(SHAPED)
    least = prop_def(FloatAttr)
    strength = prop_def(FloatAttr)
    offset = prop_def(FloatAttr)
    unit = prop_def(FloatAttr)
    # `bits` is the method that evaluates the op.
    exponent = prop_def(IntegerAttr, prop_name="bits")
    assembly_format = (
        "$channels `,` $noise attr-dict `:` type($channels) `,` type($noise)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(
        self,
        channels: SSAValue,
        noise: SSAValue,
        *,
        least: float,
        strength: float,
        offset: float,
        unit: float,
        bits: int,
        element: Attribute,
    ):
        properties: dict[str, Attribute] = {"bits": IntegerAttr(bits, i64)}
        reals = (("least", least), ("strength", strength), ("offset", offset), ("unit", unit))
        properties |= {name: FloatAttr(value, f64) for name, value in reals}
        build(self, [channels, noise], TensorType(element, shape_of(channels)), properties)

    @property
    def units(self) -> Sequence[float]:
        return (1.0, 1.0, self.unit.value.data)

    def verify_formats(self) -> None:
        if self.is_rounded:
            self.quantisation()
        super().verify_formats()

    @property
    def is_rounded(self) -> bool:
        """True if the features are stored as 8-bit numbers, which need rounding."""
        return format_of(self.out).dtype.itemsize == 1

    def format_fault(self, formats: Sequence[NumberFormat]) -> str | None:
        *operands, result = formats
        if result.dtype.itemsize > 1:
            return super().format_fault(formats)
        # Features of 8 bits are rounded to any scale.
        return next(filter(None, map(_integer_fault, operands, self.BITS, self.units)), None)

    def quantisation(self) -> tuple[int, int]:
        """The multiplier, in units of 2^-31, that converts features to raws of 8 bits, and the raw of 0.

        Raises `VerifyException` for a format in which one multiplication does not round every feature correctly.
        """
        format = format_of(self.out)
        formula = affine_formula(format)
        features = np.arange(MOST_FEATURE + 1)
        if formula is not None and 0 < (ratio := self.unit.value.data / formula[0]) < 1:
            multiplier = round(ratio * 2**QUANTISATION_BITS)
            product = (features * multiplier + 2 ** (QUANTISATION_BITS - 1)) >> QUANTISATION_BITS
            raws = np.minimum(product + formula[1], np.iinfo(format.dtype).max)
            reals: NDArray[np.float64] = features * np.float64(self.unit.value.data)
            if (raws == format.encode(reals)).all():
                return multiplier, formula[1]
        raise VerifyException(f"features in units of {self.unit.value.data} do not become {format.type}")

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        if not self.is_rounded:
            return super().bits(m, x)
        return format_of(self.out).encode(self.real([raw.astype(np.float64) for raw in x]))

    def infer_shape(self) -> Shape:
        return _same_rows(self.channels, self.noise)

    def verify_more(self) -> None:
        least, strength, offset = (value.value.data for value in (self.least, self.strength, self.offset))
        if not 0 <= least < 1 or not 0 < strength <= 1 or not offset > 0:
            raise VerifyException(
                f"has a least share in [0, 1), a strength in (0, 1] and an offset above 0, got {least}, {strength}, "
                f"{offset}"
            )
        if not 0 < self.unit.value.data < math.inf:
            raise VerifyException(f"has a unit above 0, got {self.unit.value.data}")
        if not 0 <= self.exponent.value.data < GAIN_BITS - RATIO_BITS:
            raise VerifyException(f"has from 0 to {GAIN_BITS - RATIO_BITS - 1} bits, got {self.exponent.value.data}")

    @property
    def least_share(self) -> int:
        """The property `least` in units of 2^-14."""
        return _share(self.least.value.data)

    @property
    def gains(self) -> NDArray[np.int64]:
        """The gains for a noise of 0 and of 1. Then, for each power of two from 2 to 2^31, the gain at this noise and
        two coefficients of a parabola that interpolates up to the next power of two.
        """
        return _gains(self.strength.value.data, self.offset.value.data, self.exponent.value.data)

    @property
    def logarithms(self) -> NDArray[np.int64]:
        """log2(1 + x) - x at the ends of 128 equal segments of x from 0 to 1."""
        x = np.arange((1 << SEGMENT_BITS) + 1) / (1 << SEGMENT_BITS)
        return np.round((np.log2(1 + x) - x) * (1 << LOG_BITS)).astype(np.int64)

    def integers(self, x: Sequence[Array]) -> Array:
        channels, noise = x
        doubled = channels << NOISE_BITS
        remaining = (doubled - np.minimum(noise, doubled)) >> NOISE_BITS
        remaining = np.maximum(remaining, (channels * self.least_share) >> SHARE_BITS)
        bits = self.exponent.value.data
        ratio = (remaining * self._gains_of(noise)) >> (GAIN_BITS - bits - RATIO_BITS)
        below = (ratio * ratio) >> (2 + 2 * RATIO_BITS - RATIO_OUT_BITS)
        above = (ratio >> (RATIO_BITS - RATIO_OUT_BITS)) - (1 << RATIO_OUT_BITS)
        return self._logarithm(np.where(ratio < 2 << RATIO_BITS, below, above) << bits)

    def _gains_of(self, noise: Array) -> Array:
        whole = np.frexp(noise.astype(np.float64))[1] - 1
        row = 3 * np.maximum(whole, 1) - 1
        share = (np.where(whole < 10, noise << np.maximum(10 - whole, 0), noise >> np.maximum(whole - 10, 0))) & 0x3FF
        table = self.gains
        parabola = ((((table[row + 2] * share) >> 5) + (table[row + 1] << 5)) * share + (1 << 14)) >> 15
        return np.where(noise < 2, table[np.minimum(noise, 1)], table[row] + parabola)

    def _logarithm(self, x: Array) -> Array:
        whole = np.maximum(np.frexp(x.astype(np.float64))[1] - 1, 0)
        rest = x - (1 << whole)
        left = LOG_BITS - whole
        share = np.where(left >= 0, rest << np.maximum(left, 0), rest >> np.maximum(-left, 0))
        segment, table = np.clip(share >> (LOG_BITS - SEGMENT_BITS), 0, (1 << SEGMENT_BITS) - 1), self.logarithms
        within = share - (segment << (LOG_BITS - SEGMENT_BITS))
        log2 = (whole << LOG_BITS) + share + table[segment]
        log2 += ((table[segment + 1] - table[segment]) * within) >> LOG_BITS
        half = 1 << (LOG_BITS - 1)
        log = (LOG_OF_TWO * log2 + half) >> LOG_BITS
        feature = ((log << FEATURE_BITS) + half) >> LOG_BITS
        return np.where(x > 1, feature, 0)
