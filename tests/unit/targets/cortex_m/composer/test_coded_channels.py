"""Each channel of a tile whose weights become code is composed only once."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.targets.cortex_m.composer.coded_depthwise import CodedDepthwise, CodedFilter
from tinyml.targets.cortex_m.composer.coded_depthwise_armv6m import CodedDepthwiseArmv6m
from tinyml.targets.tiles import Sums, Tile


def sums_of(tile: Tile) -> Sums:
    """Sums whose rows all have the weights 1, 2, 3 and so on."""
    weights = np.tile(np.arange(1, tile.runs * tile.length // tile.rows + 1), (tile.rows, 1))
    factors = np.zeros(tile.rows, np.int64), np.full(tile.rows, 1 << 30), np.full(tile.rows, -8)
    return Sums(weights, *factors)


@pytest.mark.parametrize(
    "tile",
    [
        # More sums at once than there are registers, and elements beyond the reach of a load.
        Tile(1, 1, 11, 0, 1, 12, 0),
        Tile(2, 8, 6, 600, 2, 3, 0),
    ],
)
def test_channels_that_do_not_fit_are_not_composed(tile: Tile, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(CodedFilter, "groups")
    assert not CodedDepthwise(tile, sums_of(tile)).fits


@pytest.mark.parametrize(
    ("tile", "times"),
    [
        # Thirteen windows are taken by fives and fours; of filters of eleven by nine none is behind the first.
        (Tile(3, 3, 9, 63, 3, 13, 0), 3 * 2),
        (Tile(3, 11, 27, 81, 3, 12, 0), 1),
    ],
)
def test_windows_of_a_channel_are_composed_once(tile: Tile, times: int, monkeypatch: pytest.MonkeyPatch):
    composed: list[int] = []
    group = CodedDepthwiseArmv6m.group

    def counted(self: CodedDepthwiseArmv6m, *arguments: object) -> object:
        composed.append(1)
        return group(self, *arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(CodedDepthwiseArmv6m, "group", counted)
    channels = CodedDepthwiseArmv6m(tile, sums_of(tile))
    assert not channels.fits or channels.lines
    assert len(composed) == times
