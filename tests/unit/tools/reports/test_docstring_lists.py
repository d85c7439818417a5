"""Lists of parameters in docstrings become lists on generated pages."""

from __future__ import annotations

import pytest

from tinyml.tools.reports.docstring_lists import COLUMNS, with_lists


def test_lines_of_parameters_are_a_list():
    lines = "a, b: summands of 8 bits, in an array of\n    shape (n,).\nX_val: samples."
    items = "* `a`, `b`: summands of 8 bits, in an array of shape (n,).\n* `X_val`: samples."
    assert with_lists(f"The sum.\n\n{lines}\n\nIt is exact.") == f"The sum.\n\n{items}\n\nIt is exact."


@pytest.mark.parametrize(
    "paragraph",
    [
        "One sentence, which\nranges over: two lines.",
        "Syntax: `num.add`",
        "a: a parameter,\nand a line that is no parameter.",
        "    indented: as code is",
        "",
    ],
)
def test_other_paragraphs_stay(paragraph: str):
    assert with_lists(paragraph) == paragraph


def test_long_items_are_wrapped_at_the_width_of_pages():
    *lines, last = with_lists("name: " + "word " * 100).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert all(line.startswith("  word") for line in [*lines[1:], last])
