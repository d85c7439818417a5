"""`python -m measured.figures`: measure the figures of the documentation again (`make figures`).

Figures that were already measured with the current version of the product are not measured again, so that an
interrupted run continues where it stopped. Models are searched for in the repository and in the folder `--models`.
Figures of models that are not found are unchanged, as are figures of tables that no command measures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from measured.columns import TABLES
from measured.commands import Unmeasured, measure
from measured.store import FOLDER, MEASURED, SOURCES, compilers, head, is_current, read, write
from measured.tables import PAGES, column_of, has_figures, renewed, rewrite, tables


def commands(only: Sequence[str] = ()) -> list[str]:
    """The distinct commands that measure the columns of all tables, or of the tables `only`."""
    shown = [table for page in PAGES for table in tables(page.read_text(encoding="utf-8"))]
    return list(
        dict.fromkeys(
            command
            for table in shown
            if not only or table.name in only
            for label in table.rows
            for heading in table.headings
            if (command := column_of(table.name, heading, label)[0])
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m measured.figures", description=__doc__)
    parser.add_argument("--only", default="", metavar="TABLE,...", help="the tables to measure (default all)")
    parser.add_argument("--models", type=Path, metavar="DIR", help="models beside those of the repository")
    parser.add_argument("--commands", action="store_true", help="list the commands, and measure nothing")
    arguments = parser.parse_args()
    chosen = commands(list(filter(None, arguments.only.split(","))))
    if arguments.commands:
        print("\n".join(chosen))
        return 0
    commit, left = head(), 0
    for command in chosen:
        measured = read(MEASURED)
        before = measured.get(command)
        if before is not None and is_current(before["commit"]):
            continue
        try:
            values = measure(command, arguments.models)
        except Unmeasured as reason:
            print(f"{command}: left as it is, {reason}", file=sys.stderr)
            left += 1
            continue
        write(MEASURED, {**read(MEASURED), "compilers": compilers(), command: {"commit": commit, **values}})
        print(command, values, flush=True)
    incomplete = rewrite(PAGES, renewed)
    if not arguments.only:
        write(MEASURED, {key: values for key, values in read(MEASURED).items() if key in (*chosen, "compilers")})
    _forget_replaced()
    print(f"{len(chosen)} commands, {left} of them left as they were", file=sys.stderr)
    return int(incomplete > 0)


def _forget_replaced() -> None:
    """Remove cells that a command now measures from the files of stored tables."""
    measured = read(MEASURED)
    for name in TABLES:
        file = FOLDER / f"{name}.json"
        rows = {
            label: {
                heading: cell
                for heading, cell in row.items()
                if not has_figures(column_of(name, heading, label)[0], measured)
            }
            for label, row in read(file).items()
        }
        left = {label: row for label, row in rows.items() if row.keys() - SOURCES}
        if left:
            write(file, left)
        else:
            file.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
