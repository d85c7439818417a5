"""Functions in plain C that contain their constants as arrays: rows of matrices, and tiles."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TypeVar

from tinyml.dialects.layouts.coded_rows import MAX_RESULT, CodedRows
from tinyml.dialects.machine.machine import limits
from tinyml.targets.nests import Numbers
from tinyml.targets.tiles import Sums, Tile

_COLUMNS = 96


def rows_signature(symbol: str, rows: CodedRows) -> str:
    """The head of the C function for rows. Its parameters are the vectors, then the results."""
    vectors = "".join(f"const int8_t *x{number}, " for number in range(len(rows.weights)))
    return f"void {symbol}({vectors}int8_t *out)"


def rows_in_c(rows: CodedRows) -> str:
    """C statements that declare the weights of rows as arrays, and compute and store the results of the rows."""
    lines = constant_array("int32_t", "starts", [rows.rows], rows.starts.tolist())
    for number, matrix in enumerate(rows.weights):
        lines += constant_array("int8_t", f"w{number}", matrix.shape, matrix.reshape(-1).tolist())
    lines += [f"    for (int row = 0; row < {rows.rows}; row++) {{", "        int32_t sum = starts[row];"]
    for number, (matrix, align) in enumerate(zip(rows.weights, rows.aligns, strict=True)):
        lines += [f"        sum *= {1 << align};"] if align else []
        lines.append(f"        for (int i = 0; i < {matrix.shape[1]}; i++)")
        lines.append(f"            sum += w{number}[row][i] * x{number}[i];")
    limited = f"sum < {-MAX_RESULT} ? {-MAX_RESULT} : sum > {MAX_RESULT} ? {MAX_RESULT} : sum"
    lines += [f"        sum >>= {rows.right};", f"        out[row] = (int8_t)({limited});", "    }"]
    return "\n".join(lines)


def constant_array(ctype: str, name: str, shape: Iterable[int], numbers: Sequence[int | str]) -> list[str]:
    """The lines of C that define a constant array. The numbers of each row are enclosed in braces."""
    dimensions = "".join(f"[{length}]" for length in shape)
    *outer, inner = shape
    text = ", ".join(map(str, numbers))
    if outer:
        rows = [numbers[first : first + inner] for first in range(0, len(numbers), inner)]
        text = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows)
    body = textwrap.wrap(text, _COLUMNS, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return [f"    static const {ctype} {name}{dimensions} = {{", *body, "    };"]


_Multiplier = TypeVar("_Multiplier", int, "Numbers")


def doubled(multiplier: _Multiplier) -> _Multiplier:
    """Twice a 31-bit multiplier, minus 2^32, which is a signed 32-bit integer."""
    return 2 * multiplier - (1 << 32)


def requantised_in_c(indent: str, tile: Tile, out: str, *, common: bool = False, results: int = 8) -> str:
    """C statements that store the requantised `sum` in `out`.

    indent: the indentation of the statements.
    tile: the tile, which specifies the zero point and how sums are rounded.
    common: true for the shift of the tile instead of the shift of the row.
    results: the width of the results in bits.

    The statements use two C variables: `multiplier`, which contains the doubled multiplier, and `right`, which is the
    right shift of the row minus 1.
    """
    half, whole = ("", "sum") if tile.to_even else (" + (1LL << 31)", "(sum - (sum < 0))")
    shift, (low, high) = str(tile.right - 1) if common else "right", limits(results)
    lines = [
        f"sum += (int32_t)(((int64_t)sum * multiplier{half}) >> 32);",
        f"sum = (({whole} >> {shift}) + ({2 * tile.zero + 1})) >> 1;",
        f"{out} = (int{results}_t)(sum < {low} ? {low} : sum > {high} ? {high} : sum);",
    ]
    if common and tile.right <= 0:
        # The product is not shifted, so that it is rounded once.
        lines[1] = f"sum += {tile.zero};"
        lines.insert(0, f"sum *= {1 << -tile.right};")
    return "\n".join(indent + line for line in lines)


def shifted_in_c(right: int, out: str) -> str:
    """C statements that shift `sum`, which includes the rounding bias, right and store it in `out` in fixed point."""
    return f"sum >>= {right};\n{out} = (int8_t)(sum < -127 ? -127 : sum > 127 ? 127 : sum);"


def tile_signature(symbol: str) -> str:
    return f"void {symbol}(const int8_t *x, int8_t *out)"


def tile_in_c(tile: Tile, sums: Sums) -> str:
    """C statements that declare the weights of a tile's rows as arrays, and compute and store the results."""
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
            requantised_in_c(" " * 12, tile, f"out[window * {tile.rows} + row]"),
            "        }",
        ]
    )
