"""Frames of a signal and their spectra."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, TensorType, f32
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, hint
from tinyml.lowering.frontends.layers.parameter import reals

if TYPE_CHECKING:
    from numpy.typing import NDArray


def hann(length: int) -> NDArray[Any]:
    """The periodic Hann window."""
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)


def transform(to: ModelBuilder, row: SSAValue) -> SSAValue:
    """The bins of 1 x N real samples, N a power of two of at least 8, as `tdsl.real_spectrum` orders them."""
    points = shape_of(row)[-1] // 2
    row = to.op(tdsl.ReverseBitsOp, row)
    span = 1
    if points.bit_length() % 2 == 0:
        row, span = to.op(tdsl.ButterfliesOp, row, 2, 1), 2
    while span < points:
        row, span = to.op(tdsl.ButterfliesOp, row, 4, span), 4 * span
    return to.op(tdsl.RealSpectrumOp, row)


def by_frame(
    to: ModelBuilder, signal: SSAValue, frame: int, hop: int, features: int, of_frame: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """A matrix (frames, features) with a row for each frame: a loop over frames that begin `hop` apart.

    signal: 1 x samples. of_frame: makes 1 x `features` numbers of 1 x `frame` samples.
    """
    frames = 1 + (shape_of(signal)[1] - frame) // hop
    start, stop, step = (to.index(value) for value in (0, frames, 1))
    whole = to.op(tdsl.FillOp, 0.0, TensorType(f32, (frames, features)))
    outer = to.block
    inner = to.block = Block(arg_types=[IndexType(), whole.type])
    try:
        index, matrix = inner.args
        at = to.emit(arith.MuliOp, index, to.index(hop)).result
        part = to.op(tdsl.SliceOp, signal, [to.index(0), at], (1, frame))
        hint(part, "frame")
        row = of_frame(part)
        after = to.op(tdsl.InsertSliceOp, row, matrix, [index, to.index(0)])
        inner.add_op(scf.YieldOp(after))
    finally:
        to.block = outer
    return to.emit(scf.ForOp, start, stop, step, [whole], inner).results[0]


def windowed(to: ModelBuilder, frame: SSAValue) -> SSAValue:
    """A frame times the Hann window."""
    window = reals(hann(shape_of(frame)[1])[None])
    return to.op(tdsl.MulOp, frame, to.parameter(window))
