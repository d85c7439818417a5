"""Decoding and unpacking, into local arrays, of runs of memory that kernels cannot read directly (L3).

The load program of a format decodes the elements of a run. A run that is invariant in the enclosing loop is decoded
once, before the loop, to bytes of the arena. Examples are the vector of a product with a matrix, and the row of a
product with several columns. If a kernel can read the coded elements, they are decoded only to bytes that are free
during the loop; otherwise the arena grows if it has too few free bytes. Other runs are decoded block by block, each
element once for each product. Packed RAM is always unpacked a few elements at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, is_side_effect_free, only_has_effect

from tinyml.dialects import num, scratch
from tinyml.dialects.formats.number_format import NumberFormat, element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import DECODED_BITS, Offer
from tinyml.transforms.ir.indices import executions
from tinyml.transforms.ir.loop_nest import LoopBuilder, function_around, local_array
from tinyml.transforms.loops.expand_nests import open_nest_around
from tinyml.transforms.loops.kernels.arena_room import ArenaRoom
from tinyml.transforms.loops.kernels.run_codings import decoded_format

DECODED_BLOCK = 32
"""The number of elements that are decoded at once, which take 64 bytes of stack."""

UNPACKED_BLOCK = 4
"""The fewest elements that are unpacked at once; a larger group of either operand raises this number.

Larger blocks would need as much stack as packing saves.
"""

_Loop: TypeAlias = scf.ForOp | num.NestOp
_ADDRESSES = (scratch.SliceOp, arith.ConstantOp, arith.AddiOp, arith.MuliOp, affine.ApplyOp)

SHARE = 8
"""The reciprocal of the greatest part of the board's RAM for a run that is decoded as a whole."""


class LocalRuns:
    """A rewriter of sums of products whose factors, runs of contiguous elements, must be decoded or unpacked before a
    kernel can read them. The sums of one function use the same local arrays.

    ram: the RAM of the board in bytes; None for no limit.
    """

    def __init__(self, ram: int | None) -> None:
        self._ram = ram
        self._arrays: dict[tuple[object, ...], SSAValue] = {}
        self._before: Counter[Operation] = Counter()

    def decoded(self, op: num.CallOp, offer: Offer) -> SSAValue:
        """Decode the runs of an op, and compute its sum by the kernel of an offer. Return the sum."""
        factors, arrays = list(op.arguments[1:]), dict[int, SSAValue]()
        if not all(self._stays(op, factors[turn]) for turn in offer.decoded):
            open_nest_around(op)
        for turn, run in enumerate(factors):
            if turn in offer.decoded:
                if self._stays(op, run):
                    factors[turn] = self._whole(op, run)
                else:
                    length = min(op.length, DECODED_BLOCK)
                    arrays[turn] = self._array(op, _integers(run).storage, length, "decoded", turn)
        nest, kernel = LoopBuilder(op), offer.kernel.attribute
        if not arrays:
            return nest.insert(num.CallOp(op.routine, [op.sum, *factors], kernel))

        def read(turn: int, run: SSAValue) -> SSAValue:
            return _decode(nest, run, arrays[turn]) if turn in arrays else run

        return _in_blocks(op, factors, DECODED_BLOCK, kernel, read, nest)

    def decodes_for_free(self, op: num.CallOp, direct: Kernel, offer: Offer) -> bool:
        """Whether the kernel of `offer`, with decoded runs, takes less time than the kernel `direct`, for which
        none are, and the arena has free bytes for the decoded runs.

        Decoding an element is assumed to take as long as a product by `direct`.
        """
        runs = [op.arguments[1 + turn] for turn in offer.decoded]
        if not all(self._stays(op, run) for run in runs):
            return False
        loop = op.parent_op()
        assert loop is not None
        times = executions(op) / executions(loop)
        if times * (direct.step - offer.kernel.step) <= len(runs) * direct.step:
            return False
        room = ArenaRoom.of(function_around(op))
        return room is not None and len(runs) == 1 and room.during(loop, *_bytes(runs[0])) is not None

    def unpacked(self, op: num.CallOp, kernel: num.KernelAttr) -> SSAValue:
        """Compute the sum of an op whose second run is packed. Return the sum.

        Successive blocks of the run are unpacked, and a kernel is called on each block.
        """
        open_nest_around(op)
        factors = op.arguments[1:]
        widths = [scratch.packed_bits(scratch.memref_type(run)) for run in factors]
        length = max(UNPACKED_BLOCK, *(group_length(width) for width in widths if width is not None))
        format, nest = element_format(factors[1].type), LoopBuilder(op)
        array = self._array(op, format.storage, length, "unpacked")

        def read(turn: int, run: SSAValue) -> SSAValue:
            if turn == 0:
                return run
            whole = nest.insert(scratch.SliceOp(array, nest.index(0), (num.run_length(run),), format.type))
            nest.put(memref.CopyOp(run, whole))
            return whole

        return _in_blocks(op, factors, length, kernel, read, nest)

    def _stays(self, op: num.CallOp, run: SSAValue) -> bool:
        """Whether a run is invariant in the enclosing loop, and the decoded run needs at most a fraction of RAM (`1 /
        SHARE`).
        """
        bytes = num.run_length(run) * DECODED_BITS // 8
        room = self._ram is None or bytes <= self._ram // SHARE
        return room and isinstance(op.parent_op(), _Loop) and _needed(op, run) is not None

    def _whole(self, op: num.CallOp, run: SSAValue) -> SSAValue:
        loop, needed = op.parent_op(), _needed(op, run)
        assert loop is not None
        assert needed is not None
        nest, values = LoopBuilder(loop), dict[SSAValue, SSAValue]()
        for address_op in needed:
            nest.put(address_op.clone(value_mapper=values))
        return _decode(nest, values.get(run, run), self._in_arena(op, loop, run))

    def _in_arena(self, op: num.CallOp, loop: Operation, run: SSAValue) -> SSAValue:
        """An array for the decoded elements of a run that is read in a loop: free bytes of the arena, or bytes that are
        appended to it. A local array if the function has no arena, or if the memory at the end of the arena is full.
        """
        storage, length = _integers(run).storage, num.run_length(run)
        room, (size, unit) = ArenaRoom.of(function_around(op)), _bytes(run)
        taken = None if room is None else room.during(loop, size, unit)
        if room is not None and taken is None:
            taken = room.grow(loop, size, unit)
        if room is not None and taken is not None:
            return room.view(taken.low, MemRefType(storage, [length]), "decoded")
        # Successive loops share an array, nested loops do not.
        kind = _depth(loop), self._before[loop], length
        self._before[loop] += 1
        return self._array(op, storage, length, "decoded", *kind)

    def _array(self, op: num.CallOp, storage: Attribute, length: int, name: str, *kind: int) -> SSAValue:
        """A local array of at least `length` elements. Calls with the same element type and the same `kind` share it.

        storage: the element type.
        name: the name of the array.
        """
        function = function_around(op)
        key = function, storage, name, *kind
        known = self._arrays.get(key)
        if known is None or num.run_length(known) < length:
            self._arrays[key] = local_array(function, storage, length, name)
            if known is not None:
                known.replace_all_uses_with(self._arrays[key])
        return self._arrays[key]


def _in_blocks(
    op: num.CallOp,
    factors: Sequence[SSAValue],
    size: int,
    kernel: num.KernelAttr,
    read: Callable[[int, SSAValue], SSAValue],
    nest: LoopBuilder,
) -> SSAValue:
    def block(sum: SSAValue, first: SSAValue, count: int) -> SSAValue:
        runs = [nest.insert(scratch.SliceOp(run, first, (count,))) for run in factors]
        runs = [read(turn, run) for turn, run in enumerate(runs)]
        return nest.insert(num.CallOp(op.routine, [sum, *runs], kernel))

    def whole(number: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
        return [block(sums[0], nest.times(number, size), size)]

    sum, (blocks, rest) = op.sum, divmod(op.length, size)
    if blocks == 1:
        sum = block(sum, nest.index(0), size)
    elif blocks:
        [sum] = nest.fold(nest.index(blocks), [sum], whole)
    return block(sum, nest.index(blocks * size), rest) if rest else sum


def _bytes(coded: SSAValue) -> tuple[int, int]:
    """The size in bytes of a run after it is decoded, and of each of its elements."""
    unit = _integers(coded).dtype.itemsize
    return num.run_length(coded) * unit, unit


def _integers(coded: SSAValue) -> NumberFormat:
    format = decoded_format(coded)
    assert format is not None
    return format


def _decode(nest: LoopBuilder, coded: SSAValue, array: SSAValue) -> SSAValue:
    type, length = _integers(coded).type, num.run_length(coded)
    whole = nest.insert(scratch.SliceOp(array, nest.index(0), (length,), type))

    def decode(at: list[SSAValue]) -> None:
        nest.store(nest.insert(num.ConvertOp(nest.load(coded, at), type)), whole, at)

    nest.nest((length,), decode)
    return whole


def _depth(op: Operation) -> int:
    around = op.parent_op()
    return 0 if around is None else isinstance(around, _Loop) + _depth(around)


def _needed(op: num.CallOp, run: SSAValue) -> list[Operation] | None:
    if not isinstance(loop := op.parent_op(), _Loop):
        return None
    needed: list[Operation] = []
    pending = [run]
    while pending:
        value = pending.pop()
        if isinstance(owner := value.owner, Operation) and owner.parent_op() is loop:
            if not isinstance(owner, _ADDRESSES):
                return None
            needed.append(owner)
            pending += owner.operands
        elif value.owner is loop.body.block:
            return None
    return None if _may_change(run, loop) else [op for op in loop.body.block.ops if op in needed]


def _may_change(run: SSAValue, loop: _Loop) -> bool:
    memory = scratch.root(run)
    return any(
        isinstance(operand.type, MemRefType) and scratch.root(operand) is memory
        for op in loop.walk()
        if not op.regions and not only_has_effect(op, MemoryEffectKind.READ) and not is_side_effect_free(op)
        for operand in op.operands
    )
