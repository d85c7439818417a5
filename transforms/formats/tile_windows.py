"""`tile-windows`: convolutions become loops over the pixels of their results, each a product of matrices.

A window of the image is gathered for each pixel, padding included, so that no padded image and no matrix of all windows
lies in memory: only one window does, and none where its elements lie one after the other in the image. The filter is
then a matrix, whose product with the window has all that products of matrices have. Elementwise ops behind a
convolution follow in the same loops, pixel by pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import tdsl
from tinyml.transforms.ir.offsets import is_run


@dataclass(frozen=True)
class TileWindowsPass(ModulePass):
    """Rewrites every `tdsl.conv2d` of a single image, with the padding before and the elementwise ops behind it.

    The latter are absorbed as long as each is the only reader of the one before, and reads besides only tensors of the
    same shape, numbers per channel and single numbers.
    """

    name = "tile-windows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for convolution in [inner for inner in op.walk() if isinstance(inner, tdsl.Conv2dOp)]:
            if convolution.result is not None and tdsl.shape_of(convolution.rhs)[0] == 1:
                _Tiling(convolution).rewrite()


class _Tiling:
    """The rewriting of one convolution.

    chain: the elementwise ops behind it that are absorbed, in order. pad: the padding before it.
    """

    def __init__(self, op: tdsl.Conv2dOp):
        self.op = op
        self.shape = tdsl.shape_of(op.out)
        self.chain = _chain(op)
        self.last = self.chain[-1] if self.chain else op
        self.pad = _padding(op.rhs)
        self.image = op.rhs if self.pad is None else self.pad.input
        self.build = Builder(InsertPoint.before(self.last))

    def rewrite(self) -> None:
        self.filter = self._filter()
        initial = self.op.initial
        self.initial = None if initial is None else self._reshaped(initial, (prod(tdsl.shape_of(initial)), 1))
        whole = self._insert(tensor.EmptyOp((), self.last.out.type))
        whole.name_hint = self.last.out.name_hint
        _, height, width, _ = self.shape
        whole = self._over(
            height, whole, lambda y, rows: self._over(width, rows, lambda x, pixels: self._pixel(y, x, pixels))
        )
        dead: list[Operation] = [*reversed(self.chain), self.op]
        Rewriter.replace_op(dead[0], [], [whole])
        for op in [*dead[1:], *(owner for owner in (self.op.lhs.owner, self.pad) if isinstance(owner, Operation))]:
            if not any(result.uses for result in op.results):
                Rewriter.erase_op(op)

    def _insert(self, op: Operation, like: Operation | None = None) -> SSAValue:
        op.location = (like or self.op).location
        return self.build.insert(op).results[0]

    def _index(self, value: int) -> SSAValue:
        return self._insert(arith.ConstantOp(IntegerAttr(value, IndexType())))

    def _reshaped(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tensor in another shape; a constant as another constant."""
        if tdsl.shape_of(value) == tuple(shape):
            return value
        if isinstance(constant := value.owner, tdsl.ConstOp) and value.has_one_use():
            new = constant.with_raws(constant.raws.reshape(shape), tdsl.format_of(value))
            Rewriter.insert_op(new, InsertPoint.before(constant))
            return new.result
        reshaped = self._insert(tdsl.ReshapeOp(value, shape))
        reshaped.name_hint = value.name_hint
        return reshaped

    def _filter(self) -> SSAValue:
        """The filter as a matrix, unless channels are convolved in groups."""
        rows, *each = tdsl.shape_of(self.op.lhs)
        return self._reshaped(self.op.lhs, (rows, prod(each))) if self.op.group_count == 1 else self.op.lhs

    def _over(self, extent: int, whole: SSAValue, body: Callable[[SSAValue, SSAValue], SSAValue]) -> SSAValue:
        """A loop that carries the result; none for a single iteration."""
        if extent == 1:
            return body(self._index(0), whole)
        ends = self._index(0), self._index(extent), self._index(1)
        block = Block(arg_types=[IndexType(), whole.type])
        block.args[1].name_hint = whole.name_hint
        outer, self.build = self.build, Builder(InsertPoint.at_end(block))
        self.build.insert(scf.YieldOp(body(*block.args)))
        self.build = outer
        result = self._insert(scf.ForOp(*ends, [whole], block))
        result.name_hint = whole.name_hint
        return result

    def _pixel(self, y: SSAValue, x: SSAValue, whole: SSAValue) -> SSAValue:
        """The result with one pixel inserted."""
        at = [self._index(0), y, x, self._index(0)]
        pixel = self._product(self._window(y, x))
        pixel.name_hint = self.op.out.name_hint
        previous: SSAValue = self.op.out
        for step in self.chain:
            values = {previous: pixel}
            for operand in step.inputs:
                if operand is not previous and tdsl.shape_of(operand) == self.shape:
                    values[operand] = self._insert(tdsl.SliceOp(operand, at, tdsl.shape_of(pixel)))
            copy = step.clone(value_mapper=values)
            type = TensorType(tdsl.format_of(step.out).type, tdsl.shape_of(pixel))
            pixel = Rewriter.replace_value_with_new_type(self._insert(copy, step), type)
            pixel.name_hint, previous = step.out.name_hint, step.out
        return self._insert(tdsl.InsertSliceOp(pixel, whole, at))

    def _window(self, y: SSAValue, x: SSAValue) -> SSAValue:
        """The part of the image under the filter, at a pixel of the result."""
        _, height, width, _ = tdsl.shape_of(self.op.lhs)
        shape, image = (1, height, width, tdsl.shape_of(self.image)[3]), tdsl.shape_of(self.image)
        top, bottom, left, right = _margins(self.pad)
        down, across = self._place(y, self.op.steps[0], top), self._place(x, self.op.steps[1], left)
        adjacent = all(extent == 1 or gap == 1 for extent, gap in zip((height, width), self.op.spread, strict=True))
        if self.pad is None and adjacent and is_run(image, shape):
            return self._insert(tdsl.SliceOp(self.image, [self._index(0), down, across, self._index(0)], shape))
        filling = 0.0 if self.pad is None else self.pad.filling
        margins = top, bottom, left, right
        window = self._insert(
            tdsl.WindowOp(self.image, down, across, (height, width), self.op.spread, margins, filling)
        )
        window.name_hint = "window"
        return window

    def _place(self, index: SSAValue, step: int, before: int) -> SSAValue:
        """Where a window begins along an axis of the image."""
        if step != 1:
            index = self._insert(arith.MuliOp(index, self._index(step)))
        return self._insert(arith.SubiOp(index, self._index(before))) if before else index

    def _product(self, window: SSAValue) -> SSAValue:
        """The pixel of the result before elementwise ops, of shape 1x1x1xO."""
        op, element = self.op, tdsl.format_of(self.op.out).type
        if op.group_count > 1:
            new = tdsl.Conv2dOp(self.filter, window, (1, 1), (1, 1), op.group_count, op.initial, element)
        else:
            column = self._reshaped(window, (prod(tdsl.shape_of(window)), 1))
            if self.initial is None:
                new = tdsl.MatmulOp(self.filter, column, element)
            else:
                new = tdsl.MatmulSumOp([(self.filter, column)], self.initial, element)
        new.acc, new.bound, new.row_shifts = op.acc, op.bound, op.row_shifts
        result = self._insert(new)
        result.name_hint = op.out.name_hint
        return self._reshaped(result, (1, 1, 1, self.shape[3]))


def _padding(image: SSAValue) -> tdsl.PadOp | None:
    """The padding that makes an image, if it only lies around height and width."""
    pad = image.owner
    if not isinstance(pad, tdsl.PadOp):
        return None
    (first, _, _, last) = pad.margins
    return None if any((*first, *last, *pad.gaps)) else pad


def _margins(pad: tdsl.PadOp | None) -> tuple[int, int, int, int]:
    """The padding above, below, on the left and on the right."""
    if pad is None:
        return 0, 0, 0, 0
    _, down, across, _ = pad.margins
    return *down, *across


def _chain(op: tdsl.Conv2dOp) -> list[tdsl.ElementwiseOp]:
    """The elementwise ops that follow a convolution pixel by pixel, each the only reader of the one before."""
    chain: list[tdsl.ElementwiseOp] = []
    value: SSAValue = op.out
    while len({use.operation for use in value.uses}) == 1:
        [user] = {use.operation for use in value.uses}
        if not isinstance(user, tdsl.ElementwiseOp) or user.parent is not op.parent:
            break
        if tdsl.shape_of(user.out) != tdsl.shape_of(op.out) or not all(map(_by_pixel(op), user.inputs)):
            break
        chain.append(user)
        value = user.out
    return chain


def _by_pixel(op: tdsl.Conv2dOp) -> Callable[[SSAValue], bool]:
    """Does an operand consist of pixels like the result's, or is it the same for all of them?"""
    shape = tdsl.shape_of(op.out)
    return lambda value: tdsl.shape_of(value) == shape or prod(tdsl.shape_of(value)[:-1]) == 1
