"""The specification of posits in exact rationals: the numbers of all raws, and the reals at which rounding changes.

The definitions follow the Standard for Posit Arithmetic (2022), sections 3 and 4, for any es. Each pair of adjacent
posits of n bits is separated by a posit of n + 1 bits. A real between the two posits is rounded to the posit on its
side of the separator; the separator itself is rounded to the even raw. Only zero is rounded to zero, and no real is
rounded beyond the greatest posit.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from tinyml.dialects.formats.specification import Listed


def posit_number(raw: int, n: int, es: int) -> Fraction:
    """The number that a positive raw of n bits represents."""
    sign, *bits = f"{raw:0{n}b}"
    assert sign == "0", f"{raw} is not a positive posit of {n} bits"
    run = next((place for place, bit in enumerate(bits) if bit != bits[0]), len(bits))
    regime = run - 1 if bits[0] == "1" else -run
    rest = "".join(bits[run + 1 :])
    exponent = int(rest[:es].ljust(es, "0") or "0", 2)
    fraction = Fraction(int(rest[es:] or "0", 2), 1 << len(rest[es:]))
    return (1 + fraction) * Fraction(2) ** (regime * (1 << es) + exponent)


@lru_cache
def posits(n: int, es: int, bounds: tuple[int, int] | None, shift: int = 0) -> Listed:
    """The specification of posits of n bits with es exponent bits, times 2^-shift.

    bounds: a pair (low, high) that selects the multiples of 2^low with magnitudes below 2^high; None selects all
        posits.

    Where the bounds omit posits between two numbers, and around zero, a real is rounded to the nearer number. A tie is
    rounded to the even multiple of 2^low.
    """
    low = -((n - 2) << es) if bounds is None else bounds[0]
    unit = Fraction(2) ** low
    numbers = {raw: posit_number(raw, n, es) / unit for raw in range(1, 1 << n - 1)}
    if bounds is not None:
        high = Fraction(2) ** (bounds[1] - low)
        numbers = {raw: number for raw, number in numbers.items() if number.denominator == 1 and number < high}
    positive = {0: 0} | {raw: int(number) for raw, number in numbers.items()}
    borders: list[tuple[Fraction, bool]] = []
    for (raw, number), (following, greater) in pairwise(positive.items()):
        if raw == 0 and bounds is None:
            borders.append((Fraction(0), False))
        elif raw == 0 or following != raw + 1:
            borders.append((Fraction(number + greater, 2), greater % 2 == 0))
        else:
            borders.append((posit_number(2 * raw + 1, n + 1, es) / unit, following % 2 == 0))
    mirrored = [(-border, not included) for border, included in reversed(borders)]
    numbers_of_both_signs = {-raw: -number for raw, number in positive.items()} | positive
    known, integers = zip(*sorted(numbers_of_both_signs.items()), strict=True)
    return Listed(shift - low, known, integers, (*mirrored, *borders))
