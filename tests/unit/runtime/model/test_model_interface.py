"""The interface that a program declares must match the format and the shape of its input."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.model.model_interface import interface_of

PROGRAM = """
func.func @two(%x: tensor<1x2x!fixed.q<8, 4>>) -> tensor<1x2x!fixed.q<8, 4>>
    attributes {{tdsl.interface = #tdsl.interface<input = <names = [{names}]>>}} {{
  func.return %x : tensor<1x2x!fixed.q<8, 4>>
}}"""


@pytest.mark.parametrize(("names", "said"), [('"a"', "1 names for 2"), ('"a", "b", "c"', "3 names for 2")])
def test_an_input_has_a_name_for_each_feature(names: str, said: str):
    """An interface whose number of feature names differs from the number of features is rejected."""
    module = Parser(context(), PROGRAM.format(names=names)).parse_module()
    with pytest.raises(InputError, match=f"'names' of the input: {said} features"):
        interface_of(module)


def test_names_of_all_features_are_taken():
    assert interface_of(Parser(context(), PROGRAM.format(names='"a", "b"')).parse_module()).input_length == 2


@pytest.mark.parametrize(
    ("fields", "said"),
    [("received = 3", "whose 2 elements are no such rows"), ("received = 2, reused", "which lies in the arena")],
)
def test_rows_that_arrive_are_those_of_the_input(fields: str, said: str):
    text = PROGRAM.format(names="").replace("names = []", fields)
    with pytest.raises(InputError, match=f"'received' of the input: rows of . elements are none of an input {said}"):
        interface_of(Parser(context(), text).parse_module())
