"""The fusion of two nests of one axis, and the stores of the first nest that nothing reads afterwards."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain, takewhile
from typing import TypeAlias

from xdsl.dialects import func, memref
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.traits import MemoryEffectKind
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num, scratch
from tinyml.dialects.loops import iterations_of
from tinyml.dialects.num.nests import block_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.scratch import memref_type, packed_bits
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, buffer_access, distance
from tinyml.transforms.ir.buffers import buffer_reads, bytes_of, effects_on, memory_of, place_of
from tinyml.transforms.ir.index_maps import inline
from tinyml.transforms.ir.indices import AffineSum
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
        self.states = set[tuple[SSAValue, int, int]]()
        """The memories and ranges of bytes that keep their content between calls."""
        for view in [op for op in self.places if isinstance(op, scratch.ViewOp)]:
            place = memory_of(view.result), *bytes_of(view.result)
            of_bytes[place] += buffer_reads(view.result)
            if view.state is not None:
                self.states.add(place)
        self.uses = defaultdict[SSAValue, list[tuple[int, int, _Uses]]](list)
        """The uses of buffers in each memory, with the ranges of bytes that they access. Fusion erases some and adds
        none.
        """
        for (memory, first, last), uses in of_bytes.items():
            self.uses[memory].append((first, last, _Uses(uses, self.places)))

    def fuse(
        self,
        first: _Loop,
        second: _Loop,
        stores: Mapping[memref.LoadOp, memref.StoreOp],
        overwritten: Set[memref.StoreOp],
    ) -> _Loop:
        """Fuse two nests at the position of the second, and return the fused nest. It is a contraction if one of the
        two nests is a contraction. It has the location of the second.

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
        Rewriter.erase_op(first)
        for load, store in stores.items():
            load.res.replace_all_uses_with(store.value)
            self._erase(load)
        for store in dict.fromkeys(stores.values()):
            if store in overwritten or not self._is_used(store):
                self._erase(store)
        return second

    def _erase(self, access: memref.LoadOp | memref.StoreOp) -> None:
        root = scratch.root(access.memref)
        place = bytes_of(root)
        for first, last, uses in self.uses[memory_of(root)]:
            if (first, last) == place:
                uses.remove(access)
        Rewriter.erase_op(access)

    def _is_used(self, store: memref.StoreOp) -> bool:
        """Whether anything may read the elements that a store of a nest has written, so that the store is necessary.

        The caller may read a buffer that it owns, and the next call a state. All other buffers that contain some of
        these bytes are examined. Buffers with the same bytes, such as an operand and the result that overwrites it,
        count as one.
        """
        root = scratch.root(store.memref)
        if isinstance(root.owner, Block) or any(use.operation is not store for use in buffer_reads(root)):
            return True
        start, end = bytes_of(root)
        if any(memory is memory_of(root) and first < end and start < last for memory, first, last in self.states):
            return True
        return any(
            self._is_read(uses, store, (max(first, start), min(last, end)))
            for first, last, uses in self.uses[memory_of(root)]
            if first < end and start < last
        )

    def _is_read(self, uses: _Uses, store: memref.StoreOp, shared: tuple[int, int]) -> bool:
        """Whether an op may read bytes of a buffer that a store of a nest has written, before others overwrite them.

        uses: the uses of the buffer.
        shared: the half-open range of bytes of the buffer that the store may write.
        """
        at: Operation | None = store
        while at is not None and (block := at.parent) is not None:
            is_loop = block is not self.body
            following = ((False, use) for use in uses.behind(store, block) if not at.is_ancestor(use.operation))
            left = shared
            for again, use in chain(following, ((True, use) for use in uses.around(store, block)) if is_loop else ()):
                op, apart = use.operation, None
                if effects_on(use) == {MemoryEffectKind.WRITE}:
                    if _may_be_read_first(op, uses, block, shared):
                        continue
                    if not _overwrites(op, store, block, left, again=again):
                        left = _rest(left, _written(op, block))
                        continue
                    if not again:
                        return False
                    break  # The code after the block may still read the bytes.
                if block is store.parent:
                    read = buffer_access(op, op.operands[use.index])
                    apart = distance(buffer_access(store, store.memref), read, block)
                if apart is None or again <= apart < DISJOINT_DISTANCE:
                    return True
            at = block.parent_op() if is_loop else None
        return False


class _Uses:
    """The uses of a range of bytes, in the order of their ops. Those of one block follow each other."""

    def __init__(self, uses: Iterable[Use], places: Mapping[Operation, int]) -> None:
        self._all = places
        self._uses = sorted(uses, key=lambda use: places[use.operation])
        self._places = [places[use.operation] for use in self._uses]

    def behind(self, op: Operation, block: Block) -> Iterator[Use]:
        """Yield the uses by ops behind an op that are in a block around it."""
        return self._from(bisect_right(self._places, self._all[op]), block)

    def around(self, op: Operation, block: Block) -> Iterator[Use]:
        """Yield the uses by all ops of a block around an op."""
        first = bisect_left(self._places, self._all[op])
        while first and block.is_ancestor(self._uses[first - 1].operation):
            first -= 1
        return self._from(first, block)

    def _from(self, first: int, block: Block) -> Iterator[Use]:
        uses = (self._uses[number] for number in range(first, len(self._uses)))
        return takewhile(lambda use: block.is_ancestor(use.operation), uses)

    def of(self, op: Operation) -> list[Use]:
        return self._uses[bisect_left(self._places, self._all[op]) : bisect_right(self._places, self._all[op])]

    def remove(self, op: Operation) -> None:
        """Remove the uses by an op."""
        start, end = bisect_left(self._places, self._all[op]), bisect_right(self._places, self._all[op])
        del self._uses[start:end], self._places[start:end]


def _may_be_read_first(write: Operation, uses: _Uses, block: Block, shared: tuple[int, int]) -> bool:
    """Whether a read in the same loop of a block as a write, but behind it, may see bytes that the loop overwrites
    later: the write does not overwrite all of them each time that it runs before the read.
    """
    around = block.find_ancestor_op_in_block(write)
    if around is None:
        return False
    behind = takewhile(lambda use: around.is_ancestor(use.operation), uses.behind(write, block))
    reads = (use.operation for use in chain(uses.of(write), behind) if effects_on(use) != {MemoryEffectKind.WRITE})
    return any(_may_precede(read, write, shared) for read in reads)


def _may_precede(read: Operation, write: Operation, shared: tuple[int, int]) -> bool:
    if isinstance(write, memref.StoreOp) and isinstance(read, memref.LoadOp):
        (*_, written), (*_, found) = (place_of(op.memref, op.indices) for op in (write, read))
        if (gap := written.plus(found, -1)).factors == {} and gap.constant == 0:
            return False
    common = read.parent
    while common is not None and not common.is_ancestor(write):
        common = common.parent_block()
    return common is None or not _covers(_written(write, common), shared)


def _contraction(op: num.NestOp) -> num.ContractOp:
    """Replace an elementwise nest by a contraction without products, in which arithmetic replaces the affine maps."""
    nest = LoopBuilder(op)
    contraction = nest.contract(op.shape, lambda numbers: inline(op, numbers, nest))
    contraction.location = op.location
    Rewriter.erase_op(op)
    return contraction


def _overwrites(op: Operation, store: memref.StoreOp, block: Block, shared: tuple[int, int], *, again: bool) -> bool:
    """Whether an op is proven to overwrite all bytes of a buffer that a store has written.

    block: a block around both ops.
    shared: the half-open range of bytes of the buffer that the store may write.
    again: true if the op runs in a later execution of the block than the store, false for the same execution.
    """
    if (new := _written(op, block)) is None:
        return False
    if _covers(new, shared):
        return True
    first, size = new
    # Values in the addresses must be the same when the op and the store run.
    if any(block.is_ancestor(value.owner) and (again or block_of(value) is not block) for value in first.factors):
        return False
    if (old := _written(store, block)) is None or (gap := old[0].plus(first, -1)).factors:
        return False
    return 0 <= gap.constant <= size - old[1]


def _covers(written: tuple[AffineSum, int] | None, shared: tuple[int, int]) -> bool:
    if written is None or (first := written[0]).factors:
        return False
    return first.constant <= shared[0] and shared[1] <= first.constant + written[1]


def _rest(shared: tuple[int, int], written: tuple[AffineSum, int] | None) -> tuple[int, int]:
    """The range `shared` without the bytes that `_written` returns, if they contain its first or its last byte."""
    if written is None or written[0].factors:
        return shared
    (first, last), start, end = shared, written[0].constant, written[0].constant + written[1]
    return (end if start <= first < end else first), (start if start < last <= end else last)


def _written(op: Operation, block: Block) -> tuple[AffineSum, int] | None:
    """The first byte in the memory and the number of bytes that an op writes in one execution of a block around it.

    None unless the op is proven to write every one of these bytes.
    """
    if isinstance(op, memref.StoreOp):
        target, indices, count = op.memref, op.indices, 1
    elif isinstance(op, scratch.CopyRunOp):
        target, indices, count = op.dest, (op.at,), const_evaluate_operand(op.count)
    else:
        return None
    if not count or packed_bits(memref_type(target)) is not None:
        return None
    _, (_, width), first = place_of(target, indices)
    steps, size, at = list[tuple[int, int]](), width * count, op.parent
    while at is not None and at is not block:
        loop = at.parent_op()
        ranges = [*map(range, loop.shape)] if isinstance(loop, _Loop) else [iterations_of(loop) or range(0)]
        if loop is None or not all(ranges):
            return None
        for index, numbers in zip(at.args, ranges, strict=False):
            factor = first.factors.get(index, 0)
            first = first.plus(AffineSum(numbers[0 if factor > 0 else -1], {index: -1}), factor)
            steps.append((abs(factor) * numbers.step, len(numbers) - 1))
        at = loop.parent
    for step, more in sorted(steps):
        if more and step > size:
            return None
        size += step * more
    return first, size
