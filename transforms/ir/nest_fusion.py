"""The fusion of two nests of one axis, and the stores of the first nest that nothing reads afterwards."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Set
from itertools import chain, islice
from typing import TypeAlias

from xdsl.dialects import func, memref
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.traits import MemoryEffectKind

from tinyml.dialects import num, scratch
from tinyml.dialects.locations import fused
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, buffer_access, distance
from tinyml.transforms.ir.buffers import buffer_reads, bytes_of, effects_on, memory_of
from tinyml.transforms.ir.index_maps import inline
from tinyml.transforms.ir.loop_nest import LoopBuilder

_Loop: TypeAlias = num.NestOp | num.ContractOp


class NestFusion:
    """The fusion of a function's nests. It depends on the order of the ops, which fusion does not change, and on the
    bytes that each view occupies in its arena.
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

    def fuse(
        self,
        first: _Loop,
        second: _Loop,
        stores: Mapping[memref.LoadOp, memref.StoreOp],
        overwritten: Set[memref.StoreOp],
    ) -> _Loop:
        """Fuse two nests at the position of the second, and return the fused nest. It is a contraction if one of the
        two nests is a contraction.

        stores: the loads of the second nest that stored values replace, each with the store of the value.
        overwritten: the stores of the first nest whose elements are overwritten before any op reads them.
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
        for load, store in stores.items():
            load.res.replace_all_uses_with(store.value)
            Rewriter.erase_op(load)
        for store in dict.fromkeys(stores.values()):
            if store in overwritten or not self._is_used(store, second):
                Rewriter.erase_op(store)
        return second

    def _is_used(self, store: memref.StoreOp, nest: _Loop) -> bool:
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


def _contraction(op: num.NestOp) -> num.ContractOp:
    """Replace an elementwise nest by a contraction without products, in which arithmetic replaces the affine maps."""
    nest = LoopBuilder(op)
    contraction = nest.contract(op.shape, lambda numbers: inline(op, numbers, nest))
    contraction.location = op.location
    Rewriter.erase_op(op)
    return contraction


def _apart(use: Use, store: memref.StoreOp, nest: _Loop) -> int | None:
    """The number of iterations from a store of a nest to a use of the same element. Negative if the use is earlier.

    None if this number is unknown or if several iterations access the element. `DISJOINT_DISTANCE` if the two ops never
    access the same element.
    """
    op = use.operation
    written, used = buffer_access(store, store.memref), buffer_access(op, op.operands[use.index])
    return distance(written, used, nest.body.block)
