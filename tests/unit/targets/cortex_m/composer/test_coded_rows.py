"""Fragments of rows that are code on a Cortex-M4: their instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.targets.composer.lines import Lines
from tinyml.targets.cortex_m.composer.coded.coded_rows import coded_rows, constant, finished, products


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (7, ("movw r4, #7",)),
        (-1, ("mvn r4, #0",)),
        (-256, ("mvn r4, #255",)),
        (-257, ("movw r4, #65279", "movt r4, #65535")),
        (1 << 20, ("movw r4, #0", "movt r4, #16")),
    ],
)
def test_constants_take_one_instruction_or_two(value: int, lines: Lines):
    assert constant("r4", value) == lines


def test_rows_share_a_weight_by_its_magnitude_and_zeros_vanish():
    assert products([3, 0, -3]) == ("movw lr, #3", "mla r4, r12, lr, r4", "mls r6, r12, lr, r6")


def test_powers_of_two_are_shifts():
    assert products([1, -1, 8, -128]) == (
        *("add r4, r4, r12", "sub r5, r5, r12"),
        *("add r6, r6, r12, lsl #3", "sub r7, r7, r12, lsl #7"),
    )


def test_a_result_is_limited_only_if_it_can_be_out_of_range():
    assert finished("r4", 9, limited=False) == ("asr r4, r4, #9",)
    limited = finished("r4", 9, limited=True)
    assert limited == ("ssat r4, #8, r4, asr #9", "cmn r4, #128", "it eq", "mvneq r4, #126")


def test_rows_that_do_not_fit_have_no_code():
    ones, start = np.ones((1, 2), np.int64), np.zeros(1, np.int64)
    assert coded_rows("rows", CodedRows([ones] * 4, [0] * 4, start, 8)) is None
    assert coded_rows("rows", CodedRows([np.ones((1, 4096), np.int64)], [0], start, 8)) is None
    assert coded_rows("rows", CodedRows([ones] * 3, [0] * 3, start, 8)) is not None
