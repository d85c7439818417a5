"""`fold-affine`: scalers and other affine layers are folded into the layers with weights that read them (L0).

A scaler `(x - mean) / deviation` before a matrix product, a batch normalisation before a convolution, or a projection
before a linear model (PCA) changes only weights and biases: it needs no computation, storage or rounding. The reals are
equal except for the rounding of weights to single precision. In formats they differ, since folded weights may vary more
in size: `tinyml compile --fold-affine` folds only if no more answers change on the validation data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.reals.analysis.affine_functions import AffineFunction, absorb, extended


@dataclass(frozen=True)
class FoldAffinePass(ModulePass):
    """Fold additions, subtractions and multiplications by constants at L0 into all layers that read their results.

    Layers are products of a constant matrix and convolutions with a constant filter; a factor must be the same for all
    elements that a weight is multiplied by. Two consecutive matrix products become one if this needs no more
    multiplications. The pass must run before `profile`.
    """

    name = "fold-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for reader in list(op.walk()):
            for value, function in _functions(reader):
                absorb(reader.results[0], function, value)
        for product in [product for product in op.walk() if isinstance(product, tdsl.MatmulOp)]:
            _fold_product(product)
        dce(op)


def _functions(op: Operation) -> Iterator[tuple[SSAValue, AffineFunction]]:
    """The operand and the affine function that an elementwise op on reals computes of it."""
    if isinstance(op, tdsl.AddOp | tdsl.SubOp | tdsl.MulOp | tdsl.NegOp) and tdsl.format_of(op.out).type == f32:
        for value in op.inputs:
            function = extended(op, value, AffineFunction.identity(tdsl.shape_of(value)))
            if function is not None and not isinstance(value.owner, tdsl.ConstOp):
                yield value, function


def _fold_product(first: tdsl.MatmulOp) -> None:
    """Fold a product of a constant matrix and a column into the only product that reads it."""
    value: SSAValue = first.out
    while value.has_one_use() and isinstance(reader := next(iter(value.uses)).operation, tdsl.ReshapeOp):
        value = reader.out
    if not value.has_one_use():
        return
    second = next(iter(value.uses)).operation
    if not isinstance(second, tdsl.MatmulOp) or tdsl.shape_of(value)[1] != 1:
        return
    before, after = first.lhs.owner, second.lhs.owner
    if not isinstance(before, tdsl.ConstOp) or not isinstance(after, tdsl.ConstOp) or tdsl.shape_of(first.out)[1] != 1:
        return
    used_once = before.result.has_one_use() and after.result.has_one_use()
    plain = all(op.acc is None and op.shifts is None and tdsl.format_of(op.out).type == f32 for op in (first, second))
    weights = after.raws.astype(np.float64) @ before.raws
    if not used_once or not plain or weights.size > before.raws.size + after.raws.size:
        return
    Rewriter.replace_op(after, after.with_raws(weights.astype(np.float32), F32_FORMAT))
    second.operands[1] = first.rhs
