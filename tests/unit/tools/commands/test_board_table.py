"""The tables of boards in the documentation are those of the registered boards."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from programs.paths import ROOT

from tinyml.targets.registry import boards
from tinyml.tools.commands.doctor import board_table, source_table

PAGE = ROOT / "docs/boards.md"


@pytest.mark.parametrize(("name", "table"), [("boards", board_table), ("sources", source_table)])
def test_the_page_has_the_tables(name: str, table: Callable[[], str], request: pytest.FixtureRequest):
    text = PAGE.read_text("utf-8")
    shown = re.compile(rf"(?s)(?<=<!-- table of {name} -->\n).*?(?=\n\n)")
    if request.config.getoption("--update-docs"):
        PAGE.write_text(text := shown.sub(table(), text), "utf-8")
    assert shown.findall(text) == [table()]


def test_a_board_with_a_clock_names_the_source_of_its_figures():
    assert all(board.source and board.title and board.core for board in boards() if board.clock is not None)


def test_estimates_name_what_they_leave_out():
    estimated = [board for board in boards() if board.time_source in ("published", "modelled", "least")]
    assert all(board.waits for board in estimated)
    assert not any(board.waits for board in boards() if board not in estimated)
