"""Sums of tile kernels that also requantise: proofs about halves and limits, initial values, and tiles as code."""

import re
from dataclasses import astuple, replace

import numpy as np
import pytest
from programs import kernel_models
from programs.kernel_tables import kernels_of, tile_coders, tile_families
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.layouts.coded_rows import CodedTile
from tinyml.dialects.num import TileKernelAttr
from tinyml.targets.registry import known_kernel
from tinyml.targets.tiles import Sums, Tile

LIMIT = 1 << 30


def sums(starts: list[int], weights: list[int], shift: int = -8) -> Sums:
    """Sums of one product each. Row i has the initial value `starts[i]` and the weight `weights[i]`.

    shift: the shift of the requantisation, whose multiplier is 2^30.
    """
    rows = len(starts)
    return Sums(
        np.array(weights).reshape(rows, 1), np.array(starts), np.full(rows, 1 << 30), np.full(rows, shift, np.int64)
    )


def test_a_sum_reaches_its_start_and_all_products():
    assert sums([-5, 5], [-100, 2]).reach.tolist() == [12800, 256]
    assert sums([LIMIT - 129], [1]).within(LIMIT)
    assert not sums([128 - LIMIT], [-1]).within(LIMIT)


def test_a_sum_has_halves_at_multiples_of_a_power_of_two():
    """With the factor 3 * 2^29 / 2^33, a sum is halfway between two results if it is an odd multiple of 8. A row of one
    such sum has halves; rows with the sums 0 and 7 have none.
    """
    rows = replace(sums([0], [0], shift=-2), multipliers=np.array([3 << 29]), to_even=True)
    halves = {start: replace(rows, starts=np.array([start])).has_halves for start in (0, 7, 8, -8, -7)}
    assert halves == {0: False, 7: False, 8: True, -8: True, -7: False}


def test_only_families_that_round_once_have_such_kernels():
    for target in ("uno", "cortex-m0", "cortex-m4", "riscv"):
        for family in tile_families(target):
            tile = Tile(8, 3, 24, 80, 8, 4, 0, 9 if family.shifts else 0, family.lines, to_even=1)
            assert (family.kernel(tile) is not None) == (not family.shifts)


def test_a_far_start_moves_nearer_where_all_its_sums_give_the_same_byte():
    far = sums([1 << 30, -(1 << 30), 7], [3, 100, 100])
    near = far.clamp_starts(LIMIT, 0)
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
        sums([0], [(1 << 23) + 1], shift=-31),
        sums([(1 << 31) - 100], [1]),
    ],
)
def test_another_start_would_give_other_bytes(kept: Sums):
    assert kept.clamp_starts(LIMIT, 0) is None


def test_kernels_requantise_by_factors_below_a_half():
    x, weights = ZeroSkewType(8, 0.5, 3), ZeroSkewType(8, [0.5, 0.25])
    families = [family for target in ("uno", "cortex-m0", "cortex-m4", "riscv") for family in tile_families(target)]
    for scale, fits in ((0.51, True), (0.5, False)):
        result = ZeroSkewType(8, scale, -5)
        sums = result.accumulator(weights, x, None)
        found = {family.finish(sums, result, 2) is not None for family in families if not family.shifts}
        assert found == {fits}


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


@pytest.mark.parametrize("target", ["uno", "cortex-m0", "cortex-m4", "riscv"])
def test_an_attribute_finds_the_kernel_of_its_family_alone(target: str):
    families = [*tile_families(target), *tile_families(target, large=True)]
    assert len({family.name for family in families}) == len(families)
    for family in families:
        tile = Tile(8, 3, 24, 80, 8, 4, 0, 9 if family.shifts else 0, family.lines)
        kernel = family.kernel(tile)
        assert kernel is not None
        assert isinstance(kernel.attribute, TileKernelAttr)
        assert Tile.of(kernel.attribute) == tile
        assert known_kernel(kernel.attribute, target) is kernel
        other = replace(tile, lines=tile.lines + 1)
        assert known_kernel(TileKernelAttr.of(family.name, astuple(other)), target) is None
        assert known_kernel(TileKernelAttr.of("tm_other", astuple(tile)), target) is None


@pytest.mark.parametrize("target", ["uno", "cortex-m0", "cortex-m4", "riscv"])
def test_no_two_kernels_have_one_function(target: str):
    """Kernels with different attributes, listed or composed, have different function names, as have the kernels of
    different tiles.
    """
    kernels = [*kernels_of(target), *kernel_models.composed(target)]
    assert len({kernel.symbol for kernel in kernels}) == len({kernel.attribute for kernel in kernels})
    tiles = [Tile(4, 3, 48, 96, 16, 8, zero, 9, lines) for zero in (-5, 127) for lines in (1, 2)]
    tiles += [replace(tile, right=right) for tile in tiles for right in (0, 1, 2)]
    assert len({tile.suffix for tile in tiles}) == len({*tiles})


def coded(rows: int, apart: int) -> CodedTile:
    ones = np.ones(rows, np.int64)
    return CodedTile(np.full((rows, 1, 3), 7), ones, ones << 30, -ones, 0, apart, 2, 0, apart)


@pytest.mark.parametrize("target", ["cortex-m0", "cortex-m4"])
def test_a_coder_has_kernels_of_its_own_kind_only(target: str):
    """A coder of rows returns kernels only for tiles of rows, and a coder of channels only for tiles of channels. A
    tile with a single row is of both kinds.
    """
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
