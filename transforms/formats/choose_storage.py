"""`choose-storage`: stores the constant matrix of a sparse product densely if this is cheaper (L1).

SeeDot stores every left operand of `|*|` in sparse form. A sparse matrix with few zeros is larger and slower than a
dense matrix. The pass minimises the product of bytes and time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.rewriting import PatternRewriteWalker
from tinyml.targets.registry import HOST, check_target
from tinyml.transforms.formats.constants.dense_storage import StoreDense

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class ChooseStoragePass(ModulePass):
    """Replace a `tdsl.spmv` by a `tdsl.matmul` if the dense matrix has a smaller product of bytes and time.

    If dense rows have elements of few bits, the pass compares the bytes and the time of the form in which
    `pack-constants` may store the rows. Any other `tdsl.spmv` is unchanged, including ops with room for other entries,
    and ops whose format prescribes a published layout.

    target: as in `select-kernels`; its kernels determine the time of an entry.
    packed: as in `pack-constants`.

    Raises `InputError` for an unknown target.
    """

    name = "choose-storage"
    target: str = HOST
    packed: str = "auto"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_target(self.target)
        if any(isinstance(inner, tdsl.SpmvOp) for inner in op.walk()):
            pattern = StoreDense(self.target, self.packed != "never")
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)
