"""`prune-zeros`: removes vector elements that have no effect because rows or columns of constant matrices are zero
(L0).

If a column of a matrix is zero, the matrix does not use the corresponding element of its vector. If a row is zero, the
corresponding element of the result is zero. Between two matrices, such as the factors of a low-rank matrix, such an
element is removed from the vector and from all ops that compute and read it. Some vectors must retain their length,
such as the input. Products with such a vector skip the elements before the first and after the last element that they
use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.operations import index_constant
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.arithmetics import Reals
from tinyml.runtime.evaluator.execution import compute
from tinyml.transforms.ir.conditional_pass import ConditionalPass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lanes = NDArray[np.bool_]

ALIGNED = 4
"""The part of a vector that is read starts and ends at multiples of this, which keeps packed loads aligned."""


@dataclass(frozen=True)
class PruneZerosPass(ConditionalPass):
    """Remove rows and columns of constant matrices that are multiplied by column vectors, and the corresponding
    elements of the vectors, at L0.

    Every removed element is exactly zero or is never read. For example, a zero column of B in B (A x) also removes a
    row of A. Matrices that have other readers are unchanged.
    """

    name = "prune-zeros"

    def obstacle(self, module: ModuleOp) -> str | None:
        products = (inner for inner in module.walk() if isinstance(inner, tdsl.ProductOp))
        return None if any(map(_matrix, products)) else "no product of a constant matrix of f32 and a vector"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = True
        while changed:
            changed = False
            for product in [product for product in op.walk() if isinstance(product, tdsl.ProductOp)]:
                if _matrix(product) is not None:
                    changed |= _prune(product.rhs)
        for product in [product for product in op.walk() if isinstance(product, tdsl.ProductOp)]:
            if (matrix := _matrix(product)) is not None:
                _skip(product, matrix)


def _matrix(op: tdsl.ProductOp) -> tdsl.ConstOp | None:
    plain = op.shifts is None and tdsl.shape_of(op.rhs)[1] == 1 and tdsl.is_real(op.out)
    return tdsl.own_constant(op.lhs) if plain else None


@dataclass
class _Lanes:
    """Vectors of one length that are computed from each other element by element.

    made, read: the products that compute or read one of these vectors, with their matrices.
    """

    length: int
    zeros: dict[SSAValue, Lanes] = field(default_factory=dict[SSAValue, "Lanes"])
    """The elements of each vector that are zero for every input."""
    made: dict[tdsl.ProductOp, tdsl.ConstOp] = field(default_factory=dict[tdsl.ProductOp, tdsl.ConstOp])
    read: dict[tdsl.ProductOp, tdsl.ConstOp] = field(default_factory=dict[tdsl.ProductOp, tdsl.ConstOp])
    constants: list[tdsl.ConstOp] = field(default_factory=list[tdsl.ConstOp])
    """The vectors that are constants."""

    def add(self, value: SSAValue) -> bool:
        if value in self.zeros:
            return True
        if prod(shape := tdsl.shape_of(value)) != max(shape):
            return False
        return self._add_maker(value) and all(self._add_reader(use.operation, value) for use in value.uses)

    def _add_maker(self, value: SSAValue) -> bool:
        none: Lanes = np.zeros(self.length, bool)
        op = value.owner
        if isinstance(op, tdsl.ConstOp):
            self.constants.append(op)
            self.zeros[value] = op.raws.reshape(-1) == 0
            return True
        if isinstance(op, tdsl.ProductOp) and (matrix := _matrix(op)) is not None:
            self.made[op] = matrix
            self.zeros[value] = (matrix.raws == 0).all(1)
            return True
        if not isinstance(op, tdsl.UnaryOp | tdsl.BinaryOp | tdsl.ReshapeOp) or isinstance(op, tdsl.CastOp):
            return False
        # Set before the operands are visited, whose other readers may lead back to this value.
        self.zeros[value] = none
        vectors = [operand for operand in op.inputs if prod(tdsl.shape_of(operand)) > 1]
        if not vectors or not all(map(self.add, vectors)):
            return False
        zeros = [self.zeros[operand] if operand in vectors else none for operand in op.inputs]
        if _keeps_zero(op):
            self.zeros[value] = (np.logical_or if isinstance(op, tdsl.MulOp) else np.logical_and).reduce(zeros)
        return True

    def _add_reader(self, op: Any, value: SSAValue) -> bool:
        if isinstance(op, tdsl.ProductOp):
            if op.rhs is not value or (matrix := _matrix(op)) is None:
                return False
            self.read[op] = matrix
            return True
        return isinstance(op, tdsl.UnaryOp | tdsl.BinaryOp | tdsl.ReshapeOp) and self.add(op.out)

    def useless(self) -> Lanes:
        """A mask of the elements that no product reads, or that are zero where they are read. At least one
        element is not marked.
        """
        useless: Lanes = np.ones(self.length, bool)
        for op, matrix in self.read.items():
            useless &= (matrix.raws == 0).all(0) | self.zeros[op.rhs]
        if useless.all():
            useless[0] = False
        return useless


def _keeps_zero(op: tdsl.TensorOp) -> bool:
    return not compute(Reals(), op, [np.zeros((1, *tdsl.shape_of(value))) for value in op.inputs]).any()


def _prune(vector: SSAValue) -> bool:
    """Remove the elements of a vector that have no effect. Return whether elements were removed."""
    lanes = _Lanes(tdsl.shape_of(vector)[0])
    if lanes.length < 2 or not lanes.add(vector):
        return False
    useless = lanes.useless()
    if not useless.any():
        return False
    kept = ~useless
    for matrix in lanes.made.values():
        _replace(matrix, matrix.raws[kept])
    for product in lanes.read:
        # The matrix may already have lost rows if it also computes such a vector.
        matrix = cast(tdsl.ConstOp, product.lhs.owner)
        _replace(matrix, matrix.raws[:, kept])
    shapes = {value: [int(kept.sum()) if extent > 1 else 1 for extent in tdsl.shape_of(value)] for value in lanes.zeros}
    for constant in lanes.constants:
        _replace(constant, constant.raws.reshape(-1)[kept].reshape(shapes.pop(constant.result)))
    for value, shape in shapes.items():
        type = cast("TensorType[Attribute]", value.type)
        Rewriter.replace_value_with_new_type(value, TensorType(type.element_type, shape))
    return True


def _replace(constant: tdsl.ConstOp, raws: Any) -> None:
    Rewriter.replace_op(constant, constant.with_raws(raws, tdsl.format_of(constant.result)))


def _skip(op: tdsl.ProductOp, matrix: tdsl.ConstOp) -> None:
    read = np.flatnonzero((matrix.raws != 0).any(0))
    if not len(read):
        return
    first, end = int(read[0]) // ALIGNED * ALIGNED, -(-(int(read[-1]) + 1) // ALIGNED) * ALIGNED
    if first == 0 and end >= tdsl.shape_of(op.rhs)[0]:
        return
    kept = matrix.raws[:, first:end]
    _replace(matrix, kept)
    offsets = [index_constant(offset) for offset in (first, 0)]
    part = tdsl.SliceOp(op.rhs, [offset.result for offset in offsets], (kept.shape[1], 1))
    part.out.name_hint = op.rhs.name_hint
    Rewriter.insert_op([*offsets, part], InsertPoint.before(op))
    op.operands[1] = part.out
