"""Recursive filters of signals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, TensorType, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.arrays.values import Array
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["BIQUAD_TERMS", "BiquadOp"]

BIQUAD_TERMS = (2, 2, 2, -2, -2)
"""The terms of `num.combine` of a result: products with the last three inputs, and with the last two results."""


@irdl_op_definition
class BiquadOp(TensorOp):
    """`y[n] = b0 x[n] + b1 x[n - 1] + b2 x[n - 2] - a1 y[n - 1] - a2 y[n - 2]` along the last axis, each rounded once.

    coefficients: b0, b1, b2, a1, a2, as the last five of a row of `scipy.signal.butter(..., output="sos")` without a0,
    which is 1. Inputs and results before the first are zero.
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
        """The coefficients."""
        return [float(coefficient.value.data) for coefficient in self.coefficients]

    def coefficient_format(self) -> NumberFormat:
        """The format of the coefficients: of the kind of the input's, for the greatest of them."""
        greatest = max(map(abs, self.reals))
        return format_of(self.input).for_range(-greatest, greatest)

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The last two inputs are kept.
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
