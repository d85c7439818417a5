"""Fragments that composers share: lines of assembly, loops with known iterations, blocks of rows."""

import numpy as np
import pytest

from tinyml.targets.composer.instructions import (
    Instruction,
    LocalLabel,
    Repeated,
    balanced,
    instructions,
    joined,
    printed,
    statement,
)
from tinyml.targets.composer.weight_streams import (
    BY_ELEMENT,
    BY_ROW,
    DOUBLED,
    MULTIPLIER,
    RIGHT,
    RIGHT_LESS_1,
    ROW,
    Weights,
    doubled,
    in_powers_of_two,
    row_blocks,
)
from tinyml.targets.tiles import Sums, Tile

BEGIN, STEP, LAST, TEST, BACK = (Instruction(name, name) for name in ("begin", "step", "last", "test", "back"))


def test_instructions_are_lines_without_labels():
    lines = joined(LocalLabel(1), (STEP, STEP), TEST)
    assert instructions(lines) == 3
    assert statement(printed(lines)).count("\\n\\t") == len(lines) - 1


def test_a_loop_runs_through_its_lines_several_times():
    code = Repeated.once((STEP, STEP)).then((LAST,))
    loop = code.looped((BEGIN,), (TEST, BACK), 5, 3)
    assert printed(loop.lines) == ("begin", "3:", "step", "step", "last", "test", "back")
    assert loop.time == 1 + 5 * 5
    assert code.looped((), (TEST, BACK), 5, 3, skipped=1).time == 5 * 5 - 1
    assert code.looped((BEGIN,), (TEST, BACK), 1, 3) == code


@pytest.mark.parametrize(
    ("count", "groups"),
    [(1, [(1, 1)]), (4, [(1, 4)]), (5, [(1, 3), (1, 2)]), (12, [(3, 4)]), (14, [(2, 4), (2, 3)]), (9, [(3, 3)])],
)
def test_groups_differ_by_one_at_most(count: int, groups: list[tuple[int, int]]):
    assert balanced(count, 4) == groups


def test_multipliers_are_doubled_to_signed_integers():
    assert (doubled(1 << 30), doubled((1 << 31) - 1)) == (-(1 << 31), -2)
    sums = Sums(np.array([[0]]), np.array([0]), np.array([1 << 30]), np.array([-3]))
    assert [RIGHT.stored(sums).tolist(), RIGHT_LESS_1.stored(sums).tolist()] == [[[3]], [[2]]]
    assert MULTIPLIER.stored(sums).view("<i4").tolist() == [[1 << 30]]


@pytest.mark.parametrize(
    ("order", "bytes", "stored"),
    [
        ((ROW, 1), 1, [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17]),
        ((1, ROW), 1, [0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17]),
        ((4, ROW, 1), 1, [0, 1, 2, 3, 10, 11, 12, 13, 4, 5, 6, 7, 14, 15, 16, 17]),
        ((4, ROW, 1, 2), 1, [0, 2, 1, 3, 10, 12, 11, 13, 4, 6, 5, 7, 14, 16, 15, 17]),
        ((4, 1, ROW, 2), 2, [0, 2, 10, 12, 1, 3, 11, 13, 4, 6, 14, 16, 5, 7, 15, 17]),
    ],
)
def test_an_order_of_weights_gives_bytes_and_their_offsets_in_c(order: tuple[int, ...], bytes: int, stored: list[int]):
    weights, zeros = np.array([range(8), range(10, 18)]), np.array([0, 0])
    sums = Sums(zeros, zeros, zeros, zeros)
    field = Weights("weights", elements=8, order=order, bytes=bytes)
    assert field.stored(sums, weights).view(f"<i{bytes}").tolist() == stored
    for rows in (2, "rows"):
        offset = field.in_c("at", "row", rows).partition("[")[2].partition("]")[0].replace("/", "//")
        names = ({"at": at, "row": row, "rows": 2} for row in range(2) for at in range(8))
        assert [stored[eval(offset, values) // bytes] for values in names] == weights.reshape(-1).tolist()


def test_rows_of_a_block_have_numbers_at_known_offsets():
    sums = Sums(np.arange(6).reshape(2, 3), np.array([1, 2]), np.array([1 << 30] * 2), np.array([-1, -9]))
    tile = Tile(2, 1, 3, 0, 3, 1, 0)
    for order, weights in ((BY_ELEMENT, [0, 3, 1, 4, 2, 5]), (BY_ROW, [0, 1, 2, 3, 4, 5])):
        blocks = row_blocks(tile, [(1, 2)], (DOUBLED, RIGHT_LESS_1), order)
        stream = blocks.stream(sums)
        assert stream[:8].view("<i4").tolist() == [1, 2]
        assert stream[8:16].tolist() == [*weights, 0, 0]
        assert stream[16:24].view("<i4").tolist() == [-(1 << 31)] * 2
        assert stream[24:].tolist() == [0, 8, 0, 0]
        assert blocks.bytes(1) == blocks.block_bytes(2) == stream.size
        assert [blocks.offset("right", 2, 1), blocks.weights_end(2), blocks.end("right", 2)] == [25, 14, 28]


@pytest.mark.parametrize(
    ("rows", "groups"), [(3, [(1, 2), (1, 1)]), (8, [(1, 8)]), (23, [(2, 8), (1, 4), (1, 2), (1, 1)])]
)
def test_rows_that_fill_no_block_go_by_powers_of_two(rows: int, groups: list[tuple[int, int]]):
    assert in_powers_of_two(rows, 8) == groups
