"""The table of TensorFlow Lite operators lists the operators that each module imports."""

from __future__ import annotations

from inspect import signature

import pytest

from tinyml.lowering.frontends.tflite import elementwise, meanings, normalisations, recurrent, variables
from tinyml.lowering.frontends.tflite.operator_table import MOVES, OPERATORS, STATEFUL, WHERE


@pytest.mark.parametrize("name", OPERATORS)
def test_a_row_names_a_function_of_an_operator(name: str):
    module, _, function = WHERE[name].partition(":")
    found = getattr(__import__(f"tinyml.lowering.frontends.tflite.{module}", fromlist=[function]), function)
    assert list(signature(found).parameters) == ["to", "op"]


def names_of(where: str) -> set[str]:
    return {name for name, row in WHERE.items() if row == where}


def test_rows_are_the_tables_of_their_modules():
    # PRELU and RESIZE_BILINEAR have a meaning in floats only; their rows are those of both.
    of_both = names_of("elementwise:prelu") | names_of("resizing:resize_bilinear")
    assert names_of("meanings:by_meaning") | of_both == meanings.MEANINGS.keys()
    assert names_of("elementwise:binary") == elementwise.BINARY.keys()
    assert names_of("elementwise:unary") == elementwise.UNARY.keys()
    assert names_of("recurrent:sequence_lstm") == {recurrent.LSTM}
    assert normalisations.LAYER_NORMALIZATION in OPERATORS
    assert OPERATORS.keys() > MOVES


def test_stateful_operators_are_those_of_variables_and_layers():
    assert {*STATEFUL} == {*variables.STATE, recurrent.LSTM, "SVDF"}
