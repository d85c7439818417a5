"""Packed integers of every width are recovered, and take the expected number of bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinyml.dialects.layouts.packed_bits import (
    WIDTHS,
    group_bytes,
    group_length,
    pack_bits,
    packed_bytes,
    packed_widths,
    touched_bytes,
    unpack_bits,
)


@st.composite
def drawn(draw: st.DrawFn) -> tuple[int, list[int]]:
    width = draw(st.sampled_from(WIDTHS))
    return width, draw(st.lists(st.integers(-1 << width - 1, (1 << width - 1) - 1), max_size=40))


@given(drawn())
def test_round_trip(case: tuple[int, list[int]]):
    width, values = case
    stream = pack_bits(np.array(values, np.int16), width)
    assert len(stream) == packed_bytes(len(values), width)
    back = unpack_bits(stream, width).tolist()
    assert back[: len(values)] == values
    assert len(back) - len(values) < group_length(width)
    assert not any(back[len(values) :])


@pytest.mark.parametrize("width", WIDTHS)
def test_groups_have_no_bit_too_many(width: int):
    assert group_bytes(width) * 8 == group_length(width) * width


def test_layouts():
    assert pack_bits(np.array([-8, 7, 0, 1]), 4).tolist() == [0xF0, 0x98]
    assert pack_bits(np.array([1, -2, 3, 0b110110 - 64]), 6).tolist() == [1 << 2 | 2, (-2 & 63) << 2 | 1, 3 << 2 | 3]
    assert pack_bits(np.array([-2048, 0x123]), 12).tolist() == [0x90, 0x00, 0x23]
    # The lowest bits of eight elements, then four bits of two each.
    assert pack_bits(np.array([0, 0, 0, 0, 0, 1, -1, 2]), 5).tolist() == [0b01100000, 0x88, 0x88, 0x88, 0x97]
    assert pack_bits(np.array([-4, 3, 0, -1]), 3).tolist() == [0b1010, 0b01101100, 0b10101010]
    assert pack_bits(np.array([64 - 128, 1, 0, 0, 0, 0, 0, -3]), 7).tolist() == [0x81, 2, 1, 1, 1, 1, 1]
    # Low bytes follow the bits above them; with 6 or 7 of these, they precede them.
    assert pack_bits(np.array([0x3AB, -1024]), 11).tolist() == [1, 0b10100011, 0xAB, 0, 0, 0, 0b10101010, 0, 0, 0, 0]
    assert pack_bits(np.array([-256, 255, -1, 0, 0, 0, 0, 0]), 9).tolist() == [0b11111010, 0, 255, 255, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("values", "dtype", "width"),
    [
        ([0], "i1", 1),
        ([-8, 7], "i1", 4),
        ([8], "i1", 5),
        ([-33], "i1", 7),
        ([64], "i1", None),
        ([-33], "i2", 7),
        ([64], "i2", 9),
        ([511], "i2", 10),
        ([2048], "i2", 13),
        ([-16385], "i2", None),
        ([2047], "i4", 12),
        ([], "i1", 1),
    ],
)
def test_the_fewest_bits(values: list[int], dtype: str, width: int | None):
    assert next(iter(packed_widths(np.array(values, dtype))), None) == width


@pytest.mark.parametrize("width", WIDTHS)
def test_the_bytes_of_the_first_elements(width: int):
    count_of_all = 2 * group_length(width)
    zero = pack_bits(np.zeros(count_of_all, int), width)
    for count in range(count_of_all + 1):
        first = pack_bits(np.array([-1] * count + [0] * (count_of_all - count)), width)
        assert touched_bytes(count, width) == max(np.flatnonzero(first != zero), default=-1) + 1


def test_what_does_not_fit():
    with pytest.raises(ValueError, match="not all elements have 6 bits"):
        pack_bits(np.array([0, -33]), 6)
