"""Softmax over the elements that a mask selects, as in attention to earlier positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Interval
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.base import SHAPED, Shape, TensorOp, build, format_of, shape_of, shaped, spell
from tinyml.dialects.tdsl.constant import ConstOp
from tinyml.dialects.tdsl.normalisation import columns, shares
from tinyml.dialects.tdsl.values import Arithmetic, Array, greatest

if TYPE_CHECKING:
    from tinyml.dialects.machine.numpy_machine import NumpyMachine

__all__ = ["LEAST", "MaskedSoftmaxOp"]

LEAST = -1e30
"""The real that replaces masked elements in the search for the maximum. A format rounds it to its lowest number."""


@irdl_op_definition
class MaskedSoftmaxOp(TensorOp):
    """`tdsl.softmax` of the elements where `mask` is positive; all other elements of the result are exactly 0.

    The mask has the shape of the last axes of the input. In each row, at least one element must be selected. The values
    of masked elements are not used. The range of the input's format therefore need not contain a large negative number
    to represent them.
    """

    name = "tdsl.masked_softmax"
    input = operand_def(SHAPED)
    mask = operand_def(SHAPED)
    assembly_format = (
        "$input `,` $mask attr-dict `:` type($input) `,` type($mask) (`into` $dest^ `:` type($dest))?"
        " (`->` type($result)^)?"
    )

    def __init__(self, input: SSAValue, mask: SSAValue, element: Attribute | None = None):
        build(self, [input, mask], TensorType(element or shaped(input).get_element_type(), shape_of(input)))

    @property
    def interval(self) -> Interval:
        return 0.0, 1.0

    def reads_in_place(self, operand: SSAValue) -> bool:
        # The greatest element and the total are known before the first result is stored.
        return operand is self.input

    def compares(self, operand: SSAValue) -> bool:
        return operand is self.mask

    def infer_shape(self) -> Shape:
        shape, mask = shape_of(self.input), shape_of(self.mask)
        if not mask or mask != shape[len(shape) - len(mask) :]:
            raise VerifyException(f"a mask of shape {spell(mask)} is not for the last axes of {spell(shape)}")
        return shape

    def verify_more(self) -> None:
        format, length = format_of(self.out), shape_of(self.input)[-1]
        if (longest := format.longest_softmax) is not None and length > longest:
            raise VerifyException(f"a softmax in {format.type} has at most {longest} numbers, got {length}")
        if isinstance(constant := self.mask.owner, ConstOp) and not self._kept(constant.raws).any(-1).all():
            raise VerifyException("a row is masked entirely, so that it has no softmax")

    def real(self, x: Sequence[Any]) -> Array:
        values = np.where(x[1] > 0, x[0], -np.inf)
        terms = np.exp(values - values.max(-1, keepdims=True))
        return terms / reduce(np.add, columns(terms))

    def bits(self, m: NumpyMachine, x: Sequence[Any]) -> Array:
        """The result as raws. Terms are added in the order of the elements."""
        format, source = format_of(self.out), format_of(self.input)
        kept = self._kept(x[1])
        values = np.where(kept, x[0], source.constant(m, LEAST)).astype(x[0].dtype)
        terms = format.softmax_term(m, values, greatest(m, source, columns(values)), source)
        return shares(m, format, np.where(kept, terms, 0).astype(terms.dtype))

    def derivative(self, arithmetic: Arithmetic, x: Sequence[Any], y: Array, slope: Array) -> Sequence[Array | None]:
        return [y * (slope - (slope * y).sum(-1, keepdims=True)), None]

    def _kept(self, raws: Array) -> Array:
        format = format_of(self.mask)
        # A format without 0, such as mid-rise weights, rounds 0 to a positive number.
        return format.decode(raws) > format.decode(format.encode(np.zeros(1)))
