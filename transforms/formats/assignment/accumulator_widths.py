"""The accumulator widths that a program's products need in given formats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.product import Factor

ACCUMULATOR_BITS = 32
"""Operands give up bits of precision if a sum of their products then fits an accumulator of this width."""

SPARE_BITS = 7
"""Operands give up fewer than this many bits; beyond it, a wider accumulator costs less than the lost accuracy."""


class AccumulatorWidths:
    """The accumulators of sums of products (`contractions`) on reals; each width is computed once."""

    def __init__(self, contractions: Sequence[tdsl.ContractionOp]):
        self.contractions = contractions
        self._products = {op: op.products for op in contractions}
        self._bits: dict[object, int | None] = {}
        self._encoded: dict[object, Factor] = {}

    def bits(self, op: tdsl.ContractionOp, format_of: Callable[[SSAValue], NumberFormat]) -> int | None:
        """The width in bits that a sum needs for given formats of its tensors; None if none suffices."""
        key = op, format_of(op.out).type, *(format_of(value).type for value in op.inputs)
        if key not in self._bits:
            self._bits[key] = self._needed(op, format_of)
        return self._bits[key]

    def _needed(self, op: tdsl.ContractionOp, format_of: Callable[[SSAValue], NumberFormat]) -> int | None:
        result = format_of(op.out)
        products = [
            replace(
                known, lhs=self._in_format(known.lhs, format_of(lhs)), rhs=self._in_format(known.rhs, format_of(rhs))
            )
            for known, (lhs, rhs) in zip(self._products[op], op.pairs, strict=True)
        ]
        initial = None
        if op.initial is not None:
            initial = self._in_format(tdsl.factor_of(op.initial), format_of(op.initial))
        bound = result.sum_bound(products, initial)
        units = [result.accumulator(product.lhs.format, product.rhs.format, None) for product in products]
        finest = next((p for p, unit in zip(products, units, strict=True) if all(map(unit.follows, units))), None)
        if finest is None:
            return None
        try:
            return result.accumulator(finest.lhs.format, finest.rhs.format, bound).bits
        except InputError:
            return None

    def _in_format(self, factor: Factor, format: NumberFormat) -> Factor:
        if factor.raws is None:
            return replace(factor, format=format)
        key = id(factor.raws), format.type
        if key not in self._encoded:
            raws = format.encode(factor.format.decode(factor.raws))
            self._encoded[key] = replace(factor, format=format, raws=raws)
        return self._encoded[key]
