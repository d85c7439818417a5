"""`tile-windows`: turns convolutions into loops over the pixels of their results, with a matrix product for each pixel
(L1).

The window of each pixel is gathered from the image, including padding. Neither a padded image nor a matrix of all
windows is stored. Only one window is stored, and none if the elements of the window are contiguous in the image. The
filter is then a matrix, and all optimisations of matrix products apply. Elementwise ops after a convolution run in the
same loops, pixel by pixel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.tdsl.window_axis import WindowAxis
from tinyml.targets.registry import HOST
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.schedules.tiling.axis_orders import gathered, written
from tinyml.transforms.schedules.tiling.convolution_pixels import ConvolutionPixels, applied
from tinyml.transforms.schedules.tiling.erasure import erase
from tinyml.transforms.schedules.tiling.padding import margins_of, padding
from tinyml.transforms.schedules.tiling.stored_image import StoredImage
from tinyml.transforms.schedules.tiling.tensor_builder import TensorBuilder
from tinyml.transforms.schedules.tiling.window_tiles import (
    AMPLE_MEMORY,
    ROWS_BYTES,
    TileMemory,
    image_tiling,
    memory_of,
)


@dataclass(frozen=True)
class TileWindowsPass(ConditionalPass):
    """Replace every `tdsl.conv2d` of a single image by a loop over pixels.

    The loop includes the padding before the convolution and the elementwise ops after it. An image one pixel wide
    becomes a row of the same number of pixels if only tiles along a row have kernels. Convolutions in place (`turns`)
    are unchanged. An elementwise op moves into the loop if it is the only reader of the previous result, and if its
    other operands are tensors of the same shape, numbers per channel or single numbers.

    target: as for printing C; its kernels determine how many pixels are computed at once.
    ram: a limit in bytes, by default the limit of a search (`tdsl.ram`). With a limit, as many pixels are computed at
        once as fit in the memory that `plan-execution` leaves free.
    flash: with a limit, `spend-flash` may choose kernels that process several rows at once. Windows for such kernels
        are gathered, which needs more memory even if no such kernel is chosen.

    Raises `InputError` for an unknown target.
    """

    name = "tile-windows"
    ACTS_ON = (tdsl.Conv2dOp,)
    target: str = HOST
    ram: int | None = None
    flash: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            convolutions = [inner for inner in function.walk() if isinstance(inner, tdsl.Conv2dOp)]
            if not convolutions:
                continue
            limited = self.ram is not None or tdsl.RAM in function.attributes
            for convolution in convolutions:
                tile_convolution(convolution, self.target, limited=limited, large=self.flash is not None)


def tile_convolution(op: tdsl.Conv2dOp, target: str, *, limited: bool, large: bool) -> None:
    """Replace a convolution of a single image by loops over its pixels.

    Some convolutions are unchanged: convolutions that run in place or in tiles, convolutions with one window of
    grouped channels, convolutions whose initial sums differ from pixel to pixel, and convolutions whose bound can only
    be proven because the image is constant.

    limited: whether there is a limit on memory; tiles then use the memory that `plan-execution` leaves.
    large: as in `image_tiling`.
    """
    single = tdsl.shape_of(op.rhs)[0] == 1 and op.is_bounded_by_parts(op.rhs)
    done = op.turns is not None or op.tile is not None or _is_window(op)
    by_channel = op.initial is None or prod(tdsl.shape_of(op.initial)[:-1]) == 1
    if op.result is not None and single and by_channel and not done:
        usual = TileMemory(AMPLE_MEMORY.input_tile, 0) if limited else AMPLE_MEMORY
        _tile(*_along_image(op, target, memory_of(op) or usual, large=large), target, large=large)


def _is_window(op: tdsl.Conv2dOp) -> bool:
    return op.group_count > 1 and tdsl.shape_of(op.lhs)[1:3] == tdsl.shape_of(op.rhs)[1:3] and padding(op.rhs) is None


_PARTS, _LEAST_WINDOWS = (4, 3, 2), 4
"""The number of parts of an image one pixel wide, each gathered at once, and the minimum windows of a part.

Larger parts need more memory and hardly less time.
"""


def _along_image(
    op: tdsl.Conv2dOp, target: str, memory: TileMemory, *, large: bool
) -> tuple[tdsl.Conv2dOp, TileMemory]:
    """Convert the convolution of an image one pixel wide to the convolution of a row. Return the new convolution and
    the memory for its tiles.

    The two images have the same elements in memory. In four cases, `op` and `memory` are returned: for any other image,
    for an image in an unusual order of axes, if tiles compute pixels of the given convolution, and if no tile computes
    pixels of the row.

    large: as in `image_tiling`.
    """
    pad, chain = padding(op.rhs), _chain(op)
    image, last = op.rhs if pad is None else pad.input, chain[-1] if chain else op
    (_, height, width, channels), (filters, taps, _, length) = tdsl.shape_of(image), tdsl.shape_of(op.lhs)
    in_usual_order = gathered(image) is None and written(last.out) is None
    one_wide = width == tdsl.shape_of(op.rhs)[2] == 1 < height
    if not (one_wide and in_usual_order) or image_tiling(op, target, memory, large=large).tiles:
        return op, memory
    emit = TensorBuilder(last, op.location)
    row = emit.reshaped(image, (1, 1, height, channels))
    if pad is not None:
        above, below, *_ = margins_of(pad)
        row = emit.insert(tdsl.PadOp(row, (0, 0, above, 0), (0, 0, below, 0), pad.filling), pad)
    weights = emit.reshaped(op.lhs, (filters, 1, taps, length))
    (down, _), (apart, _), element = op.steps, op.spread, tdsl.format_of(op.out).type
    along = tdsl.Conv2dOp(weights, row, (1, down), (1, apart), op.group_count, op.initial, element)
    along.acc, along.bound, along.row_shifts = op.acc, op.bound, op.row_shifts
    along.attributes |= op.attributes
    emit.insert(along, op).name_hint = op.out.name_hint
    part = _part_of_image(along, target, memory, large=large)
    if part is None:
        erase([along])
        return op, memory

    def same_pixels(operand: SSAValue) -> SSAValue | None:
        same = tdsl.shape_of(operand) == tdsl.shape_of(op.out)
        return emit.reshaped(operand, _turned(operand)) if same else None

    result = applied(chain, op.out, along.out, same_pixels, emit)
    last.out.replace_all_uses_with(emit.reshaped(result, tdsl.shape_of(last.out)))
    erase([op, *chain])
    return along, part


def _part_of_image(op: tdsl.Conv2dOp, target: str, memory: TileMemory, *, large: bool) -> TileMemory | None:
    """The memory for equal tiles of an image one pixel high. None if no tile computes its pixels.

    Without a limit on memory, unequal tiles are used if there are no equal tiles. Unequal tiles leave pixels that
    are computed after the loop, so that the result cannot overwrite the image.

    large: as in `image_tiling`.
    """
    (_, _, taps, _), pixels = tdsl.shape_of(op.lhs), tdsl.shape_of(op.out)[2]
    (_, across), (_, apart), channels = op.steps, op.spread, tdsl.shape_of(op.rhs)[3]
    # Results of windows of a single pixel may overwrite operands tile by tile.
    spare = memory.spare if taps > 1 else min(ROWS_BYTES, ROWS_BYTES if memory.spare is None else memory.spare)
    uneven: TileMemory | None = None
    for parts in _PARTS:
        count = max(-(-pixels // parts), _LEAST_WINDOWS)
        gathered_pixels = count * taps if apart > 1 else WindowAxis(taps, across).span(count)
        part = TileMemory(min(memory.input_tile, gathered_pixels * channels), spare)
        if (tiling := image_tiling(op, target, part, large=large)).tiles:
            if pixels % tiling.pixels == 0:
                return part
            uneven = uneven or part
    return uneven if memory.spare is None else None


def _turned(image: SSAValue) -> tdsl.Shape:
    number, height, width, channels = tdsl.shape_of(image)
    return number, width, height, channels


def _tile(op: tdsl.Conv2dOp, memory: TileMemory, target: str, *, large: bool) -> None:
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
    """The elementwise ops after a convolution, each of which is the only reader of the previous result."""
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
    """A predicate that is true for operands with the same pixels as the result, and for operands with equal values
    for all pixels.
    """
    shape = tdsl.shape_of(op.out)
    return lambda value: tdsl.shape_of(value) == shape or prod(tdsl.shape_of(value)[:-1]) == 1
