"""Fragments of rows that are code: their instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.targets.avr.composer.tiles.coded_rows import AvrCodedBlock, AvrCodedRows, coded_rows
from tinyml.targets.composer.lines import Lines

FIRST, SECOND = ("r25", "r26", "r27"), ("r2", "r3", "r4")
"""The sums of the first two of three rows; their high bytes are r20 and r21, the element is r18, a weight r19."""


def block(*weights: list[int], right: int = 8, start: int = 0) -> AvrCodedBlock:
    return AvrCodedBlock(CodedRows([np.array(weights)], [0], np.full(len(weights), start), right), 0, 2)


def products(*weights: list[int]) -> Lines:
    """The products of three rows, behind the pointer to the vector."""
    lines = block(*weights).lines
    first = lines.index("ldd r18,Z+0")
    return lines[first : lines.index("in r30,0x3d", first)]


def test_equal_magnitudes_share_a_product_and_twice_as_much_is_doubled():
    assert products([3], [-3], [6]) == (
        *("ldd r18,Z+0", "ldi r19,3", "muls r18,r19"),
        *("ldi r20,128", "add r25,r0", "adc r20,r1"),
        *("ldi r21,128", "sub r2,r0", "sbc r21,r1"),
        *("lsl r0", "rol r1", "ldi r22,128", "add r5,r0", "adc r22,r1"),
        # What was gathered.
        *("add r26,r20", "adc r27,r24", "add r3,r21", "adc r4,r24", "add r6,r22", "adc r7,r24"),
    )


def test_an_element_itself_needs_no_product():
    added = "ldd r18,Z+0", "ldi r20,128", "add r25,r18", "adc r20,r24", "sbrc r18,7", "dec r20"
    assert products([1], [0], [0])[:6] == added
    assert products([-1], [0], [0])[2:6] == ("sub r25,r18", "sbc r20,r24", "sbrc r18,7", "inc r20")


def test_products_are_gathered_as_long_as_they_fit():
    first, second = "ldd r18,Z+0", "ldd r18,Z+1"
    fitting = products([126, 127], [0, 0], [0, 0])
    assert fitting[fitting.index(second) :][3:5] == ("add r25,r0", "adc r20,r1")
    beyond = products([127, 127], [0, 0], [0, 0])
    flush = ("add r26,r20", "adc r27,r24", "ldi r20,128")
    assert beyond[beyond.index(second) :][3:6] == flush
    assert fitting[0] == beyond[0] == first


def test_starts_make_up_for_the_bias_of_high_bytes():
    assert block([1], [0], [0], start=5).lines[:9] == (
        *("clr r24", "ldi r25,5", "ldi r26,128", "ldi r27,255"),
        *("ldi r19,5", "mov r2,r19", "mov r3,r24", "mov r4,r24"),
        "ldi r19,5",
    )


def test_zeros_take_nothing():
    lines = block([0] * 100 + [7], [0] * 101, [0] * 101).lines
    assert sum("muls" in line for line in lines) == 1
    assert "adiw r30,36" not in lines
    # Farther than a load reaches.
    assert lines[lines.index("ldd r18,Z+0") - 2 :][:2] == ("subi r30,lo8(-100)", "sbci r31,hi8(-100)")


@pytest.mark.parametrize(("weight", "limited"), [(100, False), (127, False), (128, True)])
def test_results_are_limited_only_where_they_can_be_out_of_range(weight: int, limited: bool):
    # The greatest sum, 127 products, is a little less than the weight in units of the result.
    lines = block([-weight] * 127, right=14).lines
    assert ("cpi r18,128" in lines) is limited


def test_sums_that_do_not_fit_have_no_code():
    weights = np.full((1, 600), 127)
    assert coded_rows("rows", CodedRows([weights], [0], np.zeros(1, np.int64), 8)) is None
    assert coded_rows("rows", CodedRows([weights[:, :2]] * 4, [0] * 4, np.zeros(1, np.int64), 8)) is None
    assert coded_rows("rows", CodedRows([weights[:, :2]], [0], np.zeros(1, np.int64), 8)) is not None


def test_blocks_are_of_about_the_same_size_and_few_rows_save_few_registers():
    def code(rows: int) -> AvrCodedRows:
        return AvrCodedRows(CodedRows([np.ones((rows, 2), np.int64)], [0], np.zeros(rows, np.int64), 8))

    assert [block.rows.rows for block in code(14).blocks] == [4, 5, 5]
    assert [len(code(rows).saved) for rows in (1, 2, 3, 6, 7)] == [0, 2, 6, 18, 10]
