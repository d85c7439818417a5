"""The tables of boards in the documentation are those of the registered boards."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from programs.browser import needs_chromium, visit
from programs.paths import ROOT

from tinyml.targets.registry import boards
from tinyml.tools.commands.actions.doctor import board_table, source_table

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


def test_a_board_of_pex():
    """The clock and the memories of the NUCLEO-F446RE are those of PEX's table 1: 180 MHz, 128 KB and 512 KB."""
    [row] = [line for line in board_table().splitlines() if "`nucleo-f446re`" in line]
    _, flash, ram, clock, *_ = [cell.strip() for cell in row.strip("|").split("|")]
    assert [int(cell.replace(",", "")) for cell in (flash, ram, clock)] == [524_288, 131_072, 180]


def test_estimates_name_what_they_leave_out():
    estimated = [board for board in boards() if board.time_source in ("published", "modelled", "least")]
    assert all(board.waits for board in estimated)
    assert not any(board.waits for board in boards() if board not in estimated)


@pytest.mark.long
@needs_chromium
def test_a_telephone_shows_the_memories(tmp_path: Path):
    """On a screen of 390 px, the columns up to the clock are within the margins of the page."""
    heads, _, *rows = [
        [re.sub(r"`(.*?)`", r"<code>\1</code>", cell.strip()) for cell in line.strip("|").split("|")]
        for line in board_table().splitlines()
    ]
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    style = (ROOT / "docs/site/extra.css").read_text("utf-8")
    framed = (
        f"<style>html {{ font-size: 125% }} body {{ margin: 0 }} {style}</style><div class='md-typeset'><table>"
        f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr><tr>{'</tr><tr>'.join(lines)}</tr></table></div>"
        "<script>parent.document.title = [...document.querySelectorAll('th')]"
        ".map(head => Math.round(head.getBoundingClientRect().right)).join(' ')</script>"
    )
    page = tmp_path / "page.html"
    page.write_text(f'<title>-</title><iframe style="width:390px" srcdoc="{html.escape(framed)}"></iframe>', "utf-8")
    seen = visit(page.as_uri(), tmp_path)
    [title] = re.findall(r"<title>(.*?)</title>", seen.document)
    ends = dict(zip(heads, map(int, title.split()), strict=True))
    assert ends["flash, bytes"] < ends["RAM, bytes"] < ends["MHz"] <= 390 - 2 * 16
