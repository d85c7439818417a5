"""`codec.v` decodes all takums of 12 and 16 bits and rounds numbers to them as exact fractions do."""

import shutil
import subprocess
from bisect import bisect_left
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from takum import number

CODEC = Path(__file__).with_name("codec.v")
GUARD = 4
"""Bits of the encoder's fraction beyond those of the longest fraction of a takum."""

DECODE = """
module test;
  reg [{n}-1:0] takum; wire sign, is_zero, is_nar; wire signed [8:0] c; wire [{n}-6:0] f;
  takum_decode #(.N({n})) decode(takum, sign, is_zero, is_nar, c, f);
  integer i;
  initial for (i = 0; i < (1 << {n}); i = i + 1) begin
    takum = i; #1 $display("%0d %0d %0d %0d %0d", sign, is_zero, is_nar, c, f);
  end
endmodule
"""

ENCODE = """
module test;
  reg [31:0] numbers [0:{last}];
  wire [{n}-1:0] takum; reg [31:0] number;
  takum_encode #(.N({n}), .F({f})) encode(number[31], 1'b0, number[30:21], number[20:21-{f}], number[0], takum);
  integer i;
  initial begin
    $readmemh("numbers.hex", numbers);
    for (i = 0; i <= {last}; i = i + 1) begin number = numbers[i]; #1 $display("%0d", takum); end
  end
endmodule
"""


def simulated(bench: str, folder: Path) -> list[list[int]]:
    (folder / "test.v").write_text(bench)
    subprocess.run(["iverilog", "-o", "test", "test.v", str(CODEC)], cwd=folder, check=True)
    printed = subprocess.run(["vvp", "test"], cwd=folder, check=True, capture_output=True, text=True).stdout
    return [[int(word) for word in line.split()] for line in printed.splitlines()]


pytestmark = pytest.mark.skipif(shutil.which("iverilog") is None, reason="iverilog is not installed")


@pytest.mark.parametrize("n", [12, 16])
def test_all_patterns_are_decoded(n: int, tmp_path: Path):
    found = simulated(DECODE.format(n=n), tmp_path)
    nar = 1 << n - 1
    for pattern, (sign, is_zero, is_nar, characteristic, fraction) in enumerate(found):
        assert (sign, is_zero, is_nar) == (pattern >= nar, pattern == 0, pattern == nar)
        if pattern not in (0, nar):
            magnitude = number(pattern if pattern < nar else 2 * nar - pattern, n)
            assert (1 + Fraction(fraction, 1 << n - 5)) * Fraction(2) ** characteristic == magnitude


@pytest.mark.parametrize("n", [12, 16])
def test_numbers_are_rounded_to_the_nearest_pattern(n: int, tmp_path: Path):
    """Between two neighbouring takums, the border is the takum of one bit more that lies between them. All numbers and
    borders, numbers just beside the borders, numbers beyond the range and random numbers are rounded.
    """
    f, random = n - 5 + GUARD, Random(n)
    positive = [number(pattern, n) for pattern in range(1, 1 << n - 1)]
    borders = [number(2 * pattern + 1, n + 1) for pattern in range(1, (1 << n - 1) - 1)]
    steps = (1 << n) // 4096
    words = [random.getrandbits(32) & ~1 for _ in range(2000)]
    for real in (*positive[::steps], *borders[::steps]):
        characteristic = real.numerator.bit_length() - real.denominator.bit_length()
        characteristic -= real < Fraction(2) ** characteristic
        fraction = int((real / Fraction(2) ** characteristic - 1) * (1 << f))
        word = (characteristic & 1023) << 21 | fraction << 21 - f
        words += [word, word | 1, word | 1 << 31]
    (tmp_path / "numbers.hex").write_text("\n".join(f"{word:08x}" for word in words))
    found = simulated(ENCODE.format(n=n, f=f, last=len(words) - 1), tmp_path)
    for word, [takum] in zip(words, found, strict=True):
        characteristic = (word >> 21 & 1023) - (word >> 20 + 10 & 1) * 1024
        real = (1 + Fraction(word >> 21 - f & (1 << f) - 1, 1 << f)) * Fraction(2) ** characteristic
        at = bisect_left(borders, real)
        tie = at < len(borders) and borders[at] == real
        pattern = at + 1 + (tie and (word & 1 or at % 2 == 0))
        assert takum == (pattern if word < 1 << 31 else (1 << n) - pattern), hex(word)
