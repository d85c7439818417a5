"""docs/passes.md is current and contains every pass."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pytest
from programs.paths import ROOT
from programs.plugins import installed
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from tinyml.dialects.plugins import UNIVERSES
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


@dataclass(frozen=True)
class OwnPass(ModulePass):
    """Leave the module as it is.

    times: how often.
    """

    name = "own"

    times: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None: ...


UNIVERSE = Universe(all_passes={"own": lambda: OwnPass})


def test_passes_of_other_packages_come_last() -> None:
    with installed(EntryPoint("own", f"{__name__}:UNIVERSE", UNIVERSES)):
        *_, last = pass_reference().split("\n## ")
    assert last.startswith("Passes of other packages\n\n### own\n\nDocs/passes.md is current and contains every pass.")
    assert "| `times` | int | `1` | how often |" in last


@pytest.mark.parametrize("name", sorted(PASSES))
def test_every_option_has_help(name: str) -> None:
    assert all(option_helps(PASSES[name]()).values())
