"""`choose-storage`: stores the constant matrix of a sparse product densely if this is cheaper (L1).

SeeDot stores every left operand of `|*|` in sparse form. A sparse matrix with few zeros is larger and slower than a
dense matrix. The pass minimises the product of bytes and time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tinyml.dialects import num, tdsl
from tinyml.dialects.formats.exact.accumulator import ACCUMULATOR_WIDTHS
from tinyml.dialects.layouts.packed_bits import packed_bytes, packed_widths
from tinyml.dialects.layouts.sparse_rows import compress
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import SumQuery
from tinyml.targets.registry import HOST, check_target, offers
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.sparse_layouts import SparseRows, dense_product

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ChooseStoragePass(ConditionalPass):
    """Replace a `tdsl.spmv` by a `tdsl.matmul` if the dense matrix has a smaller product of bytes and time.

    If dense rows have elements of few bits, the pass compares the bytes and the time of the form in which
    `pack-constants` may store the rows. Any other `tdsl.spmv` is unchanged, including ops with room for other entries,
    and ops whose format prescribes a published layout.

    target: as in `select-kernels`; its kernels determine the time of an entry.
    packed: as in `pack-constants`.

    Raises `InputError` for an unknown target.
    """

    name = "choose-storage"
    ACTS_ON = (tdsl.SpmvOp,)
    target: str = HOST
    packed: str = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_target(self.target)
        if self.obstacle(op) is None:
            pattern = StoreDense(self.target, self.packed != "never")
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)


SPARSE_LOOP = 2.0
"""The time per entry of a compressed row relative to a dense row, if both are loops."""


class StoreDense(RewritePattern):
    """A pattern that replaces a `tdsl.spmv` by a product of a dense matrix if this is cheaper.

    target: the target whose kernels determine the time of an entry.
    packed: true to compare rows of few bits in packed form.
    """

    def __init__(self, target: str, packed: bool):
        self.target = target
        self.packed = packed

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: tdsl.SpmvOp, rewriter: PatternRewriter, /) -> None:
        constant = op.lhs.owner
        if not isinstance(constant, tdsl.ConstOp) or op.room is not None:
            return
        format = tdsl.format_of(constant.result)
        if format.AS_PUBLISHED:
            return
        widths = [8 * format.dtype.itemsize]
        if self.packed and format.dtype.kind == "i":
            widths += packed_widths(constant.raws)
        kernels = self._kernels(op, widths)
        if _sparse_effort(constant.raws, kernels, widths) < _dense_effort(constant.raws, kernels, widths):
            return
        rewriter.replace(op, dense_product(op, constant))

    def _kernels(self, op: tdsl.SpmvOp, widths: Sequence[int]) -> Sequence[Kernel]:
        formats = [tdsl.format_of(value) for value in (op.lhs, op.rhs)]
        codings = tuple(format.coding.name for format in formats if format.coding is not None)
        if len(codings) < len(formats):
            return []
        vector = 8 * formats[1].dtype.itemsize
        names = num.DotAttr.name, num.DOT_ROWS, num.SPARSE_DOT
        nests = (SumQuery(name, width, vector, ACCUMULATOR_WIDTHS, codings) for name in names for width in widths)
        best = dict[tuple[str, int, int, int], Kernel]()
        for kernel in (offer.kernel for nest in nests for offer in offers(self.target, nest)):
            best.setdefault((kernel.op, kernel.gaps, kernel.weights, kernel.sum), kernel)
        ordered = sorted(best.values(), key=lambda kernel: kernel.step)
        return list({(kernel.op, kernel.gaps, kernel.weights): kernel for kernel in ordered}.values())


def _dense_effort(matrix: NDArray[Any], kernels: Sequence[Kernel], widths: Sequence[int]) -> float:
    """The least product of bytes and time of a dense matrix, over several widths of its elements.

    The unit of time is the time of an unpacked element.

    widths: in bits, starting with the width of unpacked elements.
    """
    steps = _dense_steps(matrix, kernels)
    efforts = [matrix.nbytes * matrix.size]
    if (whole := steps.get(widths[0])) is not None:
        rows, columns = matrix.shape
        packed = [bits for bits in widths[1:] if bits in steps]
        efforts += [rows * packed_bytes(columns, bits) * matrix.size * steps[bits] / whole for bits in packed]
    return min(efforts)


def _dense_steps(matrix: NDArray[Any], kernels: Sequence[Kernel]) -> dict[int, float]:
    """For each element width in bits, the time per element of a dense row with the fastest kernel. Kernels that compute
    more rows at once than the matrix has are left out.
    """
    dense = [kernel for kernel in kernels if kernel.op in (num.DotAttr.name, num.DOT_ROWS)]
    fitting = [kernel for kernel in dense if kernel.rows <= len(matrix)]
    return {kernel.weights: kernel.step for kernel in sorted(fitting, key=lambda kernel: -kernel.step)}


def _sparse_effort(matrix: NDArray[Any], kernels: Sequence[Kernel], widths: Sequence[int]) -> float:
    """The least product of bytes and time of a matrix in sparse form, over several widths of its elements.

    The unit of time is the time of an unpacked dense element.

    widths: in bits, starting with the width of unpacked elements.
    """
    stored = compress(matrix)
    dense = _dense_steps(matrix, kernels).get(widths[0])
    sparse = [kernel for kernel in kernels if kernel.op == num.SPARSE_DOT and kernel.weights in widths]
    layouts = [SparseRows.read_by(kernel, stored, matrix.shape[1]) for kernel in sparse]
    efforts = [rows.bytes * rows.time for rows in layouts if rows is not None]
    return min(efforts) / dense if dense and efforts else stored.bytes * len(stored.values) * SPARSE_LOOP
