"""`slide-windows`: stores a sliding window of an image as a ring of columns, so that only new columns are loaded (L4).

Without this pass, a convolution copies the whole window of each pixel, although most of this window was also in the
window of the previous pixel. In the ring, a column stays at its position for as long as it is in the window. A new
column replaces the column that leaves the window. The rows of weights must then be rotated accordingly. Flash therefore
contains one copy of the constant matrix for each rotation. Line buffers in hardware serve the same purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import scratch
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.dialects.loops import trips_from_zero
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.verilog.fabric import fabric_around
from tinyml.transforms.ir.buffers import buffer_reads, overlap
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.loop_nest import LoopBuilder, needed


@dataclass(frozen=True)
class SlideWindowsPass(ConditionalPass):
    """Convert the windows of `scratch.slide` to rings.

    A window is converted only if all rotated copies of its weights together fit in an eighth of the block RAMs. A
    window is unchanged if another op in the enclosing loop writes to the window or to the image. Raises `InputError`
    unless a single `scratch.copy_run` with a `step` fills the window.
    """

    name = "slide-windows"
    ACTS_ON = (scratch.SlideOp,)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fabric = fabric_around(op)
        for slide in [each for each in op.walk() if isinstance(each, scratch.SlideOp)]:
            window = _Window(slide)
            Rewriter.erase_op(slide)
            if window.may_slide and window.bits <= fabric.there.brams * fabric.bram_bits // 8:
                window.slide()


class _Window:
    """A window that a loop over pixels copies row by row and multiplies by rows of constant weights.

    row: the number of elements in a row of the window.
    step: the number of elements by which the window advances from one pixel to the next.
    """

    def __init__(self, op: scratch.SlideOp):
        self.pixels = op.parent_op()
        self.window, self.weights = map(scratch.root, (op.window, op.weights))
        users = [use.operation for use in buffer_reads(self.window)]
        copies = [user for user in users if isinstance(user, scratch.CopyRunOp) and user.step is not None]
        if len(copies) != 1 or (step := copies[0].step) is None:
            raise error_at(op, f"expected one 'scratch.copy_run' with a step to fill the window, got {len(copies)}")
        self.copy, self.row, self.step = copies[0], copies[0].most.value.data, step.value.data

    @property
    def turns(self) -> int:
        return self.row // self.step

    @property
    def constant(self) -> scratch.ConstantOp:
        return cast("scratch.ConstantOp", self.weights.owner)

    @property
    def bits(self) -> int:
        return self.turns * 8 * scratch.size_in_bytes(scratch.memref_type(self.weights))

    @property
    def may_slide(self) -> bool:
        loop, image = self.pixels, scratch.root(self.copy.source)
        if loop is None or loop.results or not trips_from_zero(loop) or self.row % self.step:
            return False
        whole = const_evaluate_operand(self.copy.count) == self.row and loop.is_ancestor(self.copy)
        others = {scratch.root(array) for op in loop.walk() if op is not self.copy for array in _written(op)}
        return whole and image not in others and not any(overlap(other, self.window) for other in others)

    def slide(self) -> None:
        self._copy_first()
        turn, place = self._turns()
        self._turn_weights(turn)
        nest = LoopBuilder(self.copy)
        first = nest.add(self.copy.first, nest.index(self.row - self.step))
        at = nest.add(self.copy.at, nest.times(place, self.step))
        _restrict(self.copy, first, at, self.step)

    def _copy_first(self) -> None:
        """Insert, before the loop over pixels, a copy of all elements of the first window's rows except the
        last `step` of each row.
        """
        loop = cast("scf.ForOp", self.pixels)
        top: Operation = self.copy
        while (around := top.parent_op()) is not loop:
            assert around is not None
            top = around
        nest, used = LoopBuilder(loop), [operand.owner for op in top.walk() for operand in op.operands]
        new: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: nest.index(0)}
        copies = [op.clone(new) for op in needed([top, *used], loop)]
        for copy in copies:
            nest.put(copy)
        [first] = (op for op in copies[-1].walk() if isinstance(op, scratch.CopyRunOp))
        _restrict(first, first.first, first.at, self.row - self.step)

    def _turns(self) -> tuple[SSAValue, SSAValue]:
        """Add two carried values to the loop over pixels, and return them: the index of the current rotation of
        the weights, and the position of the new column.
        """
        loop = cast("scf.ForOp", self.pixels)
        nest = LoopBuilder(loop)
        starts = nest.index(0), nest.index(self.turns - 1)
        body = loop.detach_region(loop.body)
        turn, place = (body.block.insert_arg(IndexType(), number) for number in (1, 2))
        end = cast("scf.YieldOp", body.block.last_op)
        inside = LoopBuilder(end)
        following = inside.add(turn, inside.index(1))
        goes_on = inside.insert(arith.CmpiOp(following, inside.index(self.turns), "slt"))
        end.operands = [inside.insert(arith.SelectOp(goes_on, following, inside.index(0))), turn]
        nest.put(scf.ForOp(loop.lb, loop.ub, loop.step, starts, body))
        Rewriter.erase_op(loop)
        return turn, place

    def _turn_weights(self, turn: SSAValue) -> None:
        """Replace the weights that the loop reads by the copy with the number `turn`, which is rotated so that its
        columns have the order of the window's columns.
        """
        body, raws = cast("Block", turn.owner), self.constant.raws
        columns = raws.reshape(-1, scratch.elements_of(self.window) // self.row, self.turns, self.step)
        turned = np.stack([np.roll(columns, number, axis=2).reshape(raws.shape) for number in range(self.turns)])
        constant = scratch.ConstantOp.of(turned, scratch.memref_type(self.weights).element_type)
        constant.result.name_hint = self.weights.name_hint
        Rewriter.insert_op(constant, InsertPoint.before(self.constant))
        readers, nest = list(body.walk()), LoopBuilder(cast("Operation", body.first_op))
        part = nest.insert(scratch.SliceOp(constant.result, nest.times(turn, raws.size), raws.shape))
        views = {self.weights: part}

        def moved(view: SSAValue) -> SSAValue:
            if view not in views and isinstance(old := view.owner, scratch.SliceOp):
                views[view] = nest.insert(old.clone({old.source: moved(old.source)}))
            return views[view]

        for op in readers:
            for place, operand in enumerate(op.operands):
                if scratch.root(operand) is self.weights and not body.is_ancestor(operand.owner):
                    op.operands[place] = moved(operand)


def _written(op: Operation) -> list[SSAValue]:
    match op:
        case memref.LoadOp() | memref.CastOp() | scratch.SliceOp():
            return []
        case scratch.CopyRunOp():
            return [op.dest]
        case _:
            return [operand for operand in op.operands if isinstance(operand.type, MemRefType)]


def _restrict(copy: scratch.CopyRunOp, first: SSAValue, at: SSAValue, count: int) -> None:
    nest = LoopBuilder(copy)
    nest.put(scratch.CopyRunOp(copy.source, first, copy.dest, at, nest.index(count), count))
    Rewriter.erase_op(copy)
