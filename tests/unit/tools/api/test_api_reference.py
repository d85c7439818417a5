"""docs/api.md and the types of keyword arguments are generated from the declarations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs.paths import ROOT

from tinyml.tools.api.api_reference import OPTIONS, api_page, keywords_text
from tinyml.tools.api.keywords import CompileKeywords, FinetuneKeywords

WRITTEN = [
    (ROOT / "docs/api.md", api_page),
    (ROOT / "tools/api/keywords.py", keywords_text),
]


@pytest.mark.parametrize(("file", "written"), WRITTEN)
def test_what_is_written_is_current(file: Path, written: Callable[[], str], request: pytest.FixtureRequest):
    if request.config.getoption("--update-docs"):
        file.write_text(written(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == written()


def test_every_option_is_a_keyword():
    for function, keywords in (("compile", CompileKeywords), ("finetune", FinetuneKeywords)):
        assert [option.name for option in OPTIONS[function]()] == sorted(keywords.__annotations__)
