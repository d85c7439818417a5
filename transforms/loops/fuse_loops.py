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

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import NamedTuple, TypeAlias

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import fused
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.transforms.ir.accesses import Access, accesses, distance
from tinyml.transforms.ir.buffers import memory_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.nest_fusion import NestFusion

FUSED = Statistic("num-fused", "Number of nests fused with the one before")
FORWARDED = Statistic("num-forwarded", "Number of loads that became the stored value")

_Loop: TypeAlias = num.NestOp | num.ContractOp

_Range: TypeAlias = tuple[SSAValue, tuple[int, int]]
"""A memory and a half-open range of its bits."""


@dataclass(frozen=True)
class FuseLoopsPass(ConditionalPass):
    """Fuse a nest of one axis with the next nest of equal extent, if the second nest loads elements that the first
    nest has stored.

    Loads of elements that the first nest has stored are replaced by the stored values, and stores that nothing
    reads are erased. If one of the two nests is a `num.contract`, the other nest becomes part of its body. The
    nests stay separate in these cases: an iteration of the second nest may depend on a later iteration of the first
    nest; a nest contains loops, branches or ops with other effects; or the rows are sparse.
    """

    name = "fuse-loops"

    def obstacle(self, module: ModuleOp) -> str | None:
        for second in (inner for inner in module.walk() if isinstance(inner, _Loop)):
            first = _last_nest(second.prev_op)
            if first is not None and _stores(first, _memories(second, memref.LoadOp)):
                return None
        return "no nest loads what the nest before it stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            # Built at the first fusion: a function without one needs no places of its ops and uses.
            fusion = cache(partial(NestFusion, function))
            blocks = [block for nested in function.walk() for region in nested.regions for block in region.blocks]
            for block in blocks:
                for second in [nest for nest in block.ops if isinstance(nest, _Loop)][::-1]:
                    if second.parent is block:
                        _fuse_with_nests_before(second, fusion)


def _fuse_with_nests_before(second: _Loop, fusion: Callable[[], NestFusion]) -> None:
    """Fuse a nest with the nest before it, the fused nest with the nest before that one, and so on."""
    body: _Body | None = None
    preceding, locations = second.prev_op, [second.location]
    while (first := _last_nest(preceding)) is not None:
        loaded = _memories(second, memref.LoadOp) if body is None else body.loaded_memories
        if not _stores(first, loaded):
            break
        body = body or _Body(second)
        pair = _Pair(first, body)
        if (obstacle := pair.obstacle) is not None:
            missed(second, f"is not fused with the nest before it: {obstacle}")
            break
        forwarded = pair.forwarded
        count = len(forwarded.stores)
        passed(second, f"is fused with the nest before it, of which it loads {count} stored elements")
        FUSED.add(second)
        FORWARDED.add(second, count)
        # The ops between the two nests have no effects, so that the search for the next nest begins before the first.
        preceding = first.prev_op
        locations.append(first.location)
        nest = fusion().fuse(first, second, forwarded.stores, forwarded.overwritten)
        # Remarks about the fused nest are located at its first op. All its locations are collected at the end, because
        # a location with those of k ops takes time k.
        nest.location = first.location
        if nest is second:
            body.update(pair.before or (), forwarded)
        else:
            body = _Body(nest)
        second = nest
    if len(locations) > 1:
        second.location = fused(reversed(locations))


def _memories(nest: _Loop, kind: type[memref.LoadOp | memref.StoreOp]) -> set[SSAValue]:
    return {memory_of(scratch.root(op.memref)) for op in nest.body.block.ops if isinstance(op, kind)}


def _stores(nest: _Loop, memories: set[SSAValue]) -> bool:
    return not _memories(nest, memref.StoreOp).isdisjoint(memories)


def _last_nest(op: Operation | None) -> _Loop | None:
    """The last nest up to an op, if no op behind this nest has effects, reads memory or has regions. None otherwise."""
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


class _Body:
    """The body of a nest and its accesses. They are kept while nests are fused with it, because a search for the
    accesses of all fused bodies after each fusion would take quadratic time.
    """

    def __init__(self, nest: _Loop) -> None:
        self.nest = nest
        self.block = nest.body.block
        self.has_regions = any(op.regions for op in self.block.ops)
        known = accesses(self.block)
        self.has_other_effects = known is None
        self._first = 0
        """The number of the first access. Those of a nest before it get lower numbers."""
        self._reads = defaultdict[_Range, dict[int, Access]](dict)
        """The reads of each range of bits of a memory, by their numbers."""
        self._writes = defaultdict[_Range, dict[int, Access]](dict)
        self._entries: dict[Operation, tuple[_Range, int]] = {}
        """The range and the number of the last access of each op. A load has one access."""
        self._insert(known or ())

    @property
    def loaded_memories(self) -> set[SSAValue]:
        if self.has_regions or self.has_other_effects:
            return _memories(self.nest, memref.LoadOp)
        return {memory for (memory, _), reads in self._reads.items() if reads}

    def conflicts(self, access: Access) -> list[Access]:
        """The accesses that may touch the bits of an access of the nest before: writes and, if it is a write, also
        reads. In program order.
        """
        numbered: list[tuple[int, Access]] = []
        for ranges in (self._writes, self._reads) if access.writes else (self._writes,):
            for (memory, (start, end)), others in ranges.items():
                if memory is access.memory and start < access.reach[1] and access.reach[0] < end:
                    numbered += others.items()
        return [other for _, other in sorted(numbered, key=lambda entry: entry[0])]

    def update(self, before: Sequence[Access], forwarded: _Forwarded) -> None:
        """Remove the forwarded loads, and insert the remaining accesses of the nest that was fused with this one."""
        for load in forwarded.stores:
            bits, number = self._entries.pop(load)
            del self._reads[bits][number]
        self._insert([access for access in before if access.op.parent is not None])

    def _insert(self, earlier: Sequence[Access]) -> None:
        self._first -= len(earlier)
        for number, access in enumerate(earlier, self._first):
            bits = access.memory, access.reach
            (self._writes if access.writes else self._reads)[bits][number] = access
            self._entries[access.op] = bits, number


@dataclass(frozen=True)
class _Pair:
    """A nest and the body of the next nest."""

    first: _Loop
    second: _Body

    @property
    def bodies(self) -> tuple[Block, Block]:
        return self.first.body.block, self.second.block

    @cached_property
    def before(self) -> Sequence[Access] | None:
        """The accesses of the first nest, with the index of the second nest. None if it has other effects."""
        index, new = self.bodies[0].args[0], self.bodies[1].args[0]
        found = accesses(self.bodies[0])
        return None if found is None else [access.with_index(index, new) for access in found]

    @property
    def obstacle(self) -> str | None:
        """The reason why the nests cannot be fused, for messages. None if they can."""
        if (trips := _extent(self.first)) is None or (following := _extent(self.second.nest)) is None:
            return "one of them has several axes, or is sparse"
        if trips != following:
            return f"it has {following} iterations, the other {trips}"
        if self.second.has_regions or any(op.regions for op in self.bodies[0].ops):
            return "there are loops or branches inside"
        if self.before is None or self.second.has_other_effects:
            return "an op inside has effects other than loads and stores"
        for a in self.before:
            for b in self.second.conflicts(a):
                if a.start is None:
                    return "an access has no affine index"
                apart = distance(a, b, self.bodies[1], trips=trips)
                # With a negative distance, iterations of the second nest would precede those that they depend on.
                if apart is None or apart < 0:
                    return "an iteration needs what the other stores in a later one, or may need it"
        if not self.forwarded.stores:
            return "none of its loads is of an element that the other has just stored"
        return None

    @cached_property
    def forwarded(self) -> _Forwarded:
        """The loads in the second nest of elements that the first nest has stored."""
        before, forwarded = self.before or (), _Forwarded({}, set())
        for i, store in enumerate(before):
            if isinstance(store.op, memref.StoreOp):
                self._forward(store, store.op, [*before[i + 1 :], *self.second.conflicts(store)], forwarded)
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
