"""Sparse products of rows that are byte streams (`dialects/layouts/sparse_rows.py`).

A row is its 16-bit count of entries, then for each entry a byte `skip` and the value, low byte first: skip is the
number of bytes of the vector between the previous entry's element (or the start) and that of this one.
"""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.avr.assembly.frames import C_SUMS, entered
from tinyml.targets.avr.assembly.instructions import bytes_of, cycles, pair
from tinyml.targets.avr.assembly.loops import counted_in_word, entry_by_count
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM, run, skip
from tinyml.targets.avr.composer.fragments.multiply import arithmetic
from tinyml.targets.composer.lines import joined
from tinyml.targets.kernel import Kernel

_PORTABLE = """\
    uint16_t n = (uint16_t)((uint8_t)row[0] | (uint8_t)row[1] << 8);
    for (row += 2; n > 0; n--, row += {bytes}) {{
        x += (uint8_t)row[0] / sizeof *x;
        {added}
    }}
    return sum;"""


def sparse_dot(weights: int, vector: int, sum: int) -> Kernel:
    """The kernel for the entries of a row; its bytes have the type of all 8-bit constants."""
    symbol = f"tm_dot_row_s{weights}_s{vector}_s{sum}"
    chosen = arithmetic(weights, vector, sum)
    entry = joined(skip(chosen.first[0], chosen.zero), chosen.step(run(weights, FLASH, "Z"), run(vector, RAM, "X")))
    loop = counted_in_word(entry, 4, chosen.count, chosen.flush)
    enter = joined(*(fetch(count) for fetch, count in zip(run(16, FLASH, "Z"), pair(chosen.count), strict=True)))
    enter = joined(enter, entry_by_count(chosen.count))
    loop = replace(loop, lines=joined(enter, loop.lines), least=loop.least + cycles(enter))
    value = "row[1]" if weights == 8 else "(int16_t)((uint8_t)row[1] | row[2] * 256)"
    ctype = C_SUMS[sum]
    added = f"sum += (int32_t){value} * *x++;" if sum != 16 else f"sum = (int16_t)(sum + {value} * *x++);"
    composed = entered(
        symbol,
        f"{ctype} {symbol}(const int8_t *row, const int{vector}_t *x, {ctype} sum)",
        _PORTABLE.format(bytes=1 + weights // 8, added=added),
        chosen,
        loop,
        bits=sum,
        counter=None,
        row="row",
    )
    return Kernel(
        symbol,
        weights,
        vector,
        sum,
        op="num.sparse_dot",
        gaps=8,
        step=loop.step,
        code=bytes_of(loop.lines),
        composed=composed,
    )
