"""The last read of each byte of one memref and the first write of each byte of another by a loop nest (L2).

Loops are executed iteration by iteration, with integer indices but without elements: only the addresses matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.loops import index_value
from tinyml.dialects.scratch import SliceOp, memref_type, root, size_in_bytes, unit_of
from tinyml.dialects.tdsl import TensorOp, Visits, WindowOp, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEVER = 1 << 62


class NotReplayed(Exception):
    """The bytes that an op touches are unknown."""


def reads_precede_writes(op: Operation, read: SSAValue, written: SSAValue, shift: int) -> bool:
    """True if the last read of each byte that two memrefs share precedes its first write.

    shift: the bytes from the start of `read` to the start of `written`. False if `read` is also written, or if the
    bytes that the op touches are unknown.
    """
    replay = _Replay(read, written)
    try:
        replay.run(op)
    except NotReplayed:
        return False
    last_reads = replay.last_reads[max(shift, 0) :]
    first_writes = replay.first_writes[max(-shift, 0) :]
    shared = min(len(last_reads), len(first_writes))
    return bool((last_reads[:shared] < first_writes[:shared]).all())


def overwrites(loop: scf.ForOp, memref: SSAValue) -> bool:
    """True if a loop writes all bytes of a memref, each before it reads it; False if its bytes are unknown."""
    filling = _Filling(memref)
    try:
        filling.run(loop)
    except NotReplayed:
        return False
    return filling.is_full


def rewrites_before_reading(loop: scf.ForOp, read: SSAValue, lost: SSAValue, shift: int) -> bool:
    """True if each byte of `read` that a loop overwrites through `lost` is rewritten before the loop reads it.

    shift: the bytes from the start of `read` to the start of `lost`. False if the bytes of an op are unknown.
    """
    try:
        _Sharing(read, lost, shift).run(loop)
    except NotReplayed:
        return False
    return True


class _Replay:
    """The state of an execution: the clock, and the times of the last read or the first write of each byte."""

    def __init__(self, read: SSAValue, written: SSAValue) -> None:
        self.read, self.written = read, written
        self.clock = 0
        self.indices: dict[SSAValue, int] = {}
        self.last_reads = np.full(size_in_bytes(memref_type(read)), -1)
        self.first_writes = np.full(size_in_bytes(memref_type(written)), NEVER)

    def run(self, op: Operation) -> None:
        if isinstance(op, scf.ForOp):
            if op.iter_args:
                raise NotReplayed
            for i in range(*(self.index(bound) for bound in (op.lb, op.ub, op.step))):
                self.indices[op.body.block.args[0]] = i
                for inner in op.body.block.ops:
                    self.run(inner)
        elif isinstance(op, SliceOp) or not any(self.is_watched(inner) for inner in op.walk()):
            return
        elif not isinstance(op, TensorOp) or op.dest is None or self.view(op.dest) is self.read:
            raise NotReplayed
        elif isinstance(op, WindowOp) and self.view(op.dest) is not self.written:
            self.gather(op)
        else:
            self.step(op)
        self.clock += 1

    def is_watched(self, op: Operation) -> bool:
        memrefs = [value for value in op.operands if isinstance(value.type, MemRefType)]
        return any(self.view(value) in (self.read, self.written) for value in memrefs)

    def step(self, op: TensorOp) -> None:
        assert op.dest is not None
        runs: Sequence[Visits] = op.visits if self.view(op.dest) is self.written else []
        ordered = {value for run in runs for value, _ in run.loads}
        for run in runs:
            for operand, elements in run.loads:
                if self.view(operand) is self.read:
                    times = np.repeat(self.clock + 2 * np.arange(len(elements)), elements.shape[1])
                    self.note(operand, elements.reshape(-1), times)
            self.note(op.dest, run.stores, self.clock + 1 + 2 * np.arange(len(run.stores)))
            self.clock += 2 * len(run.stores)
        for operand in op.inputs:
            if self.view(operand) is self.read and operand not in ordered:
                count = memref_type(operand).element_count()
                self.note(operand, np.arange(count), np.full(count, self.clock))

    def gather(self, op: WindowOp) -> None:
        """Record reads of the elements of windows inside the image."""
        if self.view(op.image) is self.read:
            elements = self.gathered(op)
            self.note(op.image, elements, np.full(len(elements), self.clock))

    def gathered(self, op: WindowOp) -> NDArray[np.int64]:
        """The elements of windows inside the image; all elements of a ring."""
        if op.ring is not None:
            return np.arange(memref_type(op.image).element_count())
        _, rows, columns, channels = op.held
        down, across, deep = op.pitches
        _, height, width, _ = shape_of(op.out)
        y = self.index(op.top) + op.spread[0] * np.arange(height)
        x = self.index(op.left) + np.add.outer(np.array(op.steps), op.spread[1] * np.arange(width)).reshape(-1)
        y, x = y[(y >= 0) & (y < rows)], x[(x >= 0) & (x < columns)]
        return (y[:, None, None] * down + x[:, None] * across + np.arange(channels) * deep).reshape(-1)

    def note(self, value: SSAValue, elements: NDArray[np.int64], times: NDArray[np.int64]) -> None:
        """Record reads or writes of elements of a memref."""
        length, size = unit_of(memref_type(value))
        first = (self.origin(value) + elements) // length * size
        for byte in range(size):
            if self.view(value) is self.read:
                np.maximum.at(self.last_reads, first + byte, times)
            else:
                np.minimum.at(self.first_writes, first + byte, times)

    @staticmethod
    def view(value: SSAValue) -> SSAValue:
        """The memref of which a memref is a part; raises `NotReplayed` if loops or branches carry it."""
        value = root(value)
        inside = isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), scf.ForOp)
        if inside or isinstance(value.owner, scf.ForOp | scf.IfOp):
            raise NotReplayed
        return value

    def origin(self, value: SSAValue) -> int:
        """The offset of a memref in its view, in elements."""
        total = 0
        while isinstance(slice := value.owner, SliceOp):
            total += self.index(slice.offset)
            value = slice.source
        return total

    def index(self, value: SSAValue) -> int:
        if (found := index_value(value, self.indices)) is None:
            raise NotReplayed
        return int(found)


class _Filling(_Replay):
    """The bytes of a memref written so far, in an execution that may read no others."""

    def __init__(self, memref: SSAValue) -> None:
        super().__init__(memref, memref)

    @property
    def is_full(self) -> bool:
        return bool((self.first_writes < NEVER).all())

    def run(self, op: Operation) -> None:
        if isinstance(op, scf.ForOp | SliceOp) or not self.is_watched(op):
            return super().run(op)
        if not isinstance(op, TensorOp) or op.dest is None:
            raise NotReplayed
        for operand in op.inputs:
            if isinstance(operand.type, MemRefType) and self.view(operand) is self.read:
                whole = np.arange(memref_type(operand).element_count())
                elements = self.gathered(op) if isinstance(op, WindowOp) else whole
                self.expect_written(operand, elements)
        if self.view(op.dest) is self.written:
            for visit in op.visits:
                length, size = unit_of(memref_type(op.dest))
                first = (self.origin(op.dest) + visit.stores) // length * size
                for byte in range(size):
                    self.first_writes[first + byte] = 0
        return None

    def expect_written(self, value: SSAValue, elements: NDArray[np.int64]) -> None:
        length, size = unit_of(memref_type(value))
        first = (self.origin(value) + elements) // length * size
        if (self.first_writes[first] == NEVER).any():
            raise NotReplayed


class _Sharing(_Filling):
    """The bytes of a memref that still hold its content, in an execution that may read no others.

    lost: a memref that starts `shift` bytes above the first one, and whose writes overwrite the content.
    """

    def __init__(self, memref: SSAValue, lost: SSAValue, shift: int) -> None:
        super().__init__(memref)
        self.lost, self.shift = lost, shift

    def is_watched(self, op: Operation) -> bool:
        memrefs = [value for value in op.operands if isinstance(value.type, MemRefType)]
        return any(self.view(value) in (self.read, self.lost) for value in memrefs)

    def run(self, op: Operation) -> None:
        if not isinstance(op, TensorOp) or op.dest is None or self.view(op.dest) is not self.lost:
            return super().run(op)
        if any(self.view(value) is self.read for value in op.inputs if isinstance(value.type, MemRefType)):
            raise NotReplayed
        type = memref_type(op.dest)
        length, size = unit_of(type)
        first = self.origin(op.dest)
        ends = first // length * size, -(-(first + type.element_count()) // length) * size
        start, end = (max(byte + self.shift, 0) for byte in ends)
        self.first_writes[start:end] = NEVER
        return None
