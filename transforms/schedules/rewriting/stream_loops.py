"""The loop nest of a streamed segment. It is a loop over ticks of time. At each tick, each stage computes the slices
that are due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, UnitAttr, i64
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.locations import fused
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.plans.network import Network
from tinyml.transforms.schedules.rings.on_demand import Slice
from tinyml.transforms.schedules.rings.smallest_rings import RingSchedule
from tinyml.transforms.schedules.rings.ticks import Clock
from tinyml.transforms.schedules.slices.bodies import body_of
from tinyml.transforms.schedules.slices.slice_body import Body
from tinyml.transforms.schedules.slices.stages import SegmentLoops, Stage
from tinyml.transforms.schedules.tiling.absorbed_bias import absorbed_addend
from tinyml.transforms.schedules.tiling.axis_orders import written
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.tiling.window_tiles import TileMemory


class StreamLoops(SegmentLoops):
    """The loop nest of a segment during construction.

    target: the board; if slices are rows, its kernels for several pixels at once are used.
    memory: the memory that these kernels may use.
    """

    def __init__(self, network: Network, schedule: RingSchedule, target: str, memory: TileMemory) -> None:
        super().__init__(network)
        self.schedule = schedule
        self.target, self.memory = target, memory
        self.timing, self.slice = schedule.timing, schedule.timing.slice

    def rewrite(self) -> scf.ForOp | None:
        """Replace the ops of the segment by a loop over ticks, in each of which the due rows or pixels are computed.
        Return the loop; None if there is a single tick.
        """
        stages = [self.with_addend(stage) for stage in self.schedule.segment.stages]
        last = stages[-1].result.owner
        assert isinstance(last, Operation)
        self.emit = TensorBuilder(last, fused(op.location for stage in stages for op in stage.ops))
        made = {stage.node.result: self.body(stage) for stage in stages}
        bodies = {name: made[name] for name in self.timing.clocks}
        for stage in stages:
            self.images[stage.node.result] = self.storage(stage, bodies[stage.node.result])
        loop = self.tick(bodies)
        for name, body in bodies.items():
            self.images[name] = body.finished(self.images[name], self.stored)
        dead: list[Operation] = [op for stage in stages for op in stage.ops]
        for stage in stages:
            if stage.kept:
                returned = written(stage.result)
                result = stage.result if returned is None else returned.out
                result.replace_all_uses_with(self.images[stage.node.result].value)
                dead += [] if returned is None else [returned]
        erase(dead)
        return loop

    def body(self, stage: Stage) -> Body:
        return body_of(stage, self.emit, self.target if self.slice is Slice.ROW else HOST, self.memory)

    def with_addend(self, stage: Stage) -> Stage:
        """The stage with a convolution that starts from the constant that the next op adds.

        Any other stage is returned unchanged, and so is a stage whose results could differ.
        """
        if stage.pooled is not None:
            return replace(stage, pooled=self.with_addend(stage.pooled))
        if not isinstance(stage.op, tdsl.Conv2dOp) or not stage.chain:
            return stage
        sum = stage.chain[0]
        if (new := absorbed_addend(stage.op, sum)) is None:
            return stage
        self.network.names[new.out] = self.network.names[sum.out]
        Rewriter.replace_op(sum, [], [new.out])
        Rewriter.erase_op(stage.op)
        return replace(stage, op=new, chain=stage.chain[1:])

    def storage(self, stage: Stage, body: Body) -> StoredImage:
        """Emit the tensor for a stage's result, and return it: the whole image if it is used after the segment, else a
        ring.
        """
        name = stage.node.result
        height, width = self.timing.graph.tensors[name][:2]
        if not stage.kept:
            slots = self.schedule.slots[name]
            if self.slice is Slice.ROW or self.timing.arrives(name):
                height = min(slots, height)
            elif slots < height * width:
                height, width = 1, slots
        value = body.start()
        if value is None:
            return StoredImage.empty(stage.result, height, width, self.emit)
        value.name_hint = stage.result.name_hint
        return StoredImage(value, tdsl.shape_of(stage.result))

    def tick(self, bodies: dict[str, Body]) -> scf.ForOp | None:
        """Emit the loop over ticks along the rows and, inside it for pixels, the loop over ticks along the columns.
        Return the loop over ticks along the rows; None if there is a single one.
        """
        rows, columns = self.timing.ticks

        def row_of_ticks(t: SSAValue) -> None:
            due = {name: self.due(t, clocks[0], rows) for name, clocks in self.timing.clocks.items()}
            if self.slice is Slice.ROW:
                for name, body in bodies.items():
                    self.each(due[name], name, lambda y, image, body=body: body.row(y, image, self.stored))
            else:
                self.carry(columns, lambda u: self.pixels(u, due, bodies))

        return self.carry(rows, row_of_ticks)

    def pixels(self, u: SSAValue, rows: dict[str, Sequence[SSAValue]], bodies: dict[str, Body]) -> None:
        """Emit the computation of the pixels of all stages that are due at tick u along the columns.

        rows: for each stage, the rows that are due.
        bodies: for each stage, the code that computes its slices.
        """
        for name, body in bodies.items():
            due = self.due(u, self.timing.clocks[name][1], self.timing.ticks[1])

            def column(
                y: SSAValue, image: StoredImage, body: Body = body, due: Sequence[SSAValue] = due
            ) -> StoredImage:
                return self.repeat(due, image, lambda x, image: body.at(y, x, image, self.stored))

            self.each(rows[name], name, column)

    def due(self, t: SSAValue, clock: Clock, ticks: int) -> Sequence[SSAValue]:
        """Emit the indices of the rows or pixels along an axis that are due at tick t, and return them: one index, or
        the first index and the end of a range of at most one index.

        clock: the ticks of the stage along the axis.
        ticks: the number of ticks along the axis.
        """
        if clock == Clock(1, 0, ticks):
            return [t]
        return [self._computed(t, clock, ticks, offset) for offset in (0, 1)]

    def _computed(self, t: SSAValue, clock: Clock, ticks: int, offset: int) -> SSAValue:
        """Emit the number of rows, or of pixels of a row, that are computed before tick `t + offset`, and return it."""
        emit = self.emit
        # ceil((t + offset - start) / step); the numerator is clamped to zero where it may be negative.
        shift = offset - clock.start + clock.step - 1
        count = emit.plus(t, shift)
        if shift < 0:
            count = emit.insert(arith.MaxSIOp(count, emit.index(0)))
        if clock.step > 1:
            count = emit.insert(arith.DivSIOp(count, emit.index(clock.step)))
        if (ticks - 1 + shift) // clock.step > clock.extent:
            count = emit.insert(arith.MinSIOp(count, emit.index(clock.extent)))
        return count

    def each(self, due: Sequence[SSAValue], name: str, body: Callable[[SSAValue, StoredImage], StoredImage]) -> None:
        """Update the stored image of a stage with the rows or pixels that are due.

        due: as returned by `due`.
        name: the name of the stage's result.
        body: computes one row or pixel.
        """
        self.images[name] = self.repeat(due, self.images[name], body)

    def repeat(
        self, due: Sequence[SSAValue], image: StoredImage, body: Callable[[SSAValue, StoredImage], StoredImage]
    ) -> StoredImage:
        if len(due) == 1:
            return body(due[0], image)
        [value] = self.emit.loop(due[0], due[1], [image.value], lambda i, held: [body(i, image.now(held[0])).value])
        return image.now(value)

    def carry(self, extent: int, body: Callable[[SSAValue], None]) -> scf.ForOp | None:
        """Emit a loop of `extent` iterations that carries all images, and return it. For a single iteration, emit only
        the body, and return None.
        """
        names = list(self.images)

        def inner(i: SSAValue, held: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.update(dict(zip(names, held, strict=True)))
            body(i)
            return [self.images[name].value for name in names]

        if extent == 1:
            body(self.emit.index(0))
            return None
        before = [self.images[name].value for name in names]
        after = self.emit.loop(self.emit.index(0), self.emit.index(extent), before, inner)
        self.update(dict(zip(names, after, strict=True)))
        loop = cast(scf.ForOp, after[0].owner)
        images = self.images.values()
        rings = (DenseArrayBase.from_list(i64, image.shape[1:3]) if image.is_ring else UnitAttr() for image in images)
        loop.attributes[tdsl.RINGS] = ArrayAttr(rings)
        return loop

    def update(self, values: dict[str, SSAValue]) -> None:
        self.images = {name: self.images[name].now(value) for name, value in values.items()}
