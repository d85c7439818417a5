"""`scale-rows`: assigns power-of-two scales to rows (output channels) of constant matrices and filters (L0).

A format is chosen for the greatest weight of a matrix. It wastes bits on rows of small weights. Such rows are therefore
multiplied by powers of two, and their sums are divided by the same powers (`row_shifts`). Multiplication and division
are exact. The rewrite works on reals. It therefore benefits all number formats with a scale, which need no support for
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, f32, i8
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.dialects.tdsl.contraction import constant_root, oriented

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

_Product = tdsl.ProductOp | tdsl.Conv2dOp


@dataclass(frozen=True)
class ScaleRowsPass(ModulePass):
    """Scale the rows of constant left operands of products at L0, and set `row_shifts` of the products.

    The left operand of the product must have several rows and be a constant or indexed out of a constant. Matrices
    that are indexed out of one constant have the same shift amounts. If the sums have constant initial values,
    these values are multiplied by the same powers of two. Constants with other uses are unchanged, and so are programs
    in which some tensors have number formats. The pass must run before `profile`.
    """

    name = "scale-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # The profile of a program with formats computes each op as it is, and sums of reals are not shifted.
        if not tdsl.is_mixed(op):
            PatternRewriteWalker(_Scale(), apply_recursively=False).rewrite_module(op)


class _Scale(RewritePattern):
    """A pattern that scales the rows of a constant, and shifts the sums of the products that read it."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.ConstOp, rewriter: PatternRewriter, /) -> None:
        if tdsl.format_of(op.result).type != f32 or not (products := _products(op)):
            return
        matrices = oriented(op.raws, products[0].lhs)
        each = 0, *range(2, matrices.ndim)
        shifts = _shifts(np.abs(matrices).max(each))
        if not any(shifts):
            return
        scaled = np.ldexp(matrices, np.array(shifts).reshape(-1, *(1,) * (matrices.ndim - 2)))
        _replace(op, scaled.reshape(op.raws.shape), rewriter)
        for product in products:
            if product.initial is not None and isinstance(start := product.initial.owner, tdsl.ConstOp):
                _replace(start, np.ldexp(start.raws, shifts), rewriter)
            product.row_shifts = DenseArrayBase.from_list(i8, shifts)
            rewriter.notify_op_modified(product)


def _products(constant: tdsl.ConstOp) -> list[_Product]:
    products: list[_Product] = []
    values: list[SSAValue] = [constant.result]
    while values:
        for use in values.pop().uses:
            op = use.operation
            if isinstance(op, tdsl.IndexOp):
                values.append(op.out)
            elif isinstance(op, _Product) and _reads_rows(op, constant) and _can_scale(op):
                products.append(op)
            else:
                return []
    return products


def _reads_rows(product: _Product, constant: tdsl.ConstOp) -> bool:
    return constant_root(product.lhs) is constant and constant_root(product.rhs) is not constant


def _can_scale(product: _Product) -> bool:
    """Whether a product has no shifts and its sum can be scaled.

    The sum must start from zero, or from a separate constant with a number for each row.
    """
    start = product.initial
    if product.shifts is not None or start is None:
        return product.shifts is None
    return tdsl.own_constant(start) is not None and tdsl.shape_of(start) == tdsl.shape_of(product.lhs)[:1]


def _replace(constant: tdsl.ConstOp, raws: Reals, rewriter: PatternRewriter) -> None:
    rewriter.replace(constant, constant.with_raws(raws.astype(constant.raws.dtype), tdsl.format_of(constant.result)))


def _shifts(greatest: Reals) -> list[int]:
    """For each row, the number of bits by which its greatest magnitude is below the greatest magnitude of the matrix,
    at most the last of `tdsl.ROW_SHIFTS`. 0 for rows of zeros.

    greatest: the greatest magnitude of each row.
    """
    _, exponents = np.frexp(greatest)
    _, most = np.frexp(greatest.max())
    return np.where(greatest > 0, np.minimum(most - exponents, tdsl.ROW_SHIFTS[-1]), 0).tolist()
