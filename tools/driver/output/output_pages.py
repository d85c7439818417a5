"""The page of a compiled program with its pictures, in the folder of the program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.targets.board import Board
    from tinyml.tools.driver.output.program_in_folder import ProgramInFolder
    from tinyml.tools.driver.stages import Compiled
    from tinyml.tools.reports.facts.page_facts import PageFacts

PICTURES = "pictures"
"""The folder of the pictures, each an SVG file by its name."""


def facts_at_hand(
    report: Mapping[str, Any], board: Board, compiled: Compiled, wrong: Mapping[str, NDArray[Any]]
) -> PageFacts:
    """The facts of a program right after its compilation. wrong: the arrays of `write_errors`."""
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


def pages_of(facts: PageFacts) -> dict[str, str]:
    """The text of `report.html` and of each picture, by their names in the folder."""
    from tinyml.tools.reports.pages.report_page import REPORT_PAGE, report_page

    pictures = {f"{PICTURES}/{name}.svg": picture.finished() for name, picture in facts.pictures.items()}
    return {**pictures, REPORT_PAGE: report_page(facts)}


def facts_of_folder(found: ProgramInFolder, measured: Attribution | None) -> PageFacts:
    """The facts of a program in a folder, with histograms of all its tensors. measured: its profile."""
    from tinyml.tools.driver.output.output_folder import ERRORS
    from tinyml.tools.reports.facts.answers import wrong_answers
    from tinyml.tools.reports.facts.loop_nests import loop_nests
    from tinyml.tools.reports.facts.page_facts import PageFacts
    from tinyml.tools.reports.facts.spent_time import measured_time
    from tinyml.tools.reports.facts.tensor_facts import tensor_facts

    wrong, file = [], found.folder / ERRORS
    if file.is_file():
        wrong = wrong_answers(_read_errors(file))
    time = None
    if measured is not None:
        time = measured_time(measured, found.sources, found.lines, found.board.unit)
    return PageFacts(
        report=found.report,
        board=found.board,
        tensors=tensor_facts(found.formats, found.samples),
        nests=loop_nests(found.loops),
        wrong=wrong,
        measured=time,
    )


def _read_errors(file: Path) -> dict[str, NDArray[Any]]:
    """The arrays of `write_errors`; raises `InputError` for a file without them, or with others."""
    from tinyml.dialects.errors import InputError
    from tinyml.runtime.readers.arrays import read_npz

    arrays: dict[str, NDArray[Any]] = {}
    for name in ("sample", "x", "float", "compiled", "y"):
        array = read_npz(file, "wrong answers", name, lambda header: None)
        if array is None and name != "y":
            raise InputError(f"has no array `{name}`", file=str(file))
        if array is not None:
            arrays[name] = array
    count = arrays["sample"].shape
    for name, array in arrays.items():
        kinds = "iuf" if name == "x" else "iu"
        if array.dtype.kind not in kinds or array.shape[:1] != count or (name != "x" and array.ndim != 1):
            raise InputError(f"the array `{name}` is not as it was written: compile the model again", file=str(file))
    return arrays
