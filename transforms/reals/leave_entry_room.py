"""`leave-entry-room`: bounds the entries of the sparse matrices that may replace those of a program later (L0)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.layouts.sparse_rows import compress
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.sparse_layouts import dense_product
from tinyml.transforms.reals.leave_room import beyond_room

MAX_ENTRIES = 1 / 3
"""The greatest room of a sparse matrix as a fraction of its elements. With 8-bit elements, entries take two bytes, and
a loop needs about the time of three dense elements for each."""


def entries_of(op: tdsl.SpmvOp) -> int | None:
    """The number of entries of a sparse matrix, including those of value zero that bridge wide gaps; at least 1. None
    for a matrix that is not constant.
    """
    constant = op.lhs.owner
    return max(len(compress(constant.raws).values), 1) if isinstance(constant, tdsl.ConstOp) else None


@dataclass(frozen=True)
class LeaveEntryRoomPass(ModulePass):
    """Set `room` on each `tdsl.spmv` with a constant matrix. If `room` exceeds a third of the number of elements of the
    matrix, the matrix becomes dense instead.

    weights_margin: the factor by which `room` exceeds the number of entries or, if `room` is already set, its previous
        value.

    Raises `InputError` if the number of entries of a matrix exceeds the new `room`.
    """

    name = "leave-entry-room"
    weights_margin: float = 1.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for product in [each for each in op.walk() if isinstance(each, tdsl.SpmvOp)]:
            if (found := entries_of(product)) is None:
                continue
            matrix = cast(tdsl.ConstOp, product.lhs.owner)
            room = math.ceil(self.weights_margin * (product.room.value.data if product.room else found))
            product.room = None
            if room > MAX_ENTRIES * matrix.raws.size:
                Rewriter.replace_op(product, dense_product(product, matrix))
                if not matrix.result.uses:
                    Rewriter.erase_op(matrix)
            elif found > room:
                raise error_at(product, beyond_room("sparse matrix", found, "entries", room))
            else:
                product.room = IntegerAttr(room, i64)
