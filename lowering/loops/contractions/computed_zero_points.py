"""Sums of products of two computed factors with zero points, computed by kernels on raws (L2 to L3).

(A - y) (x - z) = A x - z * (row sums of A) - y * (sum of x) + length * y * z. The row sums are computed once for all
columns x. The other terms depend only on the column. They are added to each of the column's sums of products.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import i8
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.formats.number_format import INTEGER_CODING, NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.loops.operands import elements_from, flash_array
from tinyml.transforms.ir.buffers import buffer_reads, effects_on
from tinyml.transforms.ir.loop_nest import Indices, LoopBuilder, function_around, local_array

_MIN_ROWS, _MIN_PRODUCTS = 4, 8
"""The minimum number of rows multiplied by a column, and of products per sum, for sums of products of raws."""


class OffsetSums:
    """The terms that the zero points of two computed factors, a matrix and a column, add to the sums of their
    products, in units of the sums.

    rows: a buffer with the term of each row of the matrix; None if the column has no zero point.
    column: the term that depends on the column and on both zero points; None if the matrix has no zero point.
    """

    def __init__(self, op: tdsl.ContractionOp, nest: LoopBuilder) -> None:
        [term] = op.terms
        (self.lhs, left), (self.rhs, right) = (tdsl.format_of(value).without_offset() for value in (term.lhs, term.rhs))
        self.accumulator, self.nest = op.accumulators[0], nest
        shape = tdsl.shape_of(term.lhs)
        self.column = self._column(term.rhs, shape[1], left, right) if left else None
        self.rows = self._rows(op, shape, right) if right else None

    @staticmethod
    def pay_for(op: tdsl.ContractionOp) -> bool:
        """Whether a product of two computed factors with zero points is faster if kernels multiply raws and the
        terms of the zero points are added.

        Subtracting the zero points from each factor is faster for short sums and for products of few rows. It
        is also faster if the row sums cannot be computed before an enclosing loop, since they cost as much as
        the products.
        """
        [term, *others], accumulator = op.terms, op.accumulators[0]
        if others or op.initial is not None or term.groups is not None or not accumulator.INTEGER:
            return False
        rows, columns = tdsl.shape_of(op.out)
        plain = [tdsl.format_of(value).without_offset() for value in (term.lhs, term.rhs)]
        return (
            columns == 1
            and rows >= _MIN_ROWS
            and tdsl.shape_of(term.lhs)[1] >= _MIN_PRODUCTS
            and (not plain[1][1] or _outermost(op, term.lhs) is not op)
            and all(format.coding == INTEGER_CODING for format, _ in plain)
        )

    def begun(self, row: SSAValue) -> SSAValue:
        """The initial value of the sum of row `row`: the row's stored sum, or 0 without row sums."""
        sum = self._zero(self.nest) if self.rows is None else self.nest.load(self.rows, [row])
        sum.name_hint = "sum"
        return sum

    def complete(self, sum: SSAValue) -> SSAValue:
        """Add the term `column`, unless it is None, to the sum of products of raws."""
        if self.column is None:
            return sum
        return self.nest.insert(num.AddShiftedOp(sum, self.column, self.nest.constant(0, i8)))

    def _column(self, column: SSAValue, length: int, left: int, right: int) -> SSAValue:
        nest, format = self.nest, self.accumulator.start_format(self.lhs)
        both = flash_array(nest, np.array([length * left * right], format.dtype), format.type, "offsets")
        sum = nest.insert(num.StartOp(nest.load(both, [nest.index(0)]), self.accumulator.type))
        raws = elements_from(column, nest.index(0), length, nest, self.rhs.type)
        return _plus_products(sum, _factors(-left, length, self.lhs, nest), raws, nest)

    def _rows(self, op: tdsl.ContractionOp, shape: Sequence[int], right: int) -> SSAValue:
        """Emit -`right` times the sum of each row of the matrix, which has the shape `shape`. The sums are computed
        before the outermost loop that neither defines nor changes the matrix.
        """
        [term] = op.terms
        outer = LoopBuilder(_outermost(op, term.lhs))
        rows, length = shape
        sums = local_array(function_around(op), self.accumulator.type, rows, "row_sums")
        vectors = _factors(-right, length, self.rhs, outer)

        def body(indices: Indices) -> None:
            raws = elements_from(term.lhs, outer.times(indices[0], length), length, outer, self.lhs.type)
            outer.store(_plus_products(self._zero(outer), vectors, raws, outer), sums, indices)

        outer.over([rows], body)
        return sums

    def _zero(self, nest: LoopBuilder) -> SSAValue:
        return nest.insert(num.ZeroOp(self.accumulator.type))


def _plus_products(sum: SSAValue, weights: Sequence[SSAValue], raws: SSAValue, nest: LoopBuilder) -> SSAValue:
    for vector in weights:
        sum = nest.insert(num.CallOp(num.DotAttr(), [sum, vector, raws]))
    return sum


def _factors(factor: int, length: int, format: NumberFormat, nest: LoopBuilder) -> list[SSAValue]:
    """Vectors of `length` equal raws. The products of a column with all these vectors add up to `factor` times the sum
    of the column.

    There is one vector, or two that each contain half of the factor if the factor exceeds the greatest raw.

    length: the number of elements in the column.
    format: the format of the vectors' elements.
    """
    steps = 1 if factor <= np.iinfo(format.dtype).max else 2
    return [flash_array(nest, np.full(length, factor // steps, format.dtype), format.type, "offset")] * steps


def _outermost(op: Operation, matrix: SSAValue) -> Operation:
    """The outermost of the loops around `op` that neither define a matrix nor write to it; `op` itself if there is no
    such loop.
    """
    root = scratch.root(matrix)
    while isinstance(loop := op.parent_op(), scf.ForOp) and not _is_made_in(loop, root):
        op = loop
    return op


def _is_made_in(loop: scf.ForOp, root: SSAValue) -> bool:
    """Whether a loop contains the definition of the buffer `root`, or may write to it."""
    definition = root.owner if isinstance(root.owner, Operation) else root.owner.parent_op()
    if definition is None or loop.is_ancestor(definition):
        return True
    uses = [use for use in buffer_reads(root) if loop.is_ancestor(use.operation)]
    return any(effects_on(use) != {MemoryEffectKind.READ} for use in uses)
