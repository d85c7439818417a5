"""Lists in Markdown of the parameters and fields that a docstring describes."""

from __future__ import annotations

import re
import textwrap

COLUMNS = 120
"""The greatest width of a line in the pages."""

NAMED = re.compile(r"((?:[a-z_]|X)\w*(?:, (?:[a-z_]|X)\w*)*): (.*)")
"""A line that begins the text of one or several parameters or fields."""


def with_lists(text: str) -> str:
    """A docstring in which paragraphs of lines `name: text` are lists, since Markdown joins the lines of a paragraph.

    text: the docstring without its common indentation. Lines that continue the text of a parameter are indented.
    """
    return "\n\n".join(map(_as_list, text.split("\n\n")))


def _as_list(paragraph: str) -> str:
    lines = paragraph.splitlines()
    if not all(NAMED.fullmatch(line) or (number and line.startswith("    ")) for number, line in enumerate(lines)):
        return paragraph
    items: list[str] = []
    for line in lines:
        if (named := NAMED.fullmatch(line)) is not None:
            names = ", ".join(f"`{name}`" for name in named[1].split(", "))
            items.append(f"{names}: {named[2]}")
        else:
            items[-1] += f" {line.strip()}"
    wrap = textwrap.TextWrapper(
        COLUMNS, initial_indent="* ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrap.fill(item) for item in items)
