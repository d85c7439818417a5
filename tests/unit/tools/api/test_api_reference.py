"""docs/api.md and the types of keyword arguments: written from the declarations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.tools.api.api_reference import api_page, compile_options, keywords_text
from tinyml.tools.api.compile_keywords import CompileKeywords

PAGE, KEYWORDS = ROOT / "docs/api.md", ROOT / "tools/api/compile_keywords.py"


@pytest.mark.parametrize(("file", "written"), [(PAGE, api_page), (KEYWORDS, keywords_text)])
def test_what_is_written_is_current(file: Path, written: Callable[[], str], request: pytest.FixtureRequest):
    if request.config.getoption("--update-docs"):
        file.write_text(written(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == written()


def test_every_option_is_a_keyword():
    assert [option.name for option in compile_options()] == sorted(CompileKeywords.__annotations__)
