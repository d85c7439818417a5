"""Fragments that composers share: lines of assembly, loops with known iterations, rows in blocks."""

import numpy as np
import pytest

from tinyml.targets.c.composer.requantised import Factors, doubled
from tinyml.targets.composer.lines import instructions, joined, statement
from tinyml.targets.composer.repeated import Repeated, balanced
from tinyml.targets.composer.row_blocks import RowBlocks
from tinyml.targets.tiles import Sums, Tile


def test_instructions_are_lines_without_labels():
    lines = joined("1:", ("nop", "nop"), "bne 1b")
    assert instructions(lines) == 3
    assert statement(lines).count("\\n\\t") == len(lines) - 1


def test_a_loop_runs_through_its_lines_several_times():
    code = Repeated.once(("step", "step")).then(("last",))
    loop = code.looped(("begin",), ("test", "back"), 5, 3)
    assert loop.lines == ("begin", "3:", "step", "step", "last", "test", "back")
    assert loop.time == 1 + 5 * 5
    assert code.looped((), ("leave", "back"), 5, 3, skipped=1).time == 5 * 5 - 1
    assert code.looped(("begin",), ("test", "back"), 1, 3) == code


@pytest.mark.parametrize(
    ("count", "groups"),
    [(1, [(1, 1)]), (4, [(1, 4)]), (5, [(1, 3), (1, 2)]), (12, [(3, 4)]), (14, [(2, 4), (2, 3)]), (9, [(3, 3)])],
)
def test_groups_differ_by_one_at_most(count: int, groups: list[tuple[int, int]]):
    assert balanced(count, 4) == groups


def test_multipliers_are_doubled_to_signed_integers():
    assert (doubled(1 << 30), doubled((1 << 31) - 1)) == (-(1 << 31), -2)
    assert Factors(is_doubled=True, less=1).right(-3) == 2
    assert Factors(is_doubled=False, less=0).multiplier(1 << 30) == 1 << 30


def test_what_follows_the_weights_of_a_block_is_aligned():
    for length in range(1, 6):
        blocks = RowBlocks(Tile(4, 1, length, 0, length, 1, 0), [(1, 4)], Factors(is_doubled=True, less=1), True)
        assert [(rows * length + blocks.gap(rows)) % 4 for rows in range(1, 5)] == [0] * 4
        assert max(map(blocks.gap, range(1, 5))) < 4


def test_rows_of_a_block_stand_element_by_element_or_one_by_one():
    sums = Sums(np.arange(6).reshape(2, 3), np.array([1, 2]), np.array([1 << 30] * 2), np.array([-1, -9]))
    tile, factors = Tile(2, 1, 3, 0, 3, 1, 0), Factors(is_doubled=True, less=1)
    for by_element, weights in ((True, [0, 3, 1, 4, 2, 5]), (False, [0, 1, 2, 3, 4, 5])):
        blocks = RowBlocks(tile, [(1, 2)], factors, by_element)
        stream = blocks.stream(sums)
        assert stream[:8].view("<i4").tolist() == [1, 2]
        assert stream[8:16].tolist() == [*weights, 0, 0]
        assert stream[16:24].view("<i4").tolist() == [-(1 << 31)] * 2
        assert stream[24:].tolist() == [0, 8, 0, 0]
        assert blocks.bytes(1) == blocks.block_bytes(2) == stream.size
