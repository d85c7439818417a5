"""Figures of rows in `docs/figures/papers/PAPER.json`, by item, with commit and command."""

from __future__ import annotations

from pathlib import Path

from figures.store import FOLDER, Figures, read

from papers.row import Row, Shown, Values


def file_of(paper: str) -> Path:
    return FOLDER / "papers" / f"{paper}.json"


def stored(paper: str) -> Figures:
    """The entries of a paper, by item; rows of `Shown` figures and rows without a command have none."""
    return read(file_of(paper))


def values_of(paper: str, row: Row) -> Values:
    """The figures of a row, empty if it has not been run."""
    return row.run.summary() if isinstance(row.run, Shown) else stored(paper).get(row.item, {})


def is_kept(row: Row) -> bool:
    """True for rows whose figures stand in the file of their paper."""
    return row.run is not None and not isinstance(row.run, Shown)
