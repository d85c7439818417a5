"""The page of a compiled program with its pictures, in the folder of the program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.tools.cli.atomic_file import write_file
from tinyml.tools.reports.pages.report_page import REPORT_PAGE, report_page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.targets.board import Board
    from tinyml.tools.driver.stages import Compiled
    from tinyml.tools.reports.facts.page_facts import PageFacts

PICTURES = "pictures"
"""The folder of the pictures, each an SVG file by its name."""


def facts_at_hand(
    report: Mapping[str, Any], board: Board, compiled: Compiled, wrong: Mapping[str, NDArray[Any]]
) -> PageFacts:
    """What is known of a program right after its compilation. wrong: the arrays of `write_errors`."""
    from tinyml.tools.reports.facts.answers import wrong_answers
    from tinyml.tools.reports.facts.loop_nests import loop_nests
    from tinyml.tools.reports.facts.page_facts import PageFacts
    from tinyml.tools.reports.facts.tensor_facts import tensor_facts

    return PageFacts(
        report=report,
        board=board,
        tensors=tensor_facts(compiled.formats),
        nests=loop_nests(compiled.loops),
        wrong=wrong_answers(wrong) if wrong else [],
    )


def write_pages(folder: Path, facts: PageFacts) -> list[str]:
    """Write `report.html` and the pictures into a folder; returns the names of the files."""
    (folder / PICTURES).mkdir(exist_ok=True)
    files = {f"{PICTURES}/{name}.svg": picture.finished() for name, picture in facts.pictures.items()}
    files[REPORT_PAGE] = report_page(facts)
    for name, text in files.items():
        write_file(folder / name, text)
    return [*files]
