"""`fold-affine`: folds scalers and other affine layers into the layers with weights that read their results (L0).

Examples are a scaler `(x - mean) / deviation` before a matrix product, a batch normalisation before a convolution, and
a projection before a linear model (PCA). Folding changes only weights and biases. The folded layer then needs no
computation, storage or rounding. The results on reals are equal except for the rounding of weights to single precision.
In formats the results differ, because folded weights may vary more in size. `tinyml compile --fold-affine` therefore
folds only if the folded program changes no more answers on the validation data than the program without folding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.transforms.dead_code_elimination import dce

from tinyml.dialects import tdsl
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.transforms.reals.analysis.affine_functions import AffineFunction, absorb, extended


@dataclass(frozen=True)
class FoldAffinePass(ModulePass):
    """Fold additions, subtractions and multiplications by constants at L0 into all layers that read their results.

    Layers that absorb affine ops are products of a constant matrix, convolutions with a constant filter, and forests,
    whose thresholds change. A factor can be folded only if it is the same for all elements by which a weight is
    multiplied or, for a forest, if it is positive. Two consecutive matrix products become one product if the single
    product needs no more multiplications. An affine op is unchanged if one of its readers cannot absorb it. The pass
    must run before `profile`.
    """

    name = "fold-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for reader in list(op.walk()):
            for value, function in _functions(reader):
                absorb(reader.results[0], function, value)
        PatternRewriteWalker(_FoldProduct(), apply_recursively=False).rewrite_module(op)
        dce(op)


def _functions(op: Operation) -> Iterator[tuple[SSAValue, AffineFunction]]:
    """For an elementwise op on reals, yield each operand of which the result is an affine function, together with this
    function. Constant operands are omitted. Yields nothing for other ops.
    """
    if isinstance(op, tdsl.ElementwiseOp) and tdsl.is_real(op.out):
        for value in op.inputs:
            function = extended(op, value, AffineFunction.identity(tdsl.shape_of(value)))
            if function is not None and not isinstance(value.owner, tdsl.ConstOp):
                yield value, function


class _FoldProduct(RewritePattern):
    """A pattern that merges two consecutive products into one. The first multiplies a column by a constant matrix,
    and only the second reads its result.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.MatmulOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(second := tdsl.only_reader(op.out), tdsl.MatmulOp):
            return
        before, after = map(tdsl.own_constant, (op.lhs, second.lhs))
        if before is None or after is None:
            return
        if any(tdsl.shape_of(column)[1] != 1 for column in (op.out, second.rhs)):
            return
        plain = all(
            each.acc is None and each.shifts is None and tdsl.format_of(each.out).type == f32 for each in (op, second)
        )
        weights = after.raws.astype(np.float64) @ before.raws
        if not plain or weights.size > before.raws.size + after.raws.size:
            return
        rewriter.replace(after, after.with_raws(weights.astype(np.float32), F32_FORMAT))
        second.operands[1] = op.rhs
        rewriter.notify_op_modified(second)
