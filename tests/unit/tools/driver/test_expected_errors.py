"""A comment that resembles `expected-error {{TEXT}}` but has another form is rejected. It would otherwise have no
effect.
"""

from __future__ import annotations

import pytest

from tinyml.dialects.errors import InputError
from tinyml.tools.driver.expected_errors import expected_errors


@pytest.mark.parametrize(
    "comment",
    [
        "// expected-error {no}",
        "// expected-error@next {{no}}",
        "// expected-error@+ {{no}}",
        "// expected-error: {{no}}",
        "// expected-error-re@+1 {{no",
        "// expected-eror@+1: {{no}}",
        "x // expected-note",
    ],
)
def test_a_comment_of_an_unknown_form_is_not_ignored(comment: str):
    with pytest.raises(InputError, match=r"expected `expected-error \{\{TEXT\}\}`") as raised:
        expected_errors(f"\n{comment}\n", "f.mlir", 3)
    assert raised.value.line == 5


def test_prose_is_no_expectation():
    assert expected_errors('// The expected-value {a}.\nx {y = "expected-error"}\n', "f.mlir", 0) == []
