"""Frames of a signal and their spectra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, TensorType, f32
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
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
    to: ModelBuilder,
    frames: range,
    features: int,
    states: Sequence[tuple[int, ...]],
    of_frame: Callable[[SSAValue, SSAValue, Sequence[SSAValue]], tuple[SSAValue, Sequence[SSAValue]]],
) -> SSAValue:
    """A matrix (frames, features) with a row for each frame, by a loop over frames.

    frames: the first sample of each. states: shapes of the tensors that the loop carries, zeros at first. of_frame:
    makes a row 1 x features, and the next states, of the number of a frame, its first sample and the states.
    """
    whole = to.op(tdsl.FillOp, 0.0, TensorType(f32, (len(frames), features)))
    initial = [to.op(tdsl.FillOp, 0.0, TensorType(f32, shape)) for shape in states]
    start, stop, step = (to.index(value) for value in (0, len(frames), 1))
    outer = to.block
    inner = to.block = Block(arg_types=[IndexType(), whole.type, *(state.type for state in initial)])
    try:
        index, matrix, *before = inner.args
        first = to.emit(arith.MuliOp, index, to.index(frames.step)).result
        row, after = of_frame(index, first, before)
        matrix = to.op(tdsl.InsertSliceOp, row, matrix, [index, to.index(0)])
        inner.add_op(scf.YieldOp(matrix, *after))
    finally:
        to.block = outer
    return to.emit(scf.ForOp, start, stop, step, [whole, *initial], inner).results[0]


def windowed(to: ModelBuilder, frame: SSAValue) -> SSAValue:
    """A frame times the Hann window."""
    window = reals(hann(shape_of(frame)[1])[None])
    return to.op(tdsl.MulOp, frame, to.parameter(window))
