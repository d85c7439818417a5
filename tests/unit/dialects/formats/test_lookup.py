"""Formats are found by the text of their types, for example for `tinyml prove`."""

from __future__ import annotations

import pytest

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_spelled


@pytest.mark.parametrize("text", ["!fixed.s<8, 4, even>", "!fixed.q<12, 4>", "!zeroskew.q<8, 0.1, 3, even>"])
def test_a_type_is_its_format(text: str):
    assert str(format_spelled(context(), text).type) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!fixed.q<8, 4, odd>", "no number format is written '!fixed.q<8, 4, odd>': .*Expected integer literal"),
        (
            "!fixed.q<99, 4>",
            r"no number format is written '!fixed.q<99, 4>': fixed.q width must be from 2 to 32, got 99",
        ),
        ("!fixed.q<8, 4> even", "no number format is written '!fixed.q<8, 4> even': .*Expected the end of the type"),
        ("!num.streams", "no number format is written '!num.streams'"),
        ("!fixed.acc<32, 4>", "'!fixed.acc<32, 4>' is no type of numbers"),
    ],
)
def test_other_texts_are_refused(text: str, message: str):
    with pytest.raises(InputError, match=message) as error:
        format_spelled(context(), text)
    assert "\n" not in str(error.value)
