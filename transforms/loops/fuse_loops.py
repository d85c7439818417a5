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

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import NamedTuple, TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.traits import MemoryEffectKind, is_side_effect_free

from tinyml.dialects import num, scratch
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import fused
from tinyml.dialects.remarks import Statistic, missed, passed
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, Access, accesses, buffer_access, distance
from tinyml.transforms.ir.buffers import buffer_reads, bytes_of, effects_on, memory_of
from tinyml.transforms.ir.index_maps import inline
from tinyml.transforms.ir.loop_nest import LoopBuilder

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
            order = _Order(function)
            blocks = [block for nested in function.walk() for region in nested.regions for block in region.blocks]
            for block in blocks:
                for second in [nest for nest in block.ops if isinstance(nest, _Loop)][::-1]:
                    # A fused nest may fuse again with the nest before it.
                    joined = second
                    while (first := _nest_before(joined)) is not None:
                        if _memories(first, memref.StoreOp).isdisjoint(_memories(joined, memref.LoadOp)):
                            break
                        forwarded = _forwarded(first, joined)
                        if isinstance(forwarded, str):
                            missed(joined, f"is not fused with the nest before it: {forwarded}")
                            break
                        count = len(forwarded.stores)
                        passed(joined, f"is fused with the nest before it, of which it loads {count} stored elements")
                        FUSED.add(joined)
                        FORWARDED.add(joined, count)
                        joined = _fuse(first, joined, forwarded, order)


def _memories(nest: _Loop, kind: type[memref.LoadOp | memref.StoreOp]) -> set[SSAValue]:
    """The memories that the loads or the stores of a nest access.

    kind: the class of loads or stores.
    """
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
    """The extent of the axis of a nest. None for a nest of several axes, and for sparse rows."""
    return nest.shape[0] if len(nest.shape) == 1 and not nest.is_sparse else None


class _Forwarded(NamedTuple):
    """The changes to make when two nests are fused.

    stores: the loads that stored values replace, each with the store of the value.
    overwritten: the stores of elements that are overwritten before any op reads them.
    """

    stores: dict[memref.LoadOp, memref.StoreOp]
    overwritten: set[memref.StoreOp]


def _forwarded(first: _Loop, second: _Loop) -> _Forwarded | str:
    """The loads in the second nest of elements that the first nest has stored. If the nests cannot be fused, the
    reason as text.
    """
    if (taken := _extent(first)) is None or (following := _extent(second)) is None:
        return "one of them has several axes, or is sparse"
    if taken != following:
        return f"it has {following} iterations, the other {taken}"
    bodies = first.body.block, second.body.block
    if any(op.regions for body in bodies for op in body.ops):
        return "there are loops or branches inside"
    before, after = map(accesses, bodies)
    if before is None or after is None:
        return "an op inside has effects other than loads and stores"
    after = [access.with_index(bodies[1].args[0], bodies[0].args[0]) for access in after]
    for a, b in product(before, after):
        if not (a.writes or b.writes) or a.is_apart(b):
            continue
        if a.start is None:
            return "an access has no affine index"
        apart = distance(a, b, bodies[0], trips=taken)
        # With a negative distance, iterations of the second nest would precede those that they depend on.
        if apart is None or apart < 0:
            return "an iteration needs what the other stores in a later one, or may need it"
    found = _Forwarded({}, set())
    for i, store in enumerate(before):
        if isinstance(store.op, memref.StoreOp):
            _forward(store, store.op, [*before[i + 1 :], *after], bodies, found)
    return found if found.stores else "none of its loads is of an element that the other has just stored"


def _forward(
    store: Access, op: memref.StoreOp, following: Sequence[Access], bodies: tuple[Block, Block], found: _Forwarded
) -> None:
    """Record in `found` the loads that can use the value of a store of the first nest.

    The store is recorded too if its element is overwritten before any other op reads it.

    following: the accesses after the store in an iteration of the fused nest.
    bodies: the bodies of the first and the second nest.
    """
    is_read = False
    for access in following:
        if access.is_apart(store):
            continue
        meets, load = access.op.parent in bodies and access.meets(store), access.op
        if meets and isinstance(load, memref.LoadOp) and load.parent is bodies[1] and load.res.type == op.value.type:
            found.stores[load] = op
        elif access.writes:
            if meets and not is_read:
                found.overwritten.add(op)
            return
        else:
            is_read = True


def _fuse(first: _Loop, second: _Loop, forwarded: _Forwarded, order: _Order) -> _Loop:
    """Fuse two nests at the position of the second, and return the fused nest. It is a contraction if one of the
    two nests is a contraction.
    """
    if isinstance(first, num.ContractOp) and isinstance(second, num.NestOp):
        second = _contraction(second)
    elif isinstance(first, num.NestOp) and isinstance(second, num.ContractOp):
        first = _contraction(first)
    body, top = second.body.block, second.body.block.first_op
    assert top is not None
    first.body.block.args[0].replace_all_uses_with(body.args[0])
    for op in list(first.body.block.ops):
        op.detach()
        body.insert_ops_before([op], top)
    second.location = fused((first.location, second.location))
    Rewriter.erase_op(first)
    for load, store in forwarded.stores.items():
        load.res.replace_all_uses_with(store.value)
        Rewriter.erase_op(load)
    for store in dict.fromkeys(forwarded.stores.values()):
        if store in forwarded.overwritten or not order.is_used(store, second):
            Rewriter.erase_op(store)
    return second


def _contraction(op: num.NestOp) -> num.ContractOp:
    """Replace an elementwise nest by a contraction without products, in which arithmetic replaces the affine maps."""
    nest = LoopBuilder(op)
    contraction = nest.contract(op.shape, lambda numbers: inline(op, numbers, nest))
    contraction.location = op.location
    Rewriter.erase_op(op)
    return contraction


class _Order:
    """The order of a function's ops, which fusion does not change, and the bytes that each view occupies in its
    arena.
    """

    def __init__(self, function: func.FuncOp):
        self.body = function.body.block
        self.places: dict[Operation, int] = {op: place for place, op in enumerate(function.walk())}
        of_bytes = defaultdict[tuple[SSAValue, int, int], list[Use]](list)
        for view in [op.result for op in self.places if isinstance(op, scratch.ViewOp)]:
            of_bytes[memory_of(view), *bytes_of(view)] += buffer_reads(view)
        self.uses = defaultdict[SSAValue, list[tuple[int, int, list[Use]]]](list)
        """The uses of buffers in each memory, in order, with the ranges of bytes they access. Fusion erases some and
        adds none.
        """
        for (memory, first, last), uses in of_bytes.items():
            uses.sort(key=lambda use: self.places[use.operation])
            self.uses[memory].append((first, last, uses))

    def is_used(self, store: memref.StoreOp, nest: _Loop) -> bool:
        """Whether anything may read the elements that a store of a nest has written, so that the store is necessary.

        The caller may read a buffer that it owns. All other buffers that contain some of these bytes are examined.
        Reads in later iterations of the nest are considered first, then the next use of the bytes. If the next use is a
        write, later reads return the newly written value. Buffers with the same bytes, such as an operand and the
        result that overwrites it, count as one.
        """
        root = scratch.root(store.memref)
        if isinstance(root.owner, Block) or any(use.operation is not store for use in buffer_reads(root)):
            return True
        (start, end), place, body = bytes_of(root), self.places[store], nest.body.block
        for first, last, uses in self.uses[memory_of(root)]:
            if first < end and start < last:
                inside = [use for use in uses if use.operation.parent is body]
                if any(self._is_read_again(use, store, nest) for use in inside):
                    return True
                behind = bisect_right(uses, place, key=lambda use: self.places[use.operation])
                # Uses in the next iteration of an enclosing loop come last.
                for use in chain(islice(uses, behind, None), islice(uses, behind)):
                    if use.operation.parent is not None and self._follows(use, store, nest):
                        if effects_on(use) != {MemoryEffectKind.WRITE}:
                            return True
                        break
        return False

    def _is_read_again(self, use: Use, store: memref.StoreOp, nest: _Loop) -> bool:
        """Whether an op in a nest may read bytes that the store has written in an earlier iteration."""
        if effects_on(use) == {MemoryEffectKind.WRITE}:
            return False
        apart = _apart(use, store, nest)
        return apart is None or 1 <= apart < DISJOINT_DISTANCE

    def _follows(self, use: Use, store: memref.StoreOp, nest: _Loop) -> bool:
        """Whether an op may use bytes of a buffer after a store of a nest has written them."""
        op = use.operation
        is_later = self.places[op] > self.places[store]
        if nest.parent is not self.body:
            around = self.body.find_ancestor_op_in_block(store)
            assert around is not None
            return is_later or around.is_ancestor(op)
        if op.parent is not nest.body.block:
            return is_later
        apart = _apart(use, store, nest)
        return apart is None or (0 if is_later else 1) <= apart < DISJOINT_DISTANCE


def _apart(use: Use, store: memref.StoreOp, nest: _Loop) -> int | None:
    """The number of iterations from a store of a nest to a use of the same element. Negative if the use is earlier.

    None if this number is unknown or if several iterations access the element. `DISJOINT_DISTANCE` if the two ops never
    access the same element.
    """
    op = use.operation
    written, used = buffer_access(store, store.memref), buffer_access(op, op.operands[use.index])
    return distance(written, used, nest.body.block)
