"""Tensor modules of other tools are detected by their ops, before the text is parsed."""

from __future__ import annotations

import pytest

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.mlir.foreign import DECLARED, DIALECTS, is_foreign


@pytest.mark.parametrize("dialect", [*DECLARED, *DIALECTS])
def test_an_op_in_generic_form(dialect: str):
    text = f'module {{\n  %0 = "{dialect}.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n}}'
    assert is_foreign(text)
    assert is_foreign(text, undeclared=True) is (dialect in DIALECTS)


@pytest.mark.parametrize(
    "text",
    [
        '%0 = "tdsl.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>',
        '// %0 = "linalg.exp"(%x)',
        '#map = "linalg.exp"(%x)',
        '%0 = "test.op"() {name = "linalg.exp"(%x)}',
        '%0 = "test.op"() {name = "linalg.exp"}',
    ],
)
def test_texts_without_such_ops(text: str):
    assert not is_foreign(text)


def test_an_op_in_its_own_syntax_is_refused_at_its_place():
    text = "module {\n  %0 = stablehlo.add %x, %y : tensor<4xf32>\n}"
    with pytest.raises(InputError, match=r"^2:8: stablehlo\.add stands in its own syntax: print the module"):
        is_foreign(text, undeclared=True)
