"""`choose-storage`: a constant matrix of a sparse product is stored sparse only where that pays.

SeeDot stores every left operand of `|*|` sparse; a matrix with few zeros is then larger and slower than a dense one.
What counts is the product of bytes and time, so that a little of one is given for much of the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import tdsl
from tinyml.dialects.csr import compress
from tinyml.dialects.packed_bits import packed_bytes, packed_widths
from tinyml.targets.kernels import kernels_of, packed_effort, sparse_effort


class _StoreDense(RewritePattern):
    def __init__(self, target: str, packed: bool):
        self.target = target
        self.packed = packed

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.SpmvOp, rewriter: PatternRewriter, /) -> None:
        constant = op.lhs.owner
        if not isinstance(constant, tdsl.ConstOp):
            return
        format = tdsl.format_of(constant.result)
        if format.AS_PUBLISHED:
            return
        stored, entries = compress(constant.raws), constant.raws.size
        formats = [tdsl.format_of(value) for value in (op.lhs, op.rhs)]
        codings = tuple(one.coding.name for one in formats if one.coding is not None)
        weights, vector = (8 * one.dtype.itemsize for one in formats)
        effort = len(stored.values) * sparse_effort(self.target, weights, vector, codings)
        dense_effort = entries * format.dtype.itemsize * entries
        rows, columns = constant.raws.shape
        for bits in packed_widths(constant.raws) if self.packed and format.dtype.kind == "i" else ():
            if slowdown := packed_effort(self.target, weights, bits, vector, codings):
                dense_effort = min(dense_effort, rows * packed_bytes(columns, bits) * slowdown * entries)
        if stored.bytes * effort < dense_effort:
            return
        dense = tdsl.ConstOp(constant.raws, format)
        dense.attributes |= constant.attributes
        dense.result.name_hint = constant.result.name_hint
        product = tdsl.MatmulOp(dense.result, op.rhs, format_type(op))
        product.attributes |= op.attributes
        product.acc, product.bound, product.row_shifts = op.acc, op.bound, op.row_shifts
        rewriter.replace(op, [dense, product])


def format_type(op: tdsl.ContractionOp):
    """The element type of a product's result."""
    return tdsl.format_of(op.out).type


@dataclass(frozen=True)
class ChooseStoragePass(ModulePass):
    """Turns a `tdsl.spmv` whose matrix takes less stored dense, bytes times time, into a `tdsl.matmul`.

    Dense rows of few bits count as `pack-constants` may store them.

    target: as `select-kernels` takes it; its kernels say how long an entry takes. packed: as `pack-constants` takes it.
    Raises `InputError` for an unknown target.
    """

    name = "choose-storage"
    target: str = "host"
    packed: str = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels_of(self.target)
        pattern = _StoreDense(self.target, self.packed != "never")
        PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)
