"""The tables and pictures of `docs/papers/`. The rows of a paper are between `<!-- paper: NAME -->` and `<!-- end of
paper -->`.
"""

from __future__ import annotations

import re
from pathlib import Path

from measured.measures.classifiers import MODELS, drawing
from measured.measures.spectrograms import drawn
from measured.papers import PAPERS
from measured.rows import MEANINGS, Measured, Row, Shown, Verdict
from measured.store import FOLDER, Figures, Values, read

BLOCK = re.compile(r"(?P<open><!-- paper: (?P<paper>[\w-]+) -->\n).*?(?P<close><!-- end of paper -->\n)", re.DOTALL)

HEADINGS = "| item | the paper | here | command | verdict |\n|---|---|---|---|---|\n"


def page_of(paper: str) -> Path:
    return FOLDER.parent / "papers" / f"{paper}.md"


def renewed(page: str) -> str:
    """The text of a page with current rows of its paper; raises `MissingFigure` for a row whose figures are missing."""
    return BLOCK.sub(lambda block: f"{block['open']}{_text(block['paper'])}{block['close']}", page)


def pictures() -> dict[Path, str]:
    """The SVG pictures of the pages by file, if their figures exist."""
    found: dict[Path, str] = {}
    if curves := stored("seedot").get("figure 13"):
        found[page_of("seedot").with_name("maxscale.svg")] = drawing({name: curves[name]["right"] for name in MODELS})
    if spectrograms := stored("gural-murmann").get("figure 12"):
        found[page_of("seedot").with_name("spectrograms.svg")] = drawn(spectrograms)
    return found


def counts(paper: str) -> dict[Verdict, int]:
    """The number of rows of a paper for each verdict."""
    return {verdict: sum(row.verdict is verdict for row in PAPERS[paper]) for verdict in Verdict}


TOTALS = re.compile(r"(?<=<!-- totals of the papers -->\n).*?(?= *<!-- end of totals -->)", re.DOTALL)


def with_totals(page: str) -> str:
    """The text of a page with the current number of rows of all papers for each verdict."""
    totals = [counts(paper) for paper in PAPERS]
    found = ", ".join(f"{sum(each[verdict] for each in totals)} {verdict.value}" for verdict in Verdict)
    rows = sum(sum(each.values()) for each in totals)
    return TOTALS.sub(f"   Verdicts on the {rows} rows of the seven papers: {found}.\n", page)


VERDICTS = FOLDER.parent / "papers" / "verdicts.md"
"""The page that sums up the verdicts."""

SUMMARY = re.compile(r"(?<=<!-- verdicts -->\n).*?(?=<!-- end of verdicts -->)", re.DOTALL)


def with_summary(page: str) -> str:
    """The text of a page with the number of rows by paper and verdict, and the rows with a worse figure."""
    names = [verdict.value for verdict in Verdict]
    lines = [f"| paper | rows | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for paper in PAPERS:
        found = counts(paper)
        cells = [f"[{TITLES[paper]}]({paper}.md)", sum(found.values()), *found.values()]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines += [
        "",
        MEANINGS,
        "",
        "## What to win back",
        "",
        WORSE_ROWS,
        "",
        "| row | the paper | here | what may win it back |",
    ]
    lines.append("|---|---|---|---|")
    for paper, rows in PAPERS.items():
        for row in rows:
            if row.win_back:
                item, reports, here, *_ = row.cells(paper, values_of(paper, row))
                lines.append(f"| [{TITLES[paper]}]({paper}.md), {item} | {reports} | {here} | {row.win_back} |")
    return SUMMARY.sub(lambda _: "\n".join(lines) + "\n", page)


TITLES = {
    "seedot": "SeeDot",
    "shiftry": "Shiftry",
    "minun": "MinUn",
    "pex": "PEX",
    "gural-murmann": "Gural and Murmann",
    "msf-cnn": "msf-CNN",
    "tiny-deja-vu": "TinyDéjàVu",
}

WORSE_ROWS = "Each row with a worse figure is listed with the change that may make tinyml as good as the paper."


def _text(paper: str) -> str:
    rows = "".join(f"| {' | '.join(row.cells(paper, values_of(paper, row)))} |\n" for row in PAPERS[paper])
    counted = ", ".join(f"{verdict.value} {count}" for verdict, count in counts(paper).items())
    return f"{MEANINGS}\n\nThe table has {len(PAPERS[paper])} rows. Verdicts: {counted}.\n\n{HEADINGS}{rows}"


def file_of(paper: str) -> Path:
    return FOLDER / "papers" / f"{paper}.json"


def stored(paper: str) -> Figures:
    """The stored figures of a paper by item. Only measured rows have an entry."""
    return read(file_of(paper))


def values_of(paper: str, row: Row) -> Values:
    """The figures of a row. Empty for a row that is checked by tests, and for a row that has not been measured."""
    return row.run.summary() if isinstance(row.run, Shown) else stored(paper).get(row.item, {})


def is_kept(row: Row) -> bool:
    """Whether the figures of a row are stored in the file of its paper.

    The figures of rows that are checked by tests are not stored, because the suite runs these tests at every commit.
    """
    return isinstance(row.run, Measured)
