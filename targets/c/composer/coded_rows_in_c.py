"""Rows of constant matrices in plain C, with the weights in arrays inside the function."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from tinyml.dialects.layouts.coded_rows import LARGEST, CodedRows

_COLUMNS = 96


def signature(symbol: str, rows: CodedRows) -> str:
    """The head of the function: vectors, then results."""
    vectors = "".join(f"const int8_t *x{number}, " for number in range(len(rows.weights)))
    return f"void {symbol}({vectors}int8_t *out)"


def portable(rows: CodedRows) -> str:
    """The body of the function."""
    lines = constant_array("int32_t", "starts", [rows.rows], rows.starts.tolist())
    for number, matrix in enumerate(rows.weights):
        lines += constant_array("int8_t", f"w{number}", matrix.shape, matrix.reshape(-1).tolist())
    lines += [f"    for (int row = 0; row < {rows.rows}; row++) {{", "        int32_t sum = starts[row];"]
    for number, (matrix, align) in enumerate(zip(rows.weights, rows.aligns, strict=True)):
        lines += [f"        sum *= {1 << align};"] if align else []
        lines.append(f"        for (int i = 0; i < {matrix.shape[1]}; i++)")
        lines.append(f"            sum += w{number}[row][i] * x{number}[i];")
    limited = f"sum < {-LARGEST} ? {-LARGEST} : sum > {LARGEST} ? {LARGEST} : sum"
    lines += [f"        sum >>= {rows.right};", f"        out[row] = (int8_t)({limited});", "    }"]
    return "\n".join(lines)


def constant_array(ctype: str, name: str, shape: Iterable[int], numbers: list[int]) -> list[str]:
    """A constant array, initialised row by row."""
    dimensions = "".join(f"[{length}]" for length in shape)
    *outer, inner = shape
    text = ", ".join(map(str, numbers))
    if outer:
        rows = [numbers[first : first + inner] for first in range(0, len(numbers), inner)]
        text = ", ".join("{" + ", ".join(map(str, row)) + "}" for row in rows)
    body = textwrap.wrap(text, _COLUMNS, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return [f"    static const {ctype} {name}{dimensions} = {{", *body, "    };"]
