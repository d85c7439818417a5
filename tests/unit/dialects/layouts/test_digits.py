"""Integers packed as digits are recovered from the bits that the layout documents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyml.dialects.layouts.digits import DIGITS, ODD, PAIRS, TERNARY, TRITS, Digits
from tinyml.dialects.layouts.packed_bits import group_length, pack_bits, packed_bytes, packings, unpack_bits


@st.composite
def drawn(draw: st.DrawFn) -> tuple[Digits, list[int]]:
    digits = draw(st.sampled_from(DIGITS))
    most = (1 << digits.bits) - 1
    values = range(-1, 2) if digits.name == TRITS else range(-most, most + 1, 2)
    if not digits.is_odd and digits.name == PAIRS:
        values = range(-1 << digits.bits - 1, 1 << digits.bits - 1)
    return digits, draw(st.lists(st.sampled_from(values), max_size=40))


@given(drawn())
def test_round_trip(case: tuple[Digits, list[int]]):
    digits, values = case
    array = np.array(values, np.int8)
    stream = pack_bits(array, digits)
    assert len(stream) == packed_bytes(len(values), digits)
    assert unpack_bits(stream, digits).tolist()[: len(values)] == values
    assert digits in packings(array)


def test_all_ternary_bytes():
    """Five ternary elements are encoded in one byte. Multiplying it by three yields the digit of one element as the
    carry, and the low byte contains the remaining elements.
    """
    groups = np.array([*product((-1, 0, 1), repeat=5)], np.int8)
    stream = TERNARY.pack(groups)
    assert len(np.unique(stream)) == 243
    for place in range(5):
        thrice = 3 * stream.astype(int)
        np.testing.assert_array_equal(thrice >> 8, groups[:, place] + 1)
        stream = (thrice & 255).astype(np.uint8)


def test_planes_of_signs():
    """Two-bit odd numbers are sums of a term of 1 and a term of 2 with signs: -3 = -2 - 1, -1 = -2 + 1, and so on. Byte
    k of a group contains the signs of the terms 2^k, that of the first element in the lowest bit.
    """
    assert Digits(ODD, 2).pack(np.array([-3, -1, 1, 3, 3, 1, -1, -3])).tolist() == [0b01011010, 0b00111100]
    assert Digits(ODD, 1).pack(np.array([1, -1, 1, 1, -1, -1, -1, 1])).tolist() == [0b10001101]
    assert group_length(Digits(ODD, 3)) == 8


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_pairs_of_halfwords(bits: int):
    """A shift by one field more and a mask yield the next pair, in the order in which SXTB16 widens four bytes of the
    vector at once: elements 0 and 2, 1 and 3.
    """
    digits = Digits(PAIRS, bits)
    values = np.random.default_rng(bits).integers(0, 1 << bits, digits.length)
    weights = 2 * values - 1 if bits == 1 else values - (1 << bits - 1)
    [word] = digits.pack(weights).view("<u4").tolist()
    mask = (1 << bits) - 1
    for pair in range(16 // bits):
        first = 4 * (pair // 2) + pair % 2
        assert word >> bits * pair & mask == values[first]
        assert word >> bits * pair + 16 & mask == values[first + 2]


WRONG = [(Digits(ODD, 2), 2), (Digits(ODD, 2), 5), (TERNARY, 2), (Digits(PAIRS, 2), 2), (Digits(PAIRS, 1), 0)]


@pytest.mark.parametrize(("digits", "wrong"), WRONG)
def test_other_integers_are_refused(digits: Digits, wrong: int):
    array = np.array([1, -1, wrong], np.int8)
    assert digits not in packings(array)
    with pytest.raises(ValueError, match=f"not all elements are {digits}"):
        digits.pack(array)
