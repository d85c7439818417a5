"""The number of modules and lines that a compilation loads does not exceed its limit."""

from __future__ import annotations

import pytest

from core.loaded import LIMITS, PROGRAMS, limits, loaded


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compilation_loads_no_more(name: str):
    count, limit = loaded(PROGRAMS[name]), limits()[name]
    assert count.modules <= limit.modules, "import where it is used, or write the limit anew: python -m core.loaded"
    assert count.lines <= limit.lines, f"{LIMITS.name} has the limit"
