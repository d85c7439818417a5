"""The networks of moiopt's tests in loops over channels: the RAM that fused depthwise tiling saves, with equal bits."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.graph_programs import program_of
from programs.sliced_networks import arena, buffers_of, check_bits_on_device, inputs_of, refined
from programs.tiled_networks import NETWORKS

from tinyml.targets.registry import HOST


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "limit"), [("dense 4-19391-1", 0.11), ("convolutions", 0.4), ("convolutions, padded", 0.45)]
)
def test_loops_over_channels_save_as_much_as_fused_depthwise_tiling(name: str, limit: float, tmp_path: Path) -> None:
    module = refined(program_of(NETWORKS[name]))
    channels = buffers_of(module, "partial-32")
    check_bits_on_device(module, channels, inputs_of(module, 2), HOST, tmp_path)
    assert arena(channels) <= limit * arena(buffers_of(module, "ordinary"))
