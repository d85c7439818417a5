"""`python -m measured.papers`: run the rows of the papers and write their figures (`make papers`).

A row that was measured with the current version of the product and the same command is not measured again, so that an
interrupted run continues where it stopped. The tests of rows always run. Models are searched for in the repository and
in the folder `--models`. Rows whose models are missing are unchanged.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from programs.paths import ROOT
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from measured.commands import Unmeasured
from measured.paper_pages import file_of, is_kept, page_of, pictures, renewed, stored
from measured.papers import PAPERS
from measured.rows import ByTests, Failed, Row, Shown, passed, slug
from measured.store import Values, head, is_current, write
from measured.tables import rewrite


def chosen(only: Sequence[str]) -> list[tuple[str, Row]]:
    """The rows that `PAPER`, `PAPER:ITEM` or `PAPER:ITEM-PART` name; all rows if `only` is empty.

    Raises `SystemExit` for unknown names.
    """
    rows = [(paper, row) for paper, rows in PAPERS.items() for row in rows]
    named = {name: [entry for entry in rows if _is_named(name, *entry)] for name in only}
    if unknown := [name for name, found in named.items() if not found]:
        raise SystemExit(f"error: no row is named {unknown[0]}: name a paper ({', '.join(PAPERS)}) or PAPER:ITEM")
    return [entry for entry in rows if not only or any(entry in found for found in named.values())]


def _is_named(name: str, paper: str, row: Row) -> bool:
    of, _, item = name.partition(":")
    return of == paper and (not item or slug(row.item) == item or slug(row.item).startswith(f"{item}-"))


def run(row: Row, models: Path | None, together: tuple[str, ...] = ()) -> Values:
    """The figures of a row; empty for a row without a command.

    together: the tests of all rows. They run in one process, when the first row with tests is run.

    Raises `Failed` if the row fails, and `Unmeasured` if a model is missing.
    """
    match row.run:
        case ByTests() as tests:
            return passed(tests.names, together)
        case Shown(tables):
            command = [sys.executable, "-m", "measured.figures", "--only", ",".join(tables)]
            further = ["--models", str(models)] if models else []
            if subprocess.run([*command, *further], cwd=ROOT / "tests", check=False).returncode:
                raise Failed("the tables are incomplete")
            return row.run.summary()
        case None:
            return {}
        case measured:
            return measured.measure(models)


def check(row: Row, values: Values) -> None:
    """Raise `Failed` if the figures of a row contradict its verdict."""
    if row.holds is not None and not row.holds(values):
        raise Failed(f"'{row.verdict.value}' does not hold for {dict(values)}")


def renew_pages() -> int:
    """Write the pages and pictures again; return the number of pages with missing figures, which are unchanged."""
    for file, text in pictures().items():
        file.write_text(text, encoding="utf-8")
    return rewrite(map(page_of, PAPERS), renewed)


def _is_kept_as_it_is(paper: str, row: Row) -> bool:
    """Whether a row was already measured with the current version of the product and the same command."""
    before = stored(paper).get(row.item)
    return before is not None and before["command"] == row.command(paper) and is_current(before["commit"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m measured.papers", description=__doc__)
    parser.add_argument("--only", default="", metavar="PAPER[:ITEM],...", help="the rows to run (default all)")
    parser.add_argument("--models", type=Path, metavar="DIR", help="models beside those of the repository")
    arguments = parser.parse_args()
    rows = chosen(list(filter(None, arguments.only.split(","))))
    commit, left, failed = head(), 0, 0
    due = [entry for entry in rows if not _is_kept_as_it_is(*entry)]
    tests = dict.fromkeys(name for _, row in due if isinstance(row.run, ByTests) for name in row.run.names)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True),
    )  # fmt: skip
    with bar:
        task = bar.add_task("papers", total=len(rows))
        for paper, row in rows:
            name = f"{paper}:{slug(row.item)}"
            bar.update(task, description=name)
            if (paper, row) in due:
                try:
                    values = run(row, arguments.models, tuple(tests))
                    check(row, values)
                    if is_kept(row):
                        entry = {"commit": commit, "command": row.command(paper), **values}
                        write(file_of(paper), {**stored(paper), row.item: entry})
                except Unmeasured as reason:
                    bar.console.print(f"{name}: left as it is, {reason}")
                    left += 1
                except Failed as reason:
                    bar.console.print(f"{name}: failed, {reason}")
                    failed += 1
            bar.advance(task)
    for paper, declared in PAPERS.items():
        kept = {row.item for row in declared if is_kept(row)}
        if stored(paper).keys() - kept:
            write(file_of(paper), {item: entry for item, entry in stored(paper).items() if item in kept})
    print(f"{len(rows)} rows, {left} of them left as they were, {failed} failed", file=sys.stderr)
    return int(renew_pages() > 0 or failed > 0)


if __name__ == "__main__":
    sys.exit(main())
