"""Tables on a terminal of 80 columns and elsewhere: no number is truncated."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists
from programs.paths import TESTS
from rich.table import Table

import tinyml
from tinyml.tools.main import main
from tinyml.tools.reports.tables import _parts_within, print_table  # pyright: ignore[reportPrivateUsage]
from tinyml.tools.reports.tables import _print_stream as print_stream  # pyright: ignore[reportPrivateUsage]

EXAMPLE = TESTS.parent / "examples" / "protonn-gesturepod"
TOUR = TESTS.parent / "docs/tour"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables treat the output as a terminal of 80 columns."""
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)


def words(text: str) -> set[str]:
    """The words in the cells of a printed table, without its lines."""
    return {*re.sub(r"[\u2500-\u257f]", " ", COLOUR.sub("", text)).split()}


COMMANDS = {
    "doctor": ["doctor"],
    "bench": ["bench", str(EXAMPLE), "--target", "host"],
    "plan": ["plan", str(TESTS.parent / "docs/tour/resnet8.mlir")],
}


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_tables_fit_a_terminal(
    name: str, terminal: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert main(COMMANDS[name]) == 0
    narrow = COLOUR.sub("", capsys.readouterr().out)
    rows = [line for line in narrow.splitlines() if line[:1] in "┏┃┡│├└"]
    assert rows
    assert max(map(len, rows)) <= 80
    assert "…" not in narrow
    monkeypatch.delenv("FORCE_COLOR")
    assert main(COMMANDS[name]) == 0
    wide = capsys.readouterr().out
    # Of a run on this computer, two times differ.
    kind = r"[A-Za-z/]+" if name == "bench" else r"[\d,.]+"
    numbers = {word for word in words(wide) if re.fullmatch(kind, word)}
    assert numbers <= words(narrow)


def test_a_column_wider_than_the_terminal_is_folded(terminal: None, capsys: pytest.CaptureFixture[str]):
    table = Table()
    table.add_column("name", no_wrap=True)
    table.add_column("digits", justify="right", no_wrap=True)
    table.add_row("a", "1234567890" * 10)
    print_table(table)
    shown = COLOUR.sub("", capsys.readouterr().out)
    assert re.sub(r"[^0-9]", "", shown) == "1234567890" * 10


def test_a_report_that_is_printed_fits_the_terminal(monkeypatch: pytest.MonkeyPatch):
    program = tinyml.compile(TOUR / "tour.sd", TOUR / "val.npz", board="host", width=8)
    wide = str(program.report)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    narrow = str(program.report)
    rows = [line for line in narrow.splitlines() if line[:1] in "\u250f\u2503\u2521\u2502\u251c\u2514"]
    assert max(map(len, rows)) <= 80
    assert words(narrow) == words(wide)


@given(lists(integers(4, 90), min_size=1, max_size=12))
def test_every_column_is_in_one_part(widths: list[int]):
    parts = [*_parts_within(80, widths)]
    assert [at for part in parts for at in part[1:]] == [*range(1, len(widths))]
    for part in parts:
        assert part[0] == 0
        assert len(part) <= 2 or 1 + sum(widths[at] for at in part) <= 80


@pytest.mark.parametrize(
    ("milliseconds", "period", "expected"),
    [
        (4.44, 30.0, "a hop takes at most 213,885 instructions, 4.44 ms, which is 15% of its 30 ms"),
        (4.44, None, "a hop takes at most 213,885 instructions, 4.44 ms"),
        (None, 30.0, "a hop takes at most 213,885 instructions"),
    ],
)
def test_the_time_of_a_stream_is_that_of_a_hop(
    milliseconds: float | None, period: float | None, expected: str, capsys: pytest.CaptureFixture[str]
):
    """A maker compares the time of a step with its period, not the time of all steps up to the first answer."""
    frames = {"frame": 480, "hop": 480, "steps": 5, "stride": 1, "state_bytes": 100}
    times = {"longest_hop": 213_885, "milliseconds": milliseconds, "period": period}
    print_stream({**frames, **times}, "instructions")
    assert capsys.readouterr().out.strip().endswith(f"; {expected}")
