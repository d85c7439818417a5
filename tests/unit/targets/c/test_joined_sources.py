"""Joined C files contain equal constants only once, and define no name twice."""

from __future__ import annotations

import pytest

from tinyml.dialects.errors import InputError
from tinyml.targets.c.joined_sources import joined_sources


def constant(name: str, type: str = "int8_t", values: str = "1, 2") -> str:
    return f"static const {type} {name}[2] = {{\n    {values},\n}};\n"


def test_equal_constants_are_one():
    joined = joined_sources([("a", constant("a_w")), ("b", constant("b_w"))])
    assert joined.shared_bytes == 2
    assert "#define b_w a_w" in joined.text


@pytest.mark.parametrize("other", [constant("b_w", "uint8_t"), constant("b_w", values="1, 3")])
def test_constants_of_another_type_or_value_are_kept(other: str):
    joined = joined_sources([("a", constant("a_w")), ("b", other)])
    assert joined.shared_bytes == 0
    assert "#define" not in joined.text


def test_a_name_of_two_programs_is_refused():
    sources = [("word", constant("word_two_w")), ("word_two", constant("word_two_w"))]
    with pytest.raises(InputError, match="'word' and 'word_two' both define word_two_w: compile one with another"):
        joined_sources(sources)


def test_a_macro_of_two_headers_is_refused():
    headers = {
        "word": "#define word_INPUT_AT_CLASSES 0 /* */\n",
        "word_INPUT_AT": "#define word_INPUT_AT_CLASSES 3 /* */\n",
    }
    with pytest.raises(InputError, match="'word' and 'word_INPUT_AT' both define word_INPUT_AT_CLASSES"):
        joined_sources([(name, "") for name in headers], headers)
