"""Packed constants of few bits, and constants with a scale for each block of a row, are imported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.folding import folded
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.narrow import in_floats, unpacked


@pytest.mark.parametrize("width", [2, 4])
def test_numbers_of_few_bits(width: int):
    """All numbers of a width are unpacked. The first number is in the lowest bits, and unused bits of the last byte are
    ignored.
    """
    numbers = [*range(-(1 << width - 1), 1 << width - 1), -1]
    packed = sum((number % (1 << width)) << (width * place) for place, number in enumerate(numbers))
    content = np.frombuffer(packed.to_bytes(-(-width * len(numbers) // 8), "little"), np.uint8)
    got = unpacked(content, width, len(numbers))
    assert got.dtype == np.int8
    assert got.tolist() == numbers


def tensor(name: str, data: Any, dtype: str, shape: tuple[int, ...] | None = None) -> Tensor:
    given = None if data is None else np.array(data)
    return Tensor(0, name, shape or np.array(data).shape, dtype, None, given)


WEIGHTS = tensor("w", [[1, -8, 7, 2], [0, 3, -3, 5]], "int4")
SCALES = tensor("s", np.array([[0.5, 2.0], [1.0, 0.25]], np.float16), "float16")
ZEROS = tensor("z", [[0, 0], [0, 0]], "int32")


@pytest.mark.parametrize("zeros", [None, ZEROS])
def test_scales_of_blocks(zeros: Tensor | None):
    got = in_floats(WEIGHTS, SCALES, zeros, 2)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, np.array([[0.5, -4.0, 14.0, 4.0], [0.0, 3.0, -0.75, 1.25]], np.float32))


REFUSED: dict[str, tuple[tuple[Tensor, Tensor | None, Tensor | None, int], str]] = {
    "computed": ((tensor("w", None, "int4", (2, 4)), SCALES, None, 2), "which only matrices of constant integers may"),
    "rank": ((tensor("w", [1, 2], "int4"), SCALES, None, 2), "which only matrices of constant integers may have"),
    "type": ((tensor("w", [[1, 2]], "int32"), SCALES, None, 2), "which only matrices of constant integers may have"),
    "zero points": (
        (WEIGHTS, SCALES, tensor("z", [[0, 0], [0, 1]], "int32"), 2),
        "blocks with zero points, expected 0",
    ),
    "no block": ((WEIGHTS, SCALES, None, 0), "rows of 4 elements, which blocks of 0 do not divide"),
    "longer blocks": ((WEIGHTS, SCALES, None, 3), "rows of 4 elements, which blocks of 3 do not divide"),
    "no scales": ((WEIGHTS, None, None, 2), "the scales of the blocks of 'w' must be constant floats"),
    "integers": ((WEIGHTS, ZEROS, None, 2), "the scales of the blocks of 'w' must be constant floats"),
    "fewer scales": ((WEIGHTS, SCALES, None, 1), r"have shape \(2, 2\), expected \(2, 4\)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_other_blocks_are_refused(case: str):
    given, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        in_floats(*given)


def filled(dtype: str) -> TfliteGraph:
    """A graph of one operator that fills a tensor of a type with one constant."""
    value, extents = tensor("v", -3, dtype, ()), tensor("e", np.array([2, 2], np.int32), "int32")
    output = tensor("y", None, dtype, (2, 2))
    return folded(TfliteGraph([], [output], [Operator(0, "FILL", [extents, value], [output], {})]))


def test_constants_of_few_bits_are_folded():
    [output] = filled("int4").outputs
    assert output.data is not None
    assert (output.dtype, output.data.dtype, output.data.tolist()) == ("int4", np.int8, [[-3, -3], [-3, -3]])


def test_results_of_unknown_types_are_refused():
    with pytest.raises(InputError, match=r"^operator 0 \(FILL, .* 'y' is of type uint4, which is not supported"):
        filled("uint4")
