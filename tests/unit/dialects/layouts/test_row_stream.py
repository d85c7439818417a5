"""Packed rows contain the entries of their matrix, decoded by an independent function."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tinyml.dialects.layouts.sparse_rows import COUNT_BYTES, GREATEST_SKIP, compress, gathered_rows, pack_rows

Matrix = NDArray[Any]


def unpack(stream: bytes, like: Matrix, element_bytes: int) -> Matrix:
    """The matrix that a stream encodes, with the shape and type of the matrix `like`."""
    matrix = np.zeros_like(like)
    at = 0
    for row in matrix:
        count = int.from_bytes(stream[at : at + COUNT_BYTES], "little")
        at += COUNT_BYTES
        place = 0
        for _ in range(count):
            place += stream[at]
            value = np.frombuffer(stream, like.dtype, 1, at + 1)[0]
            at += 1 + like.itemsize
            column, rest = divmod(place, element_bytes)
            assert rest == 0
            assert row[column] == 0
            row[column] = value
            place += element_bytes
    assert at == len(stream)
    return matrix


def packed(matrix: Matrix, element_bytes: int) -> bytes | None:
    stream = pack_rows(compress(matrix), element_bytes)
    return None if stream is None else stream.tobytes()


def widest_skip(matrix: Matrix) -> int:
    """The greatest number of elements between two successive entries of a row, or before its first entry."""
    columns = [[-1, *np.flatnonzero(row).tolist()] for row in matrix]
    return max((b - a - 1 for row in columns for a, b in pairwise(row)), default=0)


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    dtype = draw(st.sampled_from(["<i1", "<i2"]))
    shape = draw(array_shapes(min_dims=2, max_dims=2, max_side=20))
    matrix = draw(arrays(dtype, shape, fill=st.just(0)))
    spread = np.zeros((shape[0], shape[1] * draw(st.integers(1, 20))), dtype)
    spread[:, :: spread.shape[1] // shape[1]] = matrix
    return spread


@given(matrix=matrices(), element_bytes=st.sampled_from([1, 2]))
def test_the_stream_holds_the_matrix(matrix: Matrix, element_bytes: int):
    stream = packed(matrix, element_bytes)
    # A gap that compressed rows bridge with a zero of its own may still be too wide.
    if widest_skip(matrix) * element_bytes <= GREATEST_SKIP - element_bytes:
        assert stream is not None
    if stream is not None:
        np.testing.assert_array_equal(unpack(stream, matrix, element_bytes), matrix)


@pytest.mark.parametrize("element_bytes", [1, 2])
@pytest.mark.parametrize("first", [False, True], ids=["between", "in front"])
def test_a_skip_fills_its_byte_and_no_more(element_bytes: int, first: bool):
    widest = GREATEST_SKIP // element_bytes
    matrix = np.zeros((1, 600), np.int8)
    matrix[0, 0] = 0 if first else 5
    matrix[0, widest + (not first)] = -3
    stream = packed(matrix, element_bytes)
    assert stream is not None
    np.testing.assert_array_equal(unpack(stream, matrix, element_bytes), matrix)
    if element_bytes == 2:
        assert packed(np.roll(matrix, 1, axis=1) if first else np.insert(matrix, 1, 0, axis=1), 2) is None


def test_a_layout_written_out():
    matrix = np.array([[0, 7, 0, -1], [0, 0, 0, 0]], "<i2")
    assert packed(matrix, 2) == bytes([2, 0, 2, 7, 0, 2, 255, 255, 0, 0])


def test_wide_gaps_of_bytes_are_bridged():
    matrix = np.zeros((2, 900), np.int8)
    matrix[0, [0, 899]] = matrix[1, 899] = 1
    stream = packed(matrix, 1)
    assert stream is not None
    np.testing.assert_array_equal(unpack(stream, matrix, 1), matrix)


def test_long_rows_count_in_two_bytes():
    matrix = np.ones((1, 300), np.int16)
    stream = packed(matrix, 2)
    assert stream is not None
    assert stream[:COUNT_BYTES] == (300).to_bytes(2, "little")
    np.testing.assert_array_equal(unpack(stream, matrix, 2), matrix)


def ungathered(stream: bytes, groups: list[int], like: Matrix, entries: int) -> Matrix:
    """The matrix that a stream of groups for gather instructions encodes. It has the shape and type of `like`.

    groups: the number of groups of each row.
    entries: the number of entries in a group.
    """
    matrix, at = np.zeros_like(like), 0
    for row, count in zip(matrix, groups, strict=True):
        assert int.from_bytes(stream[at : at + 2], "little") == count
        at += 2
        for _ in range(count):
            base, offsets = int.from_bytes(stream[at : at + 2], "little"), stream[at + 2 : at + 2 + entries]
            values = np.frombuffer(stream, like.dtype, entries, at + 2 + entries)
            for offset, value in zip(offsets, values, strict=True):
                assert value == 0 or row[base + offset] == 0
                row[base + offset] += value
            at += 2 + entries * (1 + like.itemsize)
    assert at == len(stream)
    return matrix


@pytest.mark.parametrize("entries", [8, 16])
@pytest.mark.parametrize(("columns", "density"), [(5, 0.5), (40, 0.9), (700, 0.2), (2000, 0.004)])
def test_gathered_rows_hold_the_matrix(entries: int, columns: int, density: float):
    random = np.random.default_rng(columns)
    dtype = np.int8 if entries == 16 else np.int16
    matrix = np.where(random.random((6, columns)) < density, random.integers(-127, 128, (6, columns)), 0).astype(dtype)
    matrix[3] = 0
    rows = compress(matrix)
    found = gathered_rows(rows, entries)
    assert found is not None
    assert found.groups.dtype == rows.lengths.dtype
    np.testing.assert_array_equal(ungathered(found.stream.tobytes(), found.groups.tolist(), matrix, entries), matrix)


def test_columns_of_more_than_two_bytes_are_not_gathered():
    matrix = np.zeros((1, (1 << 16) + 1), np.int8)
    matrix[0, -1] = 1
    assert gathered_rows(compress(matrix), 16) is None
