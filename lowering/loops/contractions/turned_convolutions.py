"""Lowering of convolutions in place to loops (L2 to L3).

Such a convolution computes its result in turns, and transposes the image between turns. A table in flash stores the
offsets and extents of all turns, so that one loop executes all turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, i16, i32
from xdsl.ir import Attribute, SSAValue

from tinyml.dialects import num, scratch, tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.rewriting import Rewriter
from tinyml.dialects.tdsl.convolution import Turn
from tinyml.lowering.loops.contractions.products import begun, contract_rows, finished, row_shifts, sum_start
from tinyml.lowering.loops.contractions.zero_points import start_without_offsets
from tinyml.lowering.loops.movement import turn_image
from tinyml.lowering.loops.operands import element_of, elements_from, flash_array
from tinyml.transforms.ir.loop_nest import LoopBuilder, function_around, local_array


def lower_in_turns(op: tdsl.Conv2dOp, nest: LoopBuilder) -> None:
    """Emit the loops of a convolution in place."""
    turns = op.turn_list
    table = _Table(op, turns, nest)
    products = _TurnProducts(op, nest)
    count = nest.index(len(turns))

    def forth(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        products.rows(table, number)
        left, rows, width = (table(number, column) for column in (_Table.LEFT, _Table.ROWS_LEFT, _Table.WIDTH))
        turn_image(op.rhs, left, rows, width, nest, tdsl.shape_of(op.rhs)[3])
        return []

    def back(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        last = nest.insert(arith.SubiOp(nest.index(len(turns)), number))
        height, width = table(last, _Table.HEIGHT_OUT), table(last, _Table.WIDTH_OUT)
        turn_image(op.out, table(last, _Table.WRITTEN), height, width, nest, tdsl.shape_of(op.out)[3])
        return []

    nest.fold(count, [], forth)
    nest.fold(count, [], back, 1)


class _Table:
    """The columns of the table of turns. All numbers are in pixels.

    ROWS: the rows of the result that the turn computes.
    WIDTH: the width of the image.
    HEIGHT_OUT, WIDTH_OUT: the extents of the remaining result.
    READ: the offset of the image's first pixel.
    WRITTEN: the offset of the result's first pixel.
    LEFT, ROWS_LEFT: the offset and the number of rows of the image after the turn; 0 rows after the last turn.
    DOWN, ACROSS: the distances between vertical and horizontal neighbours in a window.
    HEIGHT: with padding, the height of the image.
    ABOVE, BEFORE: with padding, the rows of padding above the image, and the columns of padding to its left.
    """

    ROWS, WIDTH, HEIGHT_OUT, WIDTH_OUT, READ, WRITTEN, LEFT, ROWS_LEFT, DOWN, ACROSS, HEIGHT, ABOVE, BEFORE = range(13)

    def __init__(self, op: tdsl.Conv2dOp, turns: Sequence[Turn], nest: LoopBuilder):
        self.nest = nest
        rows: list[list[int]] = []
        for turn in turns:
            (height, width), left = turn.drop(op.steps)
            taps = (1, width) if turn.turned else (width, 1)
            left_rows = 0 if turn is turns[-1] else height
            padding = () if op.padding is None else (turn.image[0], *turn.before)
            rows.append([turn.rows, width, *turn.result, turn.read, turn.written, left, left_rows, *taps, *padding])
        raws = np.array(rows)
        element, dtype = (i16, "u2") if raws.max(initial=0) < 1 << 16 else (i32, "u4")
        self.values = flash_array(nest, raws.astype(dtype).view(dtype.replace("u", "i")), element, "turns")

    def __call__(self, number: SSAValue, column: int) -> SSAValue:
        value = self.nest.load(self.values, [number, self.nest.index(column)])
        if value.type == i16:
            return self.nest.unsigned(value)
        return self.nest.insert(arith.IndexCastOp(value, IndexType()))


class WindowProducts:
    """The sums of a convolution in place. Each window is copied to the stack and multiplied by the filters.

    For a depthwise convolution, the stack contains the window of one channel at a time.

    filling: the real of taps outside the image.
    """

    filling = 0.0

    def __init__(self, op: tdsl.ContractionOp, nest: LoopBuilder):
        self.op, self.nest = op, nest
        [term] = op.terms
        self.weights, image_value = term.lhs, term.rhs
        rows, *self.kernel, self.channels = tdsl.shape_of(self.weights)
        self.length = prod(self.kernel) * self.channels
        start = start_without_offsets(op)
        image = tdsl.format_of(image_value)
        offsets = (tdsl.format_of(value).without_offset()[0].type if start else None for value in (term.lhs, term.rhs))
        self.read_as: list[Attribute | None] = list(offsets)
        self.initial = sum_start(op.initial, start, op.accumulators[0], nest)
        self.shifts = row_shifts(op, nest)
        self.filters = rows
        self.image_channels = tdsl.shape_of(image_value)[3]
        self.window = elements_from(self._array(image.storage), nest.index(0), self.length, nest, image.type)
        self.image = elements_from(image_value, nest.index(0), prod(tdsl.shape_of(image_value)), nest)
        self.result = elements_from(op.out, nest.index(0), prod(tdsl.shape_of(op.out)), nest)

    def _array(self, storage: Attribute) -> SSAValue:
        """The local array for windows. All convolutions whose elements have one storage type use the same
        array.
        """
        function = function_around(self.op)
        arrays = [op.memref for op in function.body.block.ops if isinstance(op, memref.AllocaOp)]
        for array in arrays:
            type = scratch.memref_type(array)
            if array.name_hint == "window" and type.element_type == storage:
                if prod(type.get_shape()) >= self.length:
                    return array
                larger = local_array(function, storage, self.length, "window")
                array.replace_all_uses_with(larger)
                Rewriter.erase_op(cast(memref.AllocaOp, array.owner))
                return larger
        return local_array(function, storage, self.length, "window")

    def gather(self, first: SSAValue, down: SSAValue, beside: SSAValue, taps: Sequence[_Taps] = ()) -> None:
        """Copy the window that starts at element `first` of the image.

        down, beside: the distances between vertical and horizontal neighbours.
        taps: for a padded image, the taps inside the image; no other taps are copied.
        """
        nest, (height, width) = self.nest, self.kernel

        def tap(i: SSAValue, j: SSAValue, channel: SSAValue) -> None:
            place = nest.add(nest.insert(arith.MuliOp(i, down)), nest.insert(arith.MuliOp(j, beside)))
            source = nest.add(nest.add(first, nest.times(place, self.image_channels)), channel)
            target = nest.add(nest.times(nest.add(nest.times(i, width), j), self.channels), channel)
            nest.store(nest.load(self.image, [source]), self.window, [target])

        if not taps:
            nest.over((height, width, self.channels), lambda indices: tap(*indices))
            return
        filling = nest.insert(num.ConstantOp(self.filling, element_of(self.window)))
        nest.over((self.length,), lambda indices: nest.store(filling, self.window, indices))

        def row(i: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            def column(j: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                nest.over((self.channels,), lambda indices: tap(i, j, indices[0]))
                return []

            nest.fold(taps[1].end, [], column, taps[1].first)
            return []

        nest.fold(taps[0].end, [], row, taps[0].first)

    def elements(self, number: SSAValue, begin: SSAValue, count: int) -> None:
        """Compute `count` elements of pixel `number` of the result from the copied window, starting at element
        `begin`.
        """
        op, nest = self.op, self.nest
        offset = nest.times(begin, self.length)
        weights = nest.insert(scratch.SliceOp(self.weights, offset, (count, self.length), self.read_as[0]))
        window = elements_from(self.window, nest.index(0), self.length, nest, self.read_as[1])

        def element(row: SSAValue) -> None:
            filter = nest.add(begin, row)
            indices = [*[nest.index(0)] * 3, filter]
            sum = begun(op.accumulators[0], self.initial, indices, nest)
            sum = nest.insert(num.ProductsOp(sum, weights, window))
            value = finished(op, sum, self.shifts, indices, nest)
            nest.store(value, self.result, [nest.add(nest.times(number, self.filters), filter)])

        contract_rows(count, element, nest)


class _TurnProducts(WindowProducts):
    """The sums that a convolution in place computes in its turns."""

    def __init__(self, op: tdsl.Conv2dOp, nest: LoopBuilder):
        super().__init__(op, nest)
        self.convolution, self.filling, self.depthwise = op, op.filling, op.group_count > 1

    def rows(self, table: _Table, number: SSAValue) -> None:
        nest = self.nest
        width, across, read, written, down, beside = (
            table(number, column)
            for column in (_Table.WIDTH, _Table.WIDTH_OUT, _Table.READ, _Table.WRITTEN, _Table.DOWN, _Table.ACROSS)
        )
        steps = self._steps(number)
        inside = _Inside(self.convolution, table, number, nest)

        def row(y: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            top = inside.row(_product(y, steps[0], nest))
            begin = nest.add(read, nest.insert(arith.MuliOp(top, width)))
            target = nest.add(written, nest.insert(arith.MuliOp(y, across)))

            def pixel(x: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                left = inside.column(_product(x, steps[1], nest))
                first = nest.times(nest.add(begin, left), self.image_channels)
                taps = inside.taps(top, left)
                if not self.depthwise:
                    self.gather(first, down, beside, taps)
                    self.elements(nest.add(target, x), nest.index(0), self.filters)
                    return []
                each = self.filters // self.image_channels

                def channel(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                    self.gather(nest.add(first, number), down, beside, taps)
                    self.elements(nest.add(target, x), nest.times(number, each), each)
                    return []

                nest.fold(nest.index(self.image_channels), [], channel)
                return []

            nest.fold(across, [], pixel)
            return []

        nest.fold(table(number, _Table.ROWS), [], row)

    def _steps(self, number: SSAValue) -> tuple[int | SSAValue, int | SSAValue]:
        """Return the strides along rows and columns in memory during turn `number`, in pixels."""
        down, right = self.convolution.steps
        if down == right:
            return down, right
        nest = self.nest
        odd = nest.insert(arith.RemSIOp(number, nest.index(2)))
        more = nest.insert(arith.MuliOp(odd, nest.index(right - down)))
        return nest.add(nest.index(down), more), nest.insert(arith.SubiOp(nest.index(right), more))


class _Taps(NamedTuple):
    """The taps of a window along one axis that are inside the image, as the interval [first, end)."""

    first: SSAValue
    end: SSAValue


class _Inside:
    """Computes which taps of a window are inside the image, in one turn of a convolution."""

    def __init__(self, op: tdsl.Conv2dOp, table: _Table, number: SSAValue, nest: LoopBuilder):
        self.padded, self.nest = op.padding is not None, nest
        if self.padded:
            _, *self.kernel, _ = tdsl.shape_of(op.lhs)
            columns = _Table.ABOVE, _Table.BEFORE, _Table.HEIGHT, _Table.WIDTH
            self.above, self.before, self.height, self.width = (table(number, column) for column in columns)
            odd = nest.insert(arith.RemSIOp(number, nest.index(2)))
            self.turned = nest.insert(arith.CmpiOp(odd, nest.index(0), "ne"))

    def row(self, row: SSAValue) -> SSAValue:
        """The row of the image without padding at which a window starts.

        row: the row of the padded image at which the window starts.
        """
        return self.nest.insert(arith.SubiOp(row, self.above)) if self.padded else row

    def column(self, column: SSAValue) -> SSAValue:
        """The column of the image at which a window starts.

        column: the column of the padded image at which the window starts.
        """
        return self.nest.insert(arith.SubiOp(column, self.before)) if self.padded else column

    def taps(self, top: SSAValue, left: SSAValue) -> Sequence[_Taps]:
        """The taps inside the image along the rows and columns of a window; empty without padding.

        top, left: the row and the column of the image at which the window starts.
        """
        if not self.padded:
            return ()
        rows, columns = (top, self.height), (left, self.width)
        taps: list[_Taps] = []
        for size, plain, turned in zip(self.kernel, (rows, columns), (columns, rows), strict=True):
            begin, extent = (
                self.nest.insert(arith.SelectOp(self.turned, other, own))
                for other, own in zip(turned, plain, strict=True)
            )
            zero = self.nest.index(0)
            first = self.nest.insert(arith.MaxSIOp(self.nest.insert(arith.SubiOp(zero, begin)), zero))
            rest = self.nest.insert(arith.SubiOp(extent, begin))
            taps.append(_Taps(first, self.nest.insert(arith.MinSIOp(rest, self.nest.index(size)))))
        return taps


def _product(index: SSAValue, step: int | SSAValue, nest: LoopBuilder) -> SSAValue:
    return nest.times(index, step) if isinstance(step, int) else nest.insert(arith.MuliOp(index, step))
