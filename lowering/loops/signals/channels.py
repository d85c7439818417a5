"""Lowering of audio channel ops to calls of runtime functions (L2 to L3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num.kernels.transforms import TransformAttr
from tinyml.dialects.tdsl import signals
from tinyml.lowering.loops.lowerings import lowers
from tinyml.lowering.loops.operands import flash_array
from tinyml.lowering.loops.signals.fourier import over_rows
from tinyml.transforms.ir.loop_nest import LoopBuilder


class _TaperArguments(NamedTuple):
    """samples: the number of samples of a frame. length: that of the padded frame."""

    samples: int
    length: int


class _ChannelsArguments(NamedTuple):
    """channels: their number. first: the first bin of the first channel."""

    channels: int
    first: int


class _NoiseArguments(NamedTuple):
    """channels: their number. even, odd: the shares of even and odd channels, in units of 2^-14."""

    channels: int
    even: int
    odd: int


class _FeaturesArguments(NamedTuple):
    """channels: their number. least: the least share of a channel that remains, in units of 2^-14. bits: the number of
    bits by which the compressed ratio is shifted left.
    """

    channels: int
    least: int
    bits: int


def _call(
    op: signals.IntegerOp, nest: LoopBuilder, table: Any, arguments: tuple[int, ...], steps: int, hint: str = ""
) -> None:
    """Emit the call `tm_NAME(result, operands, table, arguments)`, whose time is proportional to `steps`.

    table: an array of 16-bit integers; None for no table.
    arguments: the integers after the table, in the order of the parameters of the C function (`channels.h`).
    """
    name = f"{op.name.replace('tdsl.', 'tm_')}_i{8 * tdsl.format_of(op.out).dtype.itemsize}"
    runs = [_integers(value, nest) for value in (op.out, *op.inputs)]
    if table is not None:
        runs.append(flash_array(nest, np.asarray(table, np.int16), i16, hint))
    nest.put(num.CallOp(TransformAttr.of(name, arguments, steps), runs))


def _integers(value: SSAValue, nest: LoopBuilder) -> SSAValue:
    element = {1: i8, 2: i16, 4: i32}[tdsl.format_of(value).dtype.itemsize]
    return nest.insert(scratch.SliceOp(value, nest.index(0), (tdsl.shape_of(value)[1],), element))


@lowers(signals.TaperOp)
def lower_taper(op: signals.TaperOp, nest: LoopBuilder) -> None:
    samples, length = (tdsl.shape_of(value)[1] for value in (op.input, op.out))
    _call(op, nest, op.window, _TaperArguments(samples, length), length, "window")


@lowers(signals.ScaledSpectrumOp)
def lower_scaled_spectrum(op: signals.ScaledSpectrumOp, nest: LoopBuilder) -> None:
    def row(read: SSAValue, dest: SSAValue) -> None:
        rotations = np.concatenate([op.rotations.ravel(), op.real_rotations.ravel()]).astype(np.int16)
        runs = [_integers_of_run(dest, nest), flash_array(nest, rotations, i16, "rotations")]
        stages = (op.points.bit_length() - 1) // 2
        transform = TransformAttr.of("tm_scaled_spectrum_i16", [op.points], op.points // 4 * stages)
        nest.put(num.CallOp(transform, runs))

    over_rows(op, nest, row)


def _integers_of_run(run: SSAValue, nest: LoopBuilder) -> SSAValue:
    return nest.insert(scratch.SliceOp(run, nest.index(0), tdsl.shape_of(run), i16))


ROOT_STEPS = 24
"""The time of a channel's square root on a Cortex-M4, in weights of its channel."""


@lowers(signals.ChannelsOp)
def lower_channels(op: signals.ChannelsOp, nest: LoopBuilder) -> None:
    """The table contains, for each channel and one more, the number of its bins, and then the weights of the bins."""
    bank, table, start = op.bank, list[int](), 0
    for width in bank.widths:
        table += [width, *bank.falling[start : start + width]]
        start += width
    count = op.count.value.data
    _call(op, nest, table, _ChannelsArguments(count, bank.first), start + ROOT_STEPS * count, "bank")


@lowers(signals.NoiseOp)
def lower_noise(op: signals.NoiseOp, nest: LoopBuilder) -> None:
    count = tdsl.shape_of(op.out)[1]
    even, odd = op.shares
    _call(op, nest, None, _NoiseArguments(count, even, odd), count)


@lowers(signals.ChannelFeaturesOp)
def lower_channel_features(op: signals.ChannelFeaturesOp, nest: LoopBuilder) -> None:
    """The table contains the gains, then the logarithms. For features of 8 bits, the low and the high half of the
    multiplier and the raw of 0 follow.
    """
    count = tdsl.shape_of(op.out)[1]
    table = np.concatenate([op.gains, op.logarithms])
    if op.is_rounded:
        multiplier, zero = op.quantisation()
        low, high = multiplier & 0xFFFF, multiplier >> 16
        table = np.append(table, [low, high, zero]).astype(np.uint16).view(np.int16)
    arguments = _FeaturesArguments(count, least=op.least_share, bits=op.exponent.value.data)
    _call(op, nest, table, arguments, count, "gains")
