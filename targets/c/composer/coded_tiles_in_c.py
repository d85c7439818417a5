"""Tiles in plain C, with all their numbers in arrays inside the function."""

from __future__ import annotations

from tinyml.targets.c.composer.coded_rows_in_c import constant_array
from tinyml.targets.c.composer.requantised import doubled, requantised_in_c
from tinyml.targets.tiles import Sums, Tile


def signature(symbol: str) -> str:
    """The head of the function: windows, then results."""
    return f"void {symbol}(const int8_t *x, int8_t *out)"


def portable(tile: Tile, sums: Sums) -> str:
    """The body of the function."""
    length = sums.weights.shape[1] // tile.runs
    apart = tile.length // length
    place = f"j * {apart} + row" if apart > 1 else "j"
    multipliers = [doubled(int(multiplier)) for multiplier in sums.multipliers]
    return "\n".join(
        [
            *constant_array("int32_t", "starts", [tile.rows], sums.starts.tolist()),
            *constant_array("int32_t", "multipliers", [tile.rows], multipliers),
            *constant_array("int8_t", "shifts", [tile.rows], (-sums.shifts - 1).tolist()),
            *constant_array("int8_t", "w", sums.weights.shape, sums.weights.reshape(-1).tolist()),
            f"    for (int row = 0; row < {tile.rows}; row++)",
            f"        for (int window = 0; window < {tile.count}; window++) {{",
            "            const int32_t multiplier = multipliers[row];",
            "            const int right = shifts[row];",
            "            int32_t sum = starts[row];",
            f"            for (int i = 0; i < {tile.runs}; i++)",
            f"                for (int j = 0; j < {length}; j++)",
            f"                    sum += w[row][i * {length} + j]",
            f"                        * x[window * {tile.step} + i * {tile.pitch} + {place}];",
            requantised_in_c(" " * 12, tile.zero, f"out[window * {tile.rows} + row]"),
            "        }",
        ]
    )
