"""`fuse-loops`: fuses a nest with the next nest if the next nest loads the elements that the first has just stored
(L3).

The elementwise ops that follow a matrix product (bias, activation, gates) then run at the end of each row of the
product. The rounded sum of the row stays in a register, and its proven interval is known. The sum is neither stored nor
loaded.

The affine maps of loads and stores determine in which iterations two nests access the same element. Since buffers may
occupy the same bytes of one arena, dependences are proved on bytes. If the first nest stores a byte in some iteration,
the second nest may access the byte only in the same or a later iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeAlias

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.transforms.ir.accesses import Access, accesses, distance
from tinyml.transforms.ir.buffers import memory_of
from tinyml.transforms.ir.nest_fusion import NestFusion

FUSED = Statistic("num-fused", "Number of nests fused with the one before")
FORWARDED = Statistic("num-forwarded", "Number of loads that became the stored value")

_Loop: TypeAlias = num.NestOp | num.ContractOp


@dataclass(frozen=True)
class FuseLoopsPass(ModulePass):
    """Fuse a nest of one axis with the next nest of equal extent, if the second nest loads elements that the first
    nest has stored.

    Loads of elements that the first nest has stored are replaced by the stored values, and stores that nothing
    reads are erased. If one of the two nests is a `num.contract`, the other nest becomes part of its body. The
    nests stay separate in these cases: an iteration of the second nest may depend on a later iteration of the first
    nest; a nest contains loops, branches or ops with other effects; or the rows are sparse.
    """

    name = "fuse-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            fusion: NestFusion | None = None
            blocks = [block for nested in function.walk() for region in nested.regions for block in region.blocks]
            for block in blocks:
                for second in [nest for nest in block.ops if isinstance(nest, _Loop)][::-1]:
                    # A fused nest may fuse again with the nest before it.
                    joined = second
                    while (first := _nest_before(joined)) is not None:
                        if _memories(first, memref.StoreOp).isdisjoint(_memories(joined, memref.LoadOp)):
                            break
                        pair = _Pair(first, joined)
                        if (obstacle := pair.obstacle) is not None:
                            missed(joined, f"is not fused with the nest before it: {obstacle}")
                            break
                        forwarded = pair.forwarded
                        count = len(forwarded.stores)
                        passed(joined, f"is fused with the nest before it, of which it loads {count} stored elements")
                        FUSED.add(joined)
                        FORWARDED.add(joined, count)
                        if fusion is None:
                            fusion = NestFusion(function)
                        joined = fusion.fuse(first, joined, forwarded.stores, forwarded.overwritten)


def _memories(nest: _Loop, kind: type[memref.LoadOp | memref.StoreOp]) -> set[SSAValue]:
    return {memory_of(scratch.root(op.memref)) for op in nest.body.block.ops if isinstance(op, kind)}


def _nest_before(second: _Loop) -> _Loop | None:
    """The nest before the nest `second`, if no op between the two has effects, reads memory or has regions. None
    otherwise.
    """
    op = second.prev_op
    while op is not None and not isinstance(op, _Loop):
        if op.regions or not is_side_effect_free(op):
            return None
        op = op.prev_op
    return op


def _extent(nest: _Loop) -> int | None:
    return nest.shape[0] if len(nest.shape) == 1 and not nest.is_sparse else None


class _Forwarded(NamedTuple):
    """The changes to make when two nests are fused.

    stores: the loads that stored values replace, each with the store of the value.
    overwritten: the stores of elements that are overwritten before any op reads them.
    """

    stores: dict[memref.LoadOp, memref.StoreOp]
    overwritten: set[memref.StoreOp]


@dataclass(frozen=True)
class _Pair:
    """A nest and the next nest."""

    first: _Loop
    second: _Loop

    @property
    def bodies(self) -> tuple[Block, Block]:
        return self.first.body.block, self.second.body.block

    @cached_property
    def before(self) -> Sequence[Access] | None:
        """The accesses of the first nest. None if it has other effects."""
        return accesses(self.bodies[0])

    @cached_property
    def after(self) -> Sequence[Access] | None:
        """The accesses of the second nest, with the index of the first nest. None if it has other effects."""
        index, new = self.bodies[1].args[0], self.bodies[0].args[0]
        found = accesses(self.bodies[1])
        return None if found is None else [access.with_index(index, new) for access in found]

    @property
    def obstacle(self) -> str | None:
        """The reason why the nests cannot be fused, for messages. None if they can."""
        if (trips := _extent(self.first)) is None or (following := _extent(self.second)) is None:
            return "one of them has several axes, or is sparse"
        if trips != following:
            return f"it has {following} iterations, the other {trips}"
        if any(op.regions for body in self.bodies for op in body.ops):
            return "there are loops or branches inside"
        if self.before is None or self.after is None:
            return "an op inside has effects other than loads and stores"
        for a, b in product(self.before, self.after):
            if not (a.writes or b.writes) or a.is_apart(b):
                continue
            if a.start is None:
                return "an access has no affine index"
            apart = distance(a, b, self.bodies[0], trips=trips)
            # With a negative distance, iterations of the second nest would precede those that they depend on.
            if apart is None or apart < 0:
                return "an iteration needs what the other stores in a later one, or may need it"
        if not self.forwarded.stores:
            return "none of its loads is of an element that the other has just stored"
        return None

    @cached_property
    def forwarded(self) -> _Forwarded:
        """The loads in the second nest of elements that the first nest has stored."""
        before, after, forwarded = self.before or (), self.after or (), _Forwarded({}, set())
        for i, store in enumerate(before):
            if isinstance(store.op, memref.StoreOp):
                self._forward(store, store.op, [*before[i + 1 :], *after], forwarded)
        return forwarded

    def _forward(self, store: Access, op: memref.StoreOp, following: Sequence[Access], forwarded: _Forwarded) -> None:
        """Record the loads that can use the value of a store of the first nest.

        The store is recorded too if its element is overwritten before any other op reads it.

        following: the accesses after the store in an iteration of the fused nest.
        """
        is_read, second = False, self.bodies[1]
        for access in following:
            if access.is_apart(store):
                continue
            meets, load = access.op.parent in self.bodies and access.meets(store), access.op
            if meets and isinstance(load, memref.LoadOp) and load.parent is second and load.res.type == op.value.type:
                forwarded.stores[load] = op
            elif access.writes:
                if meets and not is_read:
                    forwarded.overwritten.add(op)
                return
            else:
                is_read = True
