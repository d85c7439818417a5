"""The tables of `tinyml open --text` and the report's page show the same measured times of operations."""

from __future__ import annotations

from typing import Any

import pytest

from tinyml.runtime.devices.attribution import Attribution
from tinyml.tools.reports.facts.spent_time import (
    CALL_AND_RETURN,
    Spent,
    draw_flame,
    functions,
    measured_time,
    operations,
)

SOURCES = {3: ("dot", "load"), 4: ("dot", "sum"), 5: ("tanh",), 7: ("dot", "load"), 8: ("dot",)}
"""Two operations, the first in steps that alternate and with a line of its own."""

TIME = {0: 2.0, 2: 1.0, 3: 10.0, 4: 20.25, 5: 7.0, 7: 4.5}
CODE = {0: 1, 2: 6, 3: 8, 4: 10, 5: 2, 8: 12}
CALLS = {5: {"tm_tanh": 6.0}, 3: {"tm_dot": 3.0, "memcpy": 5.0}, 7: {"tm_dot": 2.0}}
LINES = [f"line {number};" for number in range(1, 9)]


@pytest.fixture
def measured() -> Attribution:
    nothing: Any = None
    return Attribution(nothing, nothing, TIME, CALLS, CODE, {}, {}, {})


@pytest.fixture
def spent(measured: Attribution) -> Spent:
    return measured_time(measured, SOURCES, LINES, "cycles")


def test_operations_have_the_sums_of_their_lines(spent: Spent):
    dot, tanh, rest = operations(spent, "cycles")
    assert dot == {
        "operation": "dot",
        "cycles": 34.75,
        "code_bytes": 30,
        "calls": {"tm_dot": 5.0, "memcpy": 5.0},
        "steps": [
            {"operation": "load", "cycles": 14.5, "code_bytes": 8},
            {"operation": "sum", "cycles": 20.25, "code_bytes": 10},
        ],
    }
    assert tanh == {"operation": "tanh", "cycles": 7.0, "code_bytes": 2, "calls": {"tm_tanh": 6.0}, "steps": []}
    assert rest == {"operation": CALL_AND_RETURN, "cycles": 3.0, "code_bytes": 7, "calls": {}, "steps": []}
    assert spent.time == sum(TIME.values())


def test_functions_are_ordered_by_their_time(measured: Attribution):
    assert list(functions(measured).items()) == [("tm_tanh", 6.0), ("tm_dot", 5.0), ("memcpy", 5.0)]


def test_lines_stand_in_the_order_of_the_file(spent: Spent):
    """The picture shows lines in the order of the file. Time that belongs to no line is at the end, with the label
    `without a line`.
    """
    assert [line.line for line in spent.lines] == [2, 3, 4, 5, 7, 8, 0]
    picture = draw_flame(spent, "cycles", "time").finished()
    assert "line 7: line 7;" in picture
    assert "line 0" not in picture
    assert "without a line" in picture
