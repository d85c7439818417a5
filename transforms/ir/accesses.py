"""Accesses to memory, and comparisons of two accesses for fusion, scheduling and costs.

An access to an element starts at a bit of its memory. The position of this bit is an affine sum of loop indices and
other values. A comparison of two sums determines whether the accesses touch the same element, how many iterations
separate them, and whether their buffers or address intervals are disjoint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, MemoryEffectKind, is_side_effect_free, only_has_effect

from tinyml.dialects import scratch
from tinyml.dialects.scratch import element_bytes, memref_type, packed_bits
from tinyml.transforms.ir.buffers import bytes_of, element_of, is_handed_on, memory_of
from tinyml.transforms.ir.indices import AffineSum

DISJOINT_DISTANCE = 1 << 31
"""The distance of accesses that have no bit in common."""


@dataclass(frozen=True)
class Access:
    """A read or write of a memory by an op.

    writes: true for a write, false for a read.
    memory: an arena, an array outside of any arena, or a memory of hardware.
    start: the first bit of the element that the op accesses, from the start of the memory; None if the op accesses
        several elements or packed elements.
    width: the width of the element, in bits.
    reach: the half-open range of bits that the op may touch in any iteration.
    """

    op: Operation
    writes: bool
    memory: SSAValue
    start: AffineSum | None
    width: int
    reach: tuple[int, int]

    def is_apart(self, other: Access) -> bool:
        """Whether two accesses are to different memories or to disjoint ranges of bits, so that they never touch the
        same bit in any iterations.
        """
        if self.memory is not other.memory:
            return True
        return self.reach[1] <= other.reach[0] or other.reach[1] <= self.reach[0]

    def meets(self, other: Access) -> bool:
        """Whether two accesses touch the same element if the values in their addresses are equal."""
        same = self.memory is other.memory and self.width == other.width
        return same and self.start is not None and self.start == other.start

    def with_index(self, index: SSAValue, new: SSAValue) -> Access:
        return self if self.start is None else replace(self, start=self.start.with_index(index, new))


def distance(
    first: Access, second: Access, body: Block | None = None, step: int | None = 1, trips: int | None = None
) -> int | None:
    """The number of iterations from access `first` to access `second` of the same element. Negative if `second` is
    earlier.

    None if this number is unknown or if several iterations access the element. `DISJOINT_DISTANCE` if the accesses
    never touch the same element.

    body, step, trips: the body, step and number of iterations of the loop whose index appears in both addresses;
    without a body, both accesses run once.
    """
    if first.is_apart(second):
        return DISJOINT_DISTANCE
    if first.start is None or second.start is None or first.width != second.width:
        return None
    gap = first.start.plus(second.start, -1)
    if gap.factors or gap.constant % first.width:
        return None
    if body is None:
        return DISJOINT_DISTANCE if gap.constant else 0
    index = body.args[0]
    if step is None or any(value is not index and body.is_ancestor(value.owner) for value in first.start.factors):
        return None
    if (advance := step * first.start.factors.get(index, 0)) == 0:
        return DISJOINT_DISTANCE if gap.constant else None
    if advance % first.width:
        return None
    iterations, rest = divmod(gap.constant, advance)
    return DISJOINT_DISTANCE if rest or (trips is not None and abs(iterations) >= trips) else iterations


def accesses(block: Block) -> list[Access] | None:
    """The accesses of a block to memory that may be written, in program order. Reads of flash are omitted.

    None if the block has other effects, or if a memref may be one of several buffers.
    """
    found: list[Access] = []
    for op in block.walk():
        if op.regions or op.has_trait(IsTerminator) or is_side_effect_free(op):
            continue
        values = [value for value in op.operands if isinstance(value.type, MemRefType)]
        known = any(only_has_effect(op, kind) for kind in (MemoryEffectKind.READ, MemoryEffectKind.WRITE))
        if not known or any(map(is_handed_on, values)):
            return None
        found += (buffer_access(op, value) for value in values if not scratch.in_flash(memref_type(value)))
    return found


def buffer_access(op: Operation, buffer: SSAValue) -> Access:
    """The access of an op to a buffer or to a view of the buffer. It is a write if the op only writes, and
    otherwise a read.
    """
    type, root = memref_type(buffer), scratch.root(buffer)
    width, (first, end), start = 8 * element_bytes(type), bytes_of(root), None
    if isinstance(op, memref.LoadOp | memref.StoreOp) and packed_bits(type) is None:
        start = element_of(buffer, op.indices).times(width).plus(AffineSum(8 * first, {}))
    writes = only_has_effect(op, MemoryEffectKind.WRITE)
    return Access(op, writes, memory_of(root), start, width, (8 * first, 8 * end))
