"""Kernels whose code contains rows of weights have the expected instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.targets.avr.composer.coded_rows import AvrCodedBlock, AvrCodedRows, coded_rows
from tinyml.targets.composer.instructions import printed

FIRST, SECOND = ("r25", "r26", "r27"), ("r2", "r3", "r4")
"""The sums of the first two of three rows; their high bytes are r20 and r21, the element is r18, a weight r19."""


def block(*weights: list[int], right: int = 8, start: int = 0) -> AvrCodedBlock:
    return AvrCodedBlock(CodedRows([np.array(weights)], [0], np.full(len(weights), start), right), 0, 2)


@pytest.mark.parametrize(("weight", "limited"), [(100, False), (127, False), (128, True)])
def test_results_are_limited_only_where_they_can_be_out_of_range(weight: int, limited: bool):
    # The greatest sum, 127 products, is a little less than the weight in units of the result.
    lines = block([-weight] * 127, right=14).lines
    assert ("cpi r18,128" in printed(lines)) is limited


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
