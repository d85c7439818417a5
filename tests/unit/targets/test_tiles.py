"""Sums that kernels for tiles finish: their proofs, starts that take the place of others, and tiles that are code."""

import re
from dataclasses import replace

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.coded_tiles import CodedTile
from tinyml.targets.registry import tile_coders, tile_families
from tinyml.targets.tiles import Sums, Tile

LIMIT = 1 << 30


def sums(starts: list[int], weights: list[int], shift: int = -8) -> Sums:
    """A row for each start, with a weight."""
    rows = len(starts)
    return Sums(
        np.array(weights).reshape(rows, 1), np.array(starts), np.full(rows, 1 << 30), np.full(rows, shift, np.int64)
    )


def test_a_sum_reaches_its_start_and_all_products():
    assert sums([-5, 5], [-100, 2]).reach.tolist() == [12800, 256]
    assert sums([LIMIT - 129], [1]).within(LIMIT)
    assert not sums([128 - LIMIT], [-1]).within(LIMIT)


def test_a_far_start_moves_nearer_where_all_its_sums_give_the_same_byte():
    far = sums([1 << 30, -(1 << 30), 7], [3, 100, 100])
    near = far.nearer(LIMIT, 0)
    assert near is not None
    assert near.starts.tolist() == [LIMIT - 1 - 384, 12801 - LIMIT, 7]
    assert near.within(LIMIT)
    assert near.weights is far.weights


@pytest.mark.parametrize(
    "kept",
    [
        # Bytes that differ, products that exceed the limit themselves, and sums that leave 32 bits.
        sums([1 << 30], [100], shift=-30),
        sums([0], [1 << 24]),
        sums([(1 << 31) - 100], [1]),
    ],
)
def test_another_start_would_give_other_bytes(kept: Sums):
    assert kept.nearer(LIMIT, 0) is None


def test_each_instruction_set_has_its_limit():
    limits = {
        target: {family.limit for family in tile_families(target)} for target in ("cortex-m0", "cortex-m4", "uno")
    }
    assert limits == {"cortex-m0": {LIMIT}, "cortex-m4": {(1 << 31) - 256}, "uno": {1 << 23}}
    far = sums([1 << 23], [1])
    for family in tile_families("uno"):
        near = family.bounded(far, 0)
        # Sums that are shifted keep their starts.
        assert near is None if family.shifts else near is not None and near.within(1 << 23)


@pytest.mark.parametrize(
    "tile", [Tile(4, 3, 48, 96, 16, 8, -5), Tile(4, 3, 48, 96, 16, 8, 127, 9, 1), Tile(1, 1, 4, 0, 4, 2, 0, 0, 2)]
)
def test_a_tile_has_one_name(tile: Tile):
    assert Tile.named(tile.suffix) == tile


@pytest.mark.parametrize("suffix", ["04_1_4_0_4_1_125", "4_1_4_0_4_1_125_0", "4_1_4_0_4_1_125_9_1", "٤_1_4_0_4_1_125"])
def test_other_spellings_name_no_tile(suffix: str):
    assert Tile.named("4_1_4_0_4_1_125") is not None
    assert Tile.named(suffix) is None


@pytest.mark.parametrize("target", ["uno", "cortex-m0", "cortex-m4", "riscv"])
def test_nothing_has_no_kernel(target: str):
    for family in (family for large in (False, True) for family in tile_families(target, large=large)):
        for suffix in ("0_0_0_0_0_0_125", "4_3_0_0_0_4_125", "4_3_12_96_4_0_125", "4_3_12_96_4_8_125_0_0"):
            assert family.named(family.prefix + suffix) is None


def coded(rows: int, apart: int) -> CodedTile:
    ones = np.ones(rows, np.int64)
    return CodedTile(np.full((rows, 1, 3), 7), ones, ones << 30, -ones, 0, apart, 2, 0, apart)


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m4"])
def test_a_coder_has_kernels_of_its_own_kind_only(target: str):
    """A tile of a single row is of both kinds."""
    for coder in tile_coders(target):
        kinds = {(rows, apart): coder.kernel(coded(rows, apart)) for rows, apart in ((2, 1), (2, 2), (1, 1))}
        by_channel = coder.family.channels
        assert [kernel is not None for kernel in kinds.values()] == [not by_channel, by_channel, True]


def test_a_kernel_that_is_code_is_composed_once():
    for coder in tile_coders("cortex-m0"):
        assert coder.kernel(coded(1, 1)) is coder.kernel(CodedTile.of(coded(1, 1).attribute))


def test_a_tile_that_is_code_has_weights():
    tile = replace(coded(2, 1), weights=np.zeros((2, 3, 0), np.int64))
    with pytest.raises(VerifyException, match=re.escape("at least one weight, got the shape (2, 3, 0)")):
        CodedTile.of(tile.attribute)
