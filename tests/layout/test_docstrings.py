"""Docstrings are noun phrases or begin with a verb: "True if a buffer is read", not "Is a buffer read?"."""

from __future__ import annotations

import re

import pytest

from layout.sources import MODULES, name_of, source

HEADLESS = re.compile(
    r"(What|Who|Whose|Which|Where|When|Why|How|Whether|If|Unless|While|Because|As (many|much|if|by)|So|Such|Those|These"
    r"|This|That|There|It|They|Of|And|Or|But|Not|Is|Are|Was|Were|Does|Do|Did|May|Can|Has|Have)\b"
)
"""Beginnings of clauses without a noun or a verb that says what is returned or done."""

LITERAL = re.compile(r"\b(anew|so many|from one on|that which)\b")
"""Phrases translated word by word, which technical English does not use."""


def prose(text: str) -> str:
    """A docstring on one line, without quoted code."""
    return " ".join(re.sub(r"`[^`]*`", "", text).split())


def complaint(text: str) -> str | None:
    """The first forbidden words of a docstring; None if there are none."""
    if found := HEADLESS.match(prose(text)) or LITERAL.search(prose(text)):
        return found[0]
    return None


def test_no_docstring_begins_with_a_question():
    for path in MODULES:
        for line, text in source(path).docstrings:
            first = re.split(r"(?<=[.?!])\s", prose(text))[0]
            assert not first.endswith("?"), f"{name_of(path)}:{line} asks: {first}"


def test_docstrings_are_noun_phrases_or_begin_with_a_verb():
    found = [
        f"{name_of(path)}:{line}: '{words}'"
        for path in MODULES
        for line, text in source(path).docstrings
        if (words := complaint(text)) is not None
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What calls share with those that take the same flash.", "What"),
        ("Those run that are not streamed.", "Those"),
        ("So many pixels of the result from one on.", "So"),
        ("Whether a buffer is read.", "Whether"),
        ("Pixels of the result from one on.", "from one on"),
        ("The table, made anew.", "anew"),
        ("The pixels of the result starting at index `first`.", None),
        ("True if a buffer is read.", None),
        ("The argument `anew` of a search.", None),
    ],
)
def test_complaints(text: str, words: str | None):
    assert complaint(text) == words
