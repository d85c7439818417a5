"""The number of pixels computed by one call of a kernel, limited by kernels and by memory."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.tiling.window_tiles import (
    AMPLE_MEMORY,
    MEMORY,
    TileMemory,
    Tiling,
    image_tiling,
    memory_attribute,
    memory_of,
    row_tiling,
    small_memory,
)

TARGET = "cortex-m4"
Q = "!zeroskew.q<8, {}, 0>"


def convolution(rows: int, kernel: int, channels: int, size: int, out_scale: float = 64.0) -> tdsl.Conv2dOp:
    """An unpadded convolution of an image with `size` pixels along each axis.

    rows: the number of channels of the result.
    kernel: the height and width of a window.
    channels: the number of channels of the image.
    out_scale: the scale of the result.
    """
    left = size - kernel + 1
    filter, image, out = (
        f"tensor<{shape}x{Q.format(scale)}>"
        for shape, scale in (
            (f"{rows}x{kernel}x{kernel}x{channels}", 0.5),
            (f"1x{size}x{size}x{channels}", 0.5),
            (f"1x{left}x{left}x{rows}", out_scale),
        )
    )
    text = f"""
    %F = tdsl.const dense<1> : tensor<{rows}x{kernel}x{kernel}x{channels}xi8> -> {filter}
    %x = "test.op"() : () -> {image}
    %y = tdsl.conv2d %F, %x {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}}
      : {filter}, {image} -> {out}
    """
    ctx = context()
    ctx.load_registered_dialect("test")
    module = Parser(ctx, text).parse_module()
    [op] = [op for op in module.walk() if isinstance(op, tdsl.Conv2dOp)]
    return op


def pixels_at_once(op: tdsl.Conv2dOp, memory: TileMemory = AMPLE_MEMORY) -> int:
    return row_tiling(op, TARGET, memory).pixels


def rows_at_once(op: tdsl.Conv2dOp, memory: TileMemory = AMPLE_MEMORY, *, large: bool = False) -> int:
    return image_tiling(op, TARGET, memory, large=large).rows


def test_a_row_is_one_tile_where_memory_allows():
    op = convolution(4, 3, 8, 14)
    assert pixels_at_once(op) == 12
    # Three rows of eight pixels of eight channels, six windows: equal tiles.
    assert pixels_at_once(op, TileMemory(3 * 8 * 8)) == 6
    assert pixels_at_once(op, TileMemory(3 * 4 * 8)) == 2
    assert pixels_at_once(op, TileMemory(3 * 3 * 8)) == 1
    assert row_tiling(op, HOST) == Tiling()


def test_a_limit_on_the_arena_counts_what_more_pixels_take():
    op = convolution(4, 3, 8, 14)
    # One more pixel: three more elements of eight channels, and four results.
    assert pixels_at_once(op, TileMemory(AMPLE_MEMORY.input_tile, 24 + 4)) == 2
    assert pixels_at_once(op, TileMemory(AMPLE_MEMORY.input_tile, 24 + 3)) == 1


def test_results_that_no_kernel_finishes_are_computed_one_by_one():
    assert pixels_at_once(convolution(4, 3, 8, 14, 0.25)) == 1


def test_single_pixels_are_taken_in_several_rows():
    assert rows_at_once(convolution(4, 1, 8, 14)) == 14
    assert rows_at_once(convolution(16, 1, 8, 14)) == 2
    assert rows_at_once(convolution(4, 3, 8, 14)) == 1
    assert rows_at_once(convolution(4, 1, 8, 14), TileMemory(AMPLE_MEMORY.input_tile, 0)) == 1


def test_kernels_for_several_lines_take_whole_rows():
    op = convolution(4, 3, 8, 14)
    assert rows_at_once(op, large=True) == 2
    assert rows_at_once(op) == 1
    # Four rows of fourteen pixels of eight channels, and in the arena the results but one beyond a window.
    assert [rows_at_once(op, TileMemory(bytes), large=True) for bytes in (4 * 14 * 8, 4 * 14 * 8 - 1)] == [2, 1]
    spare = 4 * 14 * 8 - 9 * 8 + (2 * 12 - 1) * 4
    assert [rows_at_once(op, TileMemory(AMPLE_MEMORY.input_tile, more), large=True) for more in (spare, spare - 1)] == [
        2,
        1,
    ]
    assert rows_at_once(convolution(4, 3, 8, 3), large=True) == 1
    assert rows_at_once(convolution(4, 5, 8, 14), large=True) == 1


def test_a_tiling_names_the_kernel_of_each_part():
    whole = image_tiling(convolution(4, 3, 8, 14), TARGET, large=True)
    assert (whole.pixels, whole.rows, [*whole.tiles]) == (12, 2, [(2, 12), (1, 12)])
    # Usual kernels compute both lines one after the other.
    assert {tile.extents for tile in whole.tiles.values()} == {(1, 12, 4)}
    pixels = image_tiling(convolution(16, 1, 8, 14), TARGET, large=True)
    assert [*pixels.tiles] == [(2, 14)]
    assert pixels.tiles[2, 14].extents == (1, 28, 16)
    pixels.tiles[2, 14].verify_windows(1, 8, 0, 8)
    # Eight windows, and a rest of three.
    row = row_tiling(convolution(4, 3, 8, 13), TARGET, TileMemory(3 * 10 * 8))
    assert {part: tile.extents for part, tile in row.tiles.items()} == {(1, 8): (1, 8, 4), (1, 3): (1, 3, 4)}


def test_a_small_memory_leaves_the_stack_of_the_greatest_kernel():
    small, great = convolution(4, 3, 8, 14), convolution(4, 3, 28, 14)
    rooms = [small_memory(ops, TARGET).input_tile for ops in ([], [small], [great, small])]
    assert rooms == sorted(rooms, reverse=True)
    assert rooms[1] - rooms[2] == 4 * 9 * (28 - 8)


@pytest.mark.parametrize("room", [TileMemory(100), TileMemory(100, 7)])
def test_a_room_is_an_attribute_of_an_op(room: TileMemory):
    op = convolution(4, 3, 8, 14)
    assert memory_of(op) is None
    op.attributes[MEMORY] = memory_attribute(room)
    assert memory_of(op) == room


def test_lines_have_as_small_tiles_as_cost_no_more():
    """If the kernel computes two windows at once, a line is computed in tiles of two pixels, since larger tiles would
    save hardly any time.
    """
    fixed, wide = "!fixed.q<8, 4>", "!fixed.acc<24, 12>"
    text = f"""
    %F = tdsl.const dense<1> : tensor<128x1x1x64xi8> -> tensor<128x1x1x64x!fixed.q<8, 8>>
    %x = "test.op"() : () -> tensor<1x1x16x64x{fixed}>
    %y = tdsl.conv2d %F, %x {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64,
      acc = {wide}, bound = array<i64: -1048576, 1048576>}}
      : tensor<128x1x1x64x!fixed.q<8, 8>>, tensor<1x1x16x64x{fixed}> -> tensor<1x1x16x128x{fixed}>
    """
    ctx = context()
    ctx.load_registered_dialect("test")
    [op] = [op for op in Parser(ctx, text).parse_module().walk() if isinstance(op, tdsl.Conv2dOp)]
    tiling = image_tiling(op, TARGET)
    assert (tiling.pixels, [*tiling.tiles]) == (2, [(1, 2)])
