"""Delta-coded rows contain the entries of their matrix, decoded by an independent function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tinyml.dialects.layouts.packed_bits import WIDTHS, group_layout, unpack_bits
from tinyml.dialects.layouts.sparse_rows import AT_ONCE, COUNT_BYTES, compress, delta_rows, entries_of_group

Matrix = NDArray[Any]
ALL = (*WIDTHS, 8, 16)


def values_and_gaps(group: list[int], width: int) -> tuple[list[int], list[int]]:
    """The values and the gaps that a group of bytes encodes. Each byte at the places that the layout reserves for gaps
    contains two gaps of four bits; the other bytes contain the packed values.

    width: the number of bits of a value.
    """
    layout = group_layout(width, gaps=True)
    shared = [byte for byte, place in zip(group, layout, strict=True) if place.at == width]
    gaps = [gap for byte in shared for gap in (byte & 15, byte >> 4)]
    stream = np.array([byte for byte, place in zip(group, layout, strict=True) if place.at != width], np.uint8)
    values = stream.view(f"<i{width // 8}") if width % 8 == 0 else unpack_bits(stream, width)
    return values.tolist(), gaps


def unpack(stream: list[int], like: Matrix, width: int) -> Matrix:
    """The matrix that a stream encodes, with the shape of the matrix `like`.

    width: the number of bits of an entry.
    """
    matrix = np.zeros_like(like)
    size = entries_of_group(width) * (4 + width) // 8
    for row in matrix:
        (few, many), stream = stream[:COUNT_BYTES], stream[COUNT_BYTES:]
        column = 0
        for _ in range(few + AT_ONCE * many):
            group, stream = stream[:size], stream[size:]
            for value, gap in zip(*values_and_gaps(group, width), strict=True):
                column += gap
                row[column] = value
                column += 1
    assert not stream
    return matrix


@st.composite
def matrices(draw: st.DrawFn) -> tuple[Matrix, int]:
    width = draw(st.sampled_from(ALL))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 300))
    density = draw(st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0]))
    raws = random.integers(-1 << width - 1, 1 << width - 1, shape) * (random.random(shape) < density)
    return raws.astype("<i1" if width <= 8 else "<i2"), width


@given(drawn=matrices())
def test_the_stream_holds_the_matrix(drawn: tuple[Matrix, int]):
    matrix, width = drawn
    rows = delta_rows(compress(matrix), matrix.shape[1], width)
    if rows is None:
        assert max(-(matrix != 0).sum(axis=1) % entries_of_group(width)) > 0
    else:
        np.testing.assert_array_equal(unpack(rows.stream().tolist(), matrix, width), matrix)


def test_a_layout_written_out():
    matrix = np.array([[0, 7, 0, -1, 3] + [0] * 16 + [2], [0] * 22], "i1")
    rows = delta_rows(compress(matrix), 22, 4)
    assert rows is not None
    # 16 zeros are one too many: a fifth entry bridges them, and zeros at the first columns fill up its group.
    assert rows.stream().tolist() == [2, 0, 0x00, 0xF8, 0x00, 0x78, 0x00, 0x8B, 0x0E, 0xA8, 0, 0]


@pytest.mark.parametrize("width", ALL)
def test_a_full_row_has_no_room_to_fill_its_group(width: int):
    for length in (7, 8):
        rows = delta_rows(compress(np.ones((1, length), "<i2")), length, width)
        assert (rows is None) == (length == 7)


def test_too_many_bridges_are_no_delta_rows():
    """A row of 150 entries is rejected, because it needs further groups of zeros to bridge its wide gaps, and its
    number of groups then exceeds the range of a byte.
    """
    matrix = np.zeros((1, 30000), np.int8)
    matrix[0, ::200] = 1
    assert delta_rows(compress(matrix), 30000, 8) is None
