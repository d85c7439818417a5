"""`fuse-distances`: fuses `(a - b)^T * (a - b)` into `tdsl.squared_distance`, without a vector of differences (L1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl


@dataclass(frozen=True)
class FuseDistancesPass(ModulePass):
    """Replace a `tdsl.matmul` of a `tdsl.sub` with itself at L1 by a `tdsl.squared_distance`.

    The product is unchanged if the difference has other uses, or if no common scale of both vectors fits an
    accumulator.
    """

    name = "fuse-distances"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for product, difference in self.found(op):
            from tinyml.transforms.formats.assignment.squared_differences import fuse

            fuse(product, difference)

    @staticmethod
    def found(op: Operation) -> Iterator[tuple[tdsl.MatmulOp, tdsl.SubOp]]:
        """Yield the products that the pass may rewrite, whatever their formats, each with the difference that
        it squares.
        """
        if any(isinstance(inner, tdsl.MatmulOp) and isinstance(inner.rhs.owner, tdsl.SubOp) for inner in op.walk()):
            from tinyml.transforms.ir.sums import squared_distances

            yield from squared_distances(op)
