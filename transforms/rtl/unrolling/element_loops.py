"""Innermost loops whose iterations do the same with different elements of memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import rtl
from tinyml.dialects.loops import trips_from_zero
from tinyml.transforms.rtl.scheduling.regions import is_pipelined, is_pure, reads_index


@dataclass(frozen=True)
class ElementLoop:
    """A loop that counts from 0 and only loads, computes and stores. It uses indices only for addresses.

    trips: the number of iterations.
    loads, stores: the accesses to memories.
    """

    loop: scf.ForOp
    trips: int
    loads: Sequence[rtl.LoadOp]
    stores: Sequence[rtl.StoreOp]

    @staticmethod
    def of(op: Operation) -> ElementLoop | None:
        """The loop as an `ElementLoop`. None for any other op."""
        if not is_pipelined(op) or (trips := trips_from_zero(op)) is None:
            return None
        *ops, _ = op.body.block.ops
        loads = [each for each in ops if isinstance(each, rtl.LoadOp)]
        stores = [each for each in ops if isinstance(each, rtl.StoreOp)]
        others = [each for each in ops if each not in loads and each not in stores]
        plain = all(is_pure(each) and not reads_index(each) for each in others)
        return ElementLoop(op, trips, loads, stores) if plain else None


def added_term(sum: SSAValue, before: SSAValue) -> SSAValue | None:
    """The number that is added to a partial sum, which has no other use. None if `sum` is not `before` and a number."""
    op = sum.owner
    if not isinstance(op, arith.AddiOp) or before not in op.operands or not before.has_one_use():
        return None
    return None if isinstance(sum.type, IndexType) else op.rhs if op.lhs is before else op.lhs
