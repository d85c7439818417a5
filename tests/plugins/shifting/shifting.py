"""The schedule `herringbone-shifting`: convolutions in place that shift pixels instead of transposing images.

Results are computed in the order of the herringbone. After each result of a column, one pixel of the image is not
needed by any further result, but lies between pixels that are needed. All pixels before it move up by one, which frees
memory at the front (Gural and Murmann 2019, section 3.4.2 and figure 5, top). The memory is that of `herringbone`. The
number of moved pixels is proportional to the square of the area of the image. For a square image, it is about an eighth
of the number of pixels of the image times that of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i16, i64
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.ops import (
    SHAPED,
    LoopBuilder,
    WindowProducts,
    flash_array,
    init_tensor_op,
    lowers_to_loops,
    tdsl,
    turn_image,
)
from tinyml.extend.schedules import Kernels, Network, Overwriting, Rewrite, Segment, Variants


class Lines(NamedTuple):
    """A run of consecutive rows or columns of the result, in the order of computation.

    lines: the number of rows or columns.
    across: the number of results per line.
    freed: the number of pixels of the image that a line frees.
    row: the number of pixels per row of the image in memory.
    read, written: the offsets of the first pixel of image and result, in pixels.
    left: the numbers of rows and columns of the result that remain before these lines are computed.
    columns: 1 if the lines are columns, 0 if they are rows.
    """

    lines: int
    across: int
    freed: int
    row: int
    read: int
    written: int
    left: tuple[int, int]
    columns: int


@irdl_op_definition
class ShiftingConv2dOp(tdsl.ContractionOp):
    """A convolution of one image in place, with strides of 1 and without padding, that shifts pixels of the image.

    `lines` contains, in the order of computation, a number of rows of the result, then a number of columns, and so on
    in turn.
    """

    name = "shifting.conv2d"
    lhs = operand_def(SHAPED)
    rhs = operand_def(SHAPED)
    addend = opt_operand_def(SHAPED)
    lines = prop_def(DenseArrayBase.constr(i64))
    assembly_format = (
        "$lhs `,` $rhs (`from` $addend^ `:` type($addend))? attr-dict `:` type($lhs) `,` type($rhs)"
        " (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"
    )

    def __init__(self, convolution: tdsl.Conv2dOp):
        lines = convolution.turns
        assert lines is not None
        addend = [] if convolution.addend is None else [convolution.addend]
        init_tensor_op(
            self, [convolution.lhs, convolution.rhs, addend], cast("TensorType", convolution.out.type), {"lines": lines}
        )
        self.attributes.update(convolution.attributes)
        for name in ("acc", "bound", "row_shifts"):
            if name in convolution.properties:
                self.properties[name] = convolution.properties[name]

    @property
    def initial(self) -> SSAValue | None:
        return self.addend

    @property
    def terms(self) -> Sequence[tdsl.Term]:
        n, y, x, o, i, j, c = map(AffineExpr.dimension, range(7))
        lhs_map, rhs_map = AffineMap(7, 0, (o, i, j, c)), AffineMap(7, 0, (n, y + i, x + j, c))
        return [tdsl.Term(self.lhs, self.rhs, tdsl.shape_of(self.lhs)[1:], lhs_map, rhs_map)]

    def infer_shape(self) -> tdsl.Shape:
        (rows, height, width, channels), image = tdsl.shape_of(self.lhs), tdsl.shape_of(self.rhs)
        if len(image) != 4 or image[0] != 1 or image[3] != channels:
            raise VerifyException(f"convolves an image 1xHxWx{channels}, got {image}")
        return 1, image[1] - height + 1, image[2] - width + 1, rows

    @property
    def line_list(self) -> list[Lines]:
        """The runs of rows and columns; raises `VerifyException` unless they cover the result."""
        (_, height, width, _), (_, rows, columns, _) = tdsl.shape_of(self.rhs), tdsl.shape_of(self.out)
        made: list[Lines] = []
        read = written = 0
        for number, count in enumerate(self.lines.get_values()):
            odd = number % 2
            across, freed = (rows, height) if odd else (columns, width)
            made.append(Lines(count, across, freed, width, read, written, (rows, columns), odd))
            read, written = read + count * freed, written + count * across
            if odd:
                width, columns = width - count, columns - count
            else:
                height, rows = height - count, rows - count
        if min(rows, columns) < 0 or rows * columns:
            raise VerifyException(f"lines leave {rows}x{columns} pixels of the result")
        return made

    def verify_more(self) -> None:
        super().verify_more()
        _ = self.line_list

    @property
    def destroyed(self) -> Sequence[SSAValue]:
        return [self.rhs]

    @property
    def visits(self) -> Sequence[tdsl.Visits]:
        """For each element of the result, the first and the last pixel of the image that are still needed before it is
        computed.
        """
        filters, channels = tdsl.shape_of(self.out)[3], tdsl.shape_of(self.rhs)[3]
        first = np.concatenate(
            [line.read + np.add.outer(np.arange(line.lines) * line.freed, np.arange(line.across)).reshape(-1)
             for line in self.line_list]
        )  # fmt: skip
        last = np.full_like(first, np.prod(tdsl.shape_of(self.rhs)[1:3]) - 1)
        pixels = np.stack([first, last], 1)[:, :, None] * channels + np.arange(channels)
        loads = np.repeat(pixels.reshape(len(first), -1), filters, 0)
        return [tdsl.Visits([(self.rhs, loads)], np.arange(len(loads)))]


class _Table:
    """A table in flash that contains the fields of `Lines` for every run. A call of the instance loads one of them."""

    COUNT, ACROSS, FREED, ROW, READ, WRITTEN, ROWS_LEFT, COLUMNS_LEFT, COLUMNS = range(9)

    def __init__(self, lines: Sequence[Lines], nest: LoopBuilder):
        self.nest = nest
        rows = [[*line[:6], *line.left, line.columns] for line in lines]
        self.values = flash_array(nest, np.array(rows, np.uint16).view(np.int16), i16, "lines")

    def __call__(self, number: SSAValue, column: int) -> SSAValue:
        return self.nest.unsigned(self.nest.load(self.values, [number, self.nest.index(column)]))


@lowers_to_loops(ShiftingConv2dOp)
def lower_by_shifting(op: ShiftingConv2dOp, nest: LoopBuilder) -> None:
    """Emit a loop over the runs of lines, and a loop that transposes their results, from the last run to the first."""
    lines = op.line_list
    table, products = _Table(lines, nest), WindowProducts(op, nest)
    channels, count, one = products.image_channels, nest.index(len(lines)), nest.index(1)

    def times(a: SSAValue, b: SSAValue) -> SSAValue:
        return nest.insert(arith.MuliOp(a, b))

    def less(a: SSAValue, b: SSAValue) -> SSAValue:
        return nest.insert(arith.SubiOp(a, b))

    def shifted(first: SSAValue, pixels: SSAValue) -> None:
        """Move the first `pixels` pixels of the remaining image up by one, beginning with the last element."""
        length, offset = nest.times(pixels, channels), nest.times(first, channels)
        end = nest.add(offset, length)

        def element(i: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            source = less(less(end, one), i)
            moved = nest.load(products.image, [source])
            nest.store(moved, products.image, [nest.add(source, nest.index(channels))])
            return []

        nest.fold(length, [], element)

    def forth(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        across, freed, row, read, written, columns = (
            table(number, column)
            for column in (_Table.ACROSS, _Table.FREED, _Table.ROW, _Table.READ, _Table.WRITTEN, _Table.COLUMNS)
        )

        def line(y: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
            begin, target = nest.add(read, times(y, freed)), nest.add(written, times(y, across))
            down = less(row, times(y, columns))
            # After each result of a column, this many more pixels remain before the pixel that is freed; 0 for rows.
            apart = times(columns, less(down, one))

            def pixel(x: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                before = times(x, apart)
                place = nest.add(begin, x)
                products.gather(nest.times(nest.add(place, before), channels), down, one)
                shifted(place, before)
                products.elements(nest.add(target, x), nest.index(0), products.filters)
                return []

            def rest(x: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
                shifted(nest.add(begin, x), times(x, apart))
                return []

            nest.fold(across, [], pixel)
            nest.fold(freed, [], rest, across)
            return []

        nest.fold(table(number, _Table.COUNT), [], line)
        return []

    def back(number: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        last = less(count, number)
        rows, columns, turned = (
            table(last, column) for column in (_Table.ROWS_LEFT, _Table.COLUMNS_LEFT, _Table.COLUMNS)
        )
        height = nest.insert(arith.SelectOp(_is_one(turned, one, nest), columns, rows))
        width = nest.insert(arith.SelectOp(_is_one(turned, one, nest), rows, columns))
        turn_image(op.out, table(last, _Table.WRITTEN), height, width, nest, products.filters)
        return []

    nest.fold(count, [], forth)
    nest.fold(count, [], back, 1)


def _is_one(value: SSAValue, one: SSAValue, nest: LoopBuilder) -> SSAValue:
    return nest.insert(arith.CmpiOp(value, one, "eq"))


@dataclass(frozen=True)
class Shifting(Variants):
    """A convolution in place in the order of the herringbone."""

    def variants(self, height: int, width: int) -> Iterator[list[int]]:
        return Variants("herringbone").variants(height, width)

    def rewrite(self, network: Network, first: int, last: int) -> Rewrite:
        function = network.ops[first][0].parent_op()
        assert function is not None
        run = super().rewrite(network, first, last)

        def rewrite(kernels: Kernels) -> str | None:
            by = run(kernels)
            for op in [op for op in function.walk() if isinstance(op, tdsl.Conv2dOp) and op.turns is not None]:
                _replace(op, ShiftingConv2dOp(op))
            return by

        return rewrite


def _replace(old: tdsl.Conv2dOp, new: ShiftingConv2dOp) -> None:
    block = old.parent_block()
    assert block is not None
    block.insert_op_before(new, old)
    new.out.name_hint = old.out.name_hint
    old.out.replace_all_uses_with(new.out)
    Operation.detach(old)
    old.erase()


class ShiftingSchedule(Overwriting):
    """A schedule that runs convolutions with strides of 1, without padding or groups, in place. All other convolutions
    run in ordinary order.
    """

    def program_segments(self, network: Network) -> Iterator[Segment]:
        for segment in super().program_segments(network):
            op = network.ops[segment.first][0]
            if segment.tiling is not self.tiling or (isinstance(op, tdsl.Conv2dOp) and _can_shift(op)):
                yield segment


def _can_shift(op: tdsl.Conv2dOp) -> bool:
    return op.group_count == 1 and op.steps == (1, 1) and not isinstance(op.rhs.owner, tdsl.PadOp)


HERRINGBONE_SHIFTING = ShiftingSchedule(
    Shifting("herringbone-shifting"), "as `herringbone`, but the image is shifted after each pixel of a column"
)

SHIFTING = Universe(all_dialects={"shifting": lambda: Dialect("shifting", [ShiftingConv2dOp])})
