"""Distances: squared differences of two runs of memory, each of which fits 16 bits."""

from __future__ import annotations

from tinyml.targets.avr.assembly.frames import C_SUMS, entered, number_of_steps
from tinyml.targets.avr.assembly.instructions import bytes_of
from tinyml.targets.avr.assembly.loops import counted_in_word
from tinyml.targets.avr.composer.fragments import multiply
from tinyml.targets.avr.composer.fragments.fetch import FLASH, RAM, run
from tinyml.targets.kernel import Kernel

_PORTABLE = """\
    for (; n > 0; n--) {
        int32_t difference = (int32_t)*x++ - *w++;
        sum += difference * difference;
    }
    return sum;"""


def distance(bits: int, sum: int) -> Kernel:
    """The kernel for elements of 8 or 16 bits."""
    symbol = f"tm_distance_s{bits}_s{bits}_s{sum}"
    chosen = multiply.squares(bits, sum)
    loop = counted_in_word(chosen.step(run(bits, FLASH, "Z"), run(bits, RAM, "X")), 4, chosen.count)
    ctype = C_SUMS[sum]
    composed = entered(
        symbol,
        f"{ctype} {symbol}(const int{bits}_t *w, const int{bits}_t *x, uint16_t n, {ctype} sum)",
        _PORTABLE,
        chosen,
        loop,
        bits=sum,
        counter=number_of_steps(chosen.count, loop),
    )
    return Kernel(
        symbol,
        bits,
        bits,
        sum,
        op="num.distance",
        step=loop.step,
        code=bytes_of(loop.lines),
        composed=composed,
    )
