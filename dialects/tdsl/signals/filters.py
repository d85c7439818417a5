"""Filters of signals: recursive filters, and correlation with square waves, which needs no multiplication."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IndexType, IntegerType, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.values import Arithmetic, Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["BIQUAD_TERMS", "PERIOD", "BiquadOp", "SquareWavesOp"]


BIQUAD_TERMS = (2, 2, 2, -2, -2)
"""The terms of `num.combine` of a result: products with the last three inputs, and with the last two results."""


@irdl_op_definition
class BiquadOp(TensorOp):
    """A second-order recursive filter along the last axis. Each result is rounded once:

    `y[n] = b0 x[n] + b1 x[n - 1] + b2 x[n - 2] - a1 y[n - 1] - a2 y[n - 2]`

    `coefficients` contains b0, b1, b2, a1 and a2, as in a row of `scipy.signal.butter(..., output="sos")` without a0,
    which is 1. Inputs and results before the first element are zero.
    """

    name = "tdsl.biquad"
    input = operand_def(SHAPED)
    coefficients = prop_def(ArrayAttr[FloatAttr])
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, coefficients: Sequence[float], element: Attribute | None = None):
        result = TensorType(element or shaped(input).get_element_type(), shape_of(input))
        reals = ArrayAttr([FloatAttr(float(coefficient), f64) for coefficient in coefficients])
        build(self, [input], result, {"coefficients": reals})

    @property
    def reals(self) -> Sequence[float]:
        return [float(coefficient.value.data) for coefficient in self.coefficients]

    def coefficient_format(self) -> NumberFormat:
        """The format of the coefficients: of the same kind as the input's format, with a range that includes the
        greatest coefficient.
        """
        greatest = max(map(abs, self.reals))
        return format_of(self.input).for_range(-greatest, greatest)

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The last two inputs are stored.
        return True

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if not shape:
            raise VerifyException("filters along the last axis, got a scalar")
        return shape

    def verify_more(self) -> None:
        reals = self.reals
        if len(reals) != len(BIQUAD_TERMS) or not all(map(math.isfinite, reals)):
            raise VerifyException(f"has five finite coefficients, got {list(reals)}")

    def real(self, x: Sequence[Any]) -> Array:
        signal = np.asarray(x[0], np.float64)
        b0, b1, b2, a1, a2 = self.reals
        result = np.zeros((*signal.shape[:-1], signal.shape[-1] + 2))
        padded = np.concatenate([np.zeros((*signal.shape[:-1], 2)), signal], -1)
        for n in range(2, padded.shape[-1]):
            now = b0 * padded[..., n] + b1 * padded[..., n - 1] + b2 * padded[..., n - 2]
            result[..., n] = now - a1 * result[..., n - 1] - a2 * result[..., n - 2]
        return result[..., 2:]

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        source, out, factor = format_of(self.input), format_of(self.out), self.coefficient_format()
        coefficients = [(factor.constant(m, real), factor) for real in self.reals]
        signal = cast(Array, x[0])
        before = [np.broadcast_to(format.constant(m, 0.0), signal.shape[:-1]) for format in (source, source, out, out)]
        results: list[Array] = []
        for n in range(signal.shape[-1]):
            values = [(signal[..., n], source), *zip(before, (source, source, out, out), strict=True)]
            pairs = [each for pair in zip(values, coefficients, strict=True) for each in pair]
            y = out.combined(m, num.grouped_factors(pairs, BIQUAD_TERMS))
            before = [signal[..., n], before[0], y, before[2]]
            results.append(y)
        return np.stack(results, -1)


PERIOD = 1 << 14
"""The number of units of phase per period."""


@irdl_op_definition
class SquareWavesOp(TensorOp):
    """The mean products of a chunk of D samples, of shape 1 x D, with square waves of M frequencies, in phase and in
    quadrature. The shape of the result is 2 x M.

    The result is a column of A in equations (25) and (26) of Gural and Murmann, appendix D.2, divided by D. `result[1,
    m]` is the mean product with the quadrature wave. `result[0, m]` is the mean product with the in-phase wave, which
    is a quarter of a period later than the quadrature wave. `first` is the index of the chunk's first sample. `steps`
    contains the phase by which each wave advances per sample, in units of 1 / `PERIOD` periods.
    """

    name = "tdsl.square_waves"
    STORES_LAST: ClassVar[bool] = False
    KEEPS_INTERVAL: ClassVar[bool] = False
    input = operand_def(SHAPED)
    first = operand_def(IndexType)
    steps = prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$input `from` $first attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, first: SSAValue, steps: Sequence[int], element: Attribute | None = None):
        result = TensorType(element or shaped(input).get_element_type(), (2, len(steps)))
        build(self, [input, first], result, {"steps": DenseArrayBase.from_list(i64, steps)})

    @property
    def advances(self) -> NDArray[np.int64]:
        return np.array(cast("DenseArrayBase[IntegerType[Any, Any]]", self.steps).get_values(), np.int64)

    @property
    def length(self) -> int:
        return shape_of(self.input)[1]

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if len(shape) != 2 or shape[0] != 1:
            raise VerifyException(f"takes a chunk of 1 x D samples, got shape {spell(shape)}")
        steps = self.advances
        if not len(steps) or steps.min() < 1 or steps.max() > PERIOD // 2:
            raise VerifyException(f"phases advance by 1 to {PERIOD // 2} with a sample, got {steps.tolist()}")
        return (2, len(steps))

    def compute(self, arithmetic: Arithmetic, x: Sequence[Any]) -> Array:
        chunk, steps = x[0][:, 0], self.advances
        first = np.broadcast_to(np.asarray(x[1], np.int64), len(chunk))[:, None]
        shape = len(chunk), 2, len(steps)
        total = arithmetic.no_total(self.input, self.length, shape)
        for k in range(self.length):
            phase = (first + k) * steps % PERIOD
            early = np.stack([(phase - PERIOD // 4) % PERIOD < PERIOD // 2, phase < PERIOD // 2], 1)
            sample = chunk[:, k, None, None]
            total = arithmetic.tally(self.input, total, np.where(early, sample, self._negative(arithmetic, sample)))
        return arithmetic.average(self.out, format_of(self.input), total, self.length, over_axes=False)

    def _negative(self, arithmetic: Arithmetic, sample: Array) -> Array:
        format = format_of(self.input)
        return -sample if arithmetic.machine is None else format.neg(arithmetic.machine, sample, format)
