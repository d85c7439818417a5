"""Sums of products and numbers that are rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.num.base import Computation, format_of
from tinyml.dialects.num.constraints import OF_ONE_FAMILY
from tinyml.dialects.num.scalars import ScalarOp

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CombineOp", "grouped_factors"]

Array = Any


@irdl_op_definition
class CombineOp(ScalarOp):
    """A sum of terms, each a number or the product of two: `terms = [2, -1]` is `x[0] * x[1] - x[2]`.

    The numbers of `terms` count the factors; a negative one subtracts the term.
    """

    name = "num.combine"
    factors = var_operand_def(OF_ONE_FAMILY)
    terms = prop_def(DenseArrayBase.constr(i64))
    result = result_def(OF_ONE_FAMILY)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$factors attr-dict `:` type($factors) `->` type($result)"

    def __init__(self, factors: Sequence[SSAValue], terms: Sequence[int], type: Attribute):
        properties = {"terms": DenseArrayBase.from_list(i64, terms)}
        super().__init__(operands=[factors], properties=properties, result_types=[type])

    @property
    def counts(self) -> Sequence[int]:
        """The number of factors of each term, negative for one that is subtracted."""
        return tuple(cast("DenseArrayBase[IntegerType[Any, Any]]", self.terms).get_values())

    def verify_(self) -> None:
        counts = self.counts
        if not counts or not {*counts} <= {1, 2, -1, -2}:
            raise VerifyException(f"terms have one or two factors, got {list(counts)}")
        if sum(map(abs, counts)) != len(self.factors):
            raise VerifyException(f"terms {list(counts)} do not take {len(self.factors)} factors")

    def computation(self) -> Computation:
        formats, result, counts = [format_of(factor) for factor in self.factors], format_of(self.result), self.counts

        def compute(machine: Any, x: Sequence[Any]) -> Any:
            return result.combined(machine, grouped_factors(list(zip(x, formats, strict=True)), counts))

        return compute

    def real(self, x: Sequence[NDArray[Any]]) -> NDArray[Any]:
        total: NDArray[Any] = np.zeros(())
        for sign, factors in grouped_factors(x, self.counts):
            total = total + sign * (factors[0] if len(factors) == 1 else factors[0] * factors[1])
        return total

    def derivative(self, x: Sequence[Array], y: Array, slope: Array) -> Sequence[Array]:
        slopes: list[Array] = []
        for sign, factors in grouped_factors(x, self.counts):
            others = [sign] if len(factors) == 1 else [sign * factors[1], sign * factors[0]]
            slopes += [slope * other for other in others]
        return slopes


def grouped_factors(factors: Sequence[Any], counts: Sequence[int]) -> list[tuple[int, Sequence[Any]]]:
    """The sign and the factors of each term."""
    groups: list[tuple[int, Sequence[Any]]] = []
    at = 0
    for count in counts:
        groups.append((1 if count > 0 else -1, factors[at : at + abs(count)]))
        at += abs(count)
    return groups
