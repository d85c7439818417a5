"""Block floating point: the numbers of a block share an exponent, which the number of greatest magnitude determines.

The exponent is represented by a factor, which is a power of two. Ordinary ops multiply by the factor and compute its
logarithm. On reals, every result is therefore equal to the result without scaling (Oppenheim and Weinstein, "Effects of
Finite Register Length in Digital Filtering and the Fast Fourier Transform", 1972, section IV.D).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TensorType, f64, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped
from tinyml.dialects.tdsl.elementwise import BinaryOp, elementwise_op_definition
from tinyml.dialects.tdsl.values import Array

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["BlockFactorOp", "ScaleBlockOp"]

MAX_EXPONENT = 14
"""The greatest exponent: the factor of 16-bit numbers has 16 bits itself."""


@irdl_op_definition
class BlockFactorOp(TensorOp):
    """The greatest power of two, from 1 to 2^most, whose products with all elements of a row have magnitudes below
    `limit`.

    The result is 1 for rows with a magnitude of at least half the limit, and 2^most for rows of zeros. `limit` is a
    power of two. In a number format, only powers that the format of the result represents are considered.
    """

    name = "tdsl.block_factor"
    STORES_LAST: ClassVar[bool] = True
    input = operand_def(SHAPED)
    limit = prop_def(FloatAttr)
    most = prop_def(IntegerAttr)
    assembly_format = "$input attr-dict `:` type($input) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

    def __init__(self, input: SSAValue, limit: float, most: int, element: Attribute | None = None):
        result = TensorType(element or shaped(input).get_element_type(), (*shape_of(input)[:-1], 1))
        build(self, [input], result, {"limit": FloatAttr(limit, f64), "most": IntegerAttr(most, i64)})

    def factors(self, format: NumberFormat | None = None) -> tuple[float, Sequence[tuple[float, float]]]:
        """The factor for rows whose greatest magnitude is below all thresholds, then pairs (threshold, factor) in
        ascending order of thresholds.

        format: the result's format. Factors above 1 that this format does not represent are omitted.
        """
        powers = [float(2**n) for n in range(self.most.value.data + 1)]
        if format is not None:
            exact = [float(format.decode(format.encode(np.array(power)))) == power for power in powers]
            powers = [power for power, kept in zip(powers, exact, strict=True) if kept or power == 1]
        pairs = zip(powers[1:], powers, strict=False)
        return powers[-1], [(self.limit.value.data / above, power) for above, power in reversed(list(pairs))]

    @property
    def interval(self) -> tuple[float, float]:
        return 1.0, self.factors()[0]

    def infer_shape(self) -> Shape:
        shape = shape_of(self.input)
        if not shape:
            raise VerifyException("scales the last axis, got a scalar")
        return (*shape[:-1], 1)

    def verify_more(self) -> None:
        limit, most = self.limit.value.data, self.most.value.data
        if not np.isfinite(limit) or limit <= 0 or np.frexp(limit)[0] != 0.5:
            raise VerifyException(f"the limit is a power of two, got {limit}")
        if not 1 <= most <= MAX_EXPONENT:
            raise VerifyException(f"there are from 1 to {MAX_EXPONENT} doublings, got {most}")

    def real(self, x: Sequence[Any]) -> Array:
        peak = np.abs(np.asarray(x[0], np.float64)).max(-1, keepdims=True)
        greatest, factors = self.factors()
        factor = np.full(peak.shape, greatest)
        for threshold, value in factors:
            factor = np.where(peak >= threshold, value, factor)
        return factor

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        source, out = format_of(self.input), format_of(self.out)
        values: Array = x[0]
        negative = source.combined(m, num.grouped_factors([(values, source)], [-1]))
        peak = np.maximum(values, negative).max(-1, keepdims=True)
        greatest, factors = self.factors(out)
        factor = np.broadcast_to(out.constant(m, greatest), peak.shape)
        for threshold, value in factors:
            factor = np.where(source.at_least(m, peak, threshold), out.constant(m, value), factor)
        return factor.astype(out.dtype)

    def derivative(self, arithmetic: Any, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array]:
        return [np.zeros_like(np.asarray(x[0], np.float64))]


@elementwise_op_definition(num.ScaleOp)
class ScaleBlockOp(BinaryOp):
    """The product of the elements `lhs` of a block and its `tdsl.block_factor`, `rhs`. All products stay within the
    range of the format.
    """

    name = "tdsl.scale_block"

    @property
    def pairs(self) -> Sequence[tuple[SSAValue, SSAValue]]:
        return [(self.lhs, self.rhs)]
