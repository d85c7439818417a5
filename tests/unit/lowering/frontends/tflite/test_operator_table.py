"""The table of TensorFlow Lite operators lists the operators that each module imports."""

from __future__ import annotations

from inspect import signature

import pytest

from tinyml.lowering.frontends.tflite.meanings import MEANINGS, by_meaning
from tinyml.lowering.frontends.tflite.normalisations import LAYER_NORMALIZATION
from tinyml.lowering.frontends.tflite.operator_table import MOVES, OPERATORS


@pytest.mark.parametrize("name", OPERATORS)
def test_an_importer_appends_an_operator_to_a_builder(name: str):
    assert list(signature(OPERATORS[name]).parameters) == ["to", "op"]


def test_an_operator_with_a_meaning_may_have_its_own_function_for_integers():
    others = {name for name in MEANINGS if OPERATORS[name] is not by_meaning}
    assert others == {"PRELU", "RESIZE_BILINEAR"}
    assert LAYER_NORMALIZATION in OPERATORS
    assert OPERATORS.keys() > MOVES
