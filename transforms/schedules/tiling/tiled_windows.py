"""Loops over the pixels of a convolution, each a product of matrices, in place of the op (`tile-windows`)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.tiling.axis_orders import written
from tinyml.transforms.schedules.tiling.convolution_pixels import ConvolutionPixels
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.padding import padding
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.tiling.window_tiles import AMPLE, TileMemory, image_tiling, memory_of


def tile_convolution(op: tdsl.Conv2dOp, target: str, *, limited: bool, large: bool) -> None:
    """Rewrite a convolution of a single image, unless it runs in place, in tiles, or as one window of grouped channels.

    limited: true if there is a limit on memory; tiles then take what `plan-execution` leaves. large: as in
    `image_tiling`.
    """
    single = tdsl.shape_of(op.rhs)[0] == 1
    done = op.turns is not None or op.tile is not None or _is_window(op)
    if op.result is not None and single and not done:
        usual = TileMemory(AMPLE.input_tile, 0) if limited else AMPLE
        _tile(op, target, memory_of(op) or usual, large=large)


def _is_window(op: tdsl.Conv2dOp) -> bool:
    """True for a single window of grouped channels."""
    return op.group_count > 1 and tdsl.shape_of(op.lhs)[1:3] == tdsl.shape_of(op.rhs)[1:3] and padding(op.rhs) is None


def _tile(op: tdsl.Conv2dOp, target: str, memory: TileMemory, *, large: bool) -> None:
    tiling = image_tiling(op, target, memory, large=large)
    chain = _chain(op)
    last = chain[-1] if chain else op
    emit = TensorBuilder(last, op.location)
    pixels = ConvolutionPixels(op, chain, emit, tiling=tiling)
    _, height, width, _ = tdsl.shape_of(op.out)
    image = StoredImage.empty(last.out, height, width, emit, op)

    def computed(y: SSAValue, whole: SSAValue, rows: int) -> SSAValue:
        return pixels.row(y, image.now(whole), StoredImage.whole, rows).value

    rows, (times, rest) = tiling.rows, divmod(height, tiling.rows)
    whole = emit.over(times, image.value, lambda number, whole: computed(emit.times(number, rows), whole, rows))
    if rest:
        whole = emit.over(rest, whole, lambda y, whole: computed(emit.plus(y, height - rest), whole, 1))
    returned = written(last.out)
    (last if returned is None else returned).out.replace_all_uses_with(whole)
    erase([op, *chain, *([] if returned is None else [returned])])


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
    """A predicate that is true for operands with pixels like the result's, or the same values for all pixels."""
    shape = tdsl.shape_of(op.out)
    return lambda value: tdsl.shape_of(value) == shape or prod(tdsl.shape_of(value)[:-1]) == 1
