"""Names of a model that are keywords of C++, which may include the header of the program."""

from __future__ import annotations

import pytest

from tinyml.targets.c.names import RESERVED, identifier


@pytest.mark.parametrize("word", ["true", "new", "class", "private", "xor"])
def test_keywords_of_cpp_are_no_identifiers(word: str):
    assert word in RESERVED
    assert identifier(word) == f"v_{word}"
