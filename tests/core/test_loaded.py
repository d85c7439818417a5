"""The number of modules and lines that a compilation loads does not exceed its limit."""

from __future__ import annotations

import pytest

from core.loaded import LIMITS, PROGRAMS, code_lines, limits, loaded, loaded_files


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compilation_loads_no_more(name: str):
    count, limit = loaded(loaded_files(PROGRAMS[name])), limits()[name]
    assert count.modules <= limit.modules, "import where it is used, or write the limit anew: python -m core.loaded"
    assert count.lines <= limit.lines, f"{LIMITS.name} has the limit"
    assert count.all_lines <= limit.all_lines, f"{LIMITS.name} has the limit of all lines"


def test_lines_of_docstrings_do_not_count():
    lines = [
        '"""One',
        'and two."""',
        "X = 3",
        '"""Of X."""',
        "def f():",
        '    """Three."""',
        '    return """four',
        '"""',
    ]
    assert code_lines("\n".join([*lines, ""])) == len(lines) - 4
