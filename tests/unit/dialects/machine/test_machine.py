"""Widths and intervals that the machine derives for its values."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.dialects.machine.machine import Int
from tinyml.dialects.machine.numpy_machine import NumpyMachine


@pytest.mark.parametrize("width", [8, 16, 32])
def test_an_entry_of_a_table_has_the_width_of_the_table(width: int):
    table = np.array([3, -7, 5], f"i{width // 8}")
    index = Int(np.array([2, 0], np.int8), 8, 0, 2)
    entry = NumpyMachine().entry("numbers", table, index)
    assert (entry.value.tolist(), entry.width, entry.low, entry.high) == ([5, 3], width, -7, 5)


@pytest.mark.parametrize(("low", "high"), [(-1, 2), (0, 3)])
def test_an_index_of_a_table_lies_within_the_table(low: int, high: int):
    with pytest.raises(ValueError, match="of a table of 3 entries"):
        NumpyMachine().entry("numbers", np.zeros(3, np.int8), Int(np.array(0, np.int8), 8, low, high))
