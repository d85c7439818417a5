"""Filters of channels in plain C, with all their numbers in arrays of the function."""

from __future__ import annotations

from tinyml.targets.c.composer.coded_rows import constant_array
from tinyml.targets.composer.requantised import doubled, requantised_in_c
from tinyml.targets.tiles import Sums, Tile


def signature(symbol: str) -> str:
    """The head of the function: windows, then results."""
    return f"void {symbol}(const int8_t *x, int8_t *out)"


def portable(tile: Tile, sums: Sums) -> str:
    """The body of the function."""
    columns = tile.length // tile.rows
    multipliers = [doubled(int(multiplier)) for multiplier in sums.multipliers]
    return "\n".join(
        [
            *constant_array("int32_t", "starts", [tile.rows], sums.starts.tolist()),
            *constant_array("int32_t", "multipliers", [tile.rows], multipliers),
            *constant_array("int8_t", "shifts", [tile.rows], (-sums.shifts - 1).tolist()),
            *constant_array("int8_t", "w", sums.weights.shape, sums.weights.reshape(-1).tolist()),
            f"    for (int channel = 0; channel < {tile.rows}; channel++)",
            f"        for (int window = 0; window < {tile.count}; window++) {{",
            "            const int32_t multiplier = multipliers[channel];",
            "            const int right = shifts[channel];",
            "            int32_t sum = starts[channel];",
            f"            for (int i = 0; i < {tile.runs}; i++)",
            f"                for (int j = 0; j < {columns}; j++)",
            f"                    sum += w[channel][i * {columns} + j]",
            f"                        * x[window * {tile.step} + i * {tile.pitch} + j * {tile.rows} + channel];",
            requantised_in_c(" " * 12, tile.zero, f"out[window * {tile.rows} + channel]"),
            "        }",
        ]
    )
