"""docs/passes.md: the page of all passes."""

from __future__ import annotations

import pytest
from programs.paths import ROOT

from tinyml.tools.reports.pass_reference import option_helps, pass_reference
from tinyml.tools.universe import PASSES

PAGE = ROOT / "docs/passes.md"


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-docs"):
        PAGE.write_text(pass_reference(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == pass_reference()


def test_every_pass_is_on_the_page() -> None:
    headings = [line.removeprefix("### ") for line in pass_reference().splitlines() if line.startswith("### ")]
    assert sorted(headings) == sorted(PASSES)


@pytest.mark.parametrize("name", sorted(PASSES))
def test_every_option_has_help(name: str) -> None:
    assert all(option_helps(PASSES[name]()).values())
