"""The report pages of a compiled program, created directly after the compilation or from the output folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.tdsl.interface import read_input
from tinyml.runtime.devices import registry as runners
from tinyml.runtime.devices.runner import NoProfilerError
from tinyml.runtime.readers.arrays import read_npz
from tinyml.tools.driver.explain_model import measured_program
from tinyml.tools.driver.output_folder import (
    ERRORS,
    PICTURES,
    REPORT_PAGE,
)
from tinyml.tools.reports.facts.answer_pictures import WrongAnswer, wrong_answers
from tinyml.tools.reports.facts.loop_nests import loop_nests
from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.spent_time import measured_time
from tinyml.tools.reports.facts.tensor_facts import tensor_facts
from tinyml.tools.reports.pages.report_page import report_page
from tinyml.tools.reports.report_views import Report

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.tools.driver.compilation import Compilation
    from tinyml.tools.driver.program_in_folder import ProgramInFolder


def facts_at_hand(compilation: Compilation, wrong: Mapping[str, NDArray[Any]]) -> PageFacts:
    """The facts of a program directly after its compilation.

    wrong: the arrays of `write_errors`.
    """
    return PageFacts(
        report=compilation.report,
        board=compilation.board,
        tensors=tensor_facts(compilation.compiled.formats),
        nests=loop_nests(compilation.compiled.loops),
        wrong=_wrong_answers(wrong) if wrong else [],
        features=read_input(compilation.compiled.formats).names,
    )


def pages_at_hand(compilation: Compilation, wrong: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """The texts of a program's pages and pictures, by file name, directly after its compilation."""
    return pages_of(facts_at_hand(compilation, wrong))


def pages_of(facts: PageFacts) -> dict[str, str]:
    """The text of `report.html` and of each picture, by their names in the folder."""
    pictures = {f"{PICTURES}/{name}.svg": picture.finished() for name, picture in facts.pictures.items()}
    return {**pictures, REPORT_PAGE: report_page(facts)}


def facts_of_folder(program: ProgramInFolder, measured: Attribution | None) -> PageFacts:
    """The facts of a program in a folder, with histograms of all its tensors.

    measured: the profile of the program.
    """
    wrong: list[WrongAnswer] = []
    file = program.folder / ERRORS
    if file.is_file():
        wrong = _wrong_answers(_read_errors(file))
    time = None
    if measured is not None:
        time = measured_time(measured, program.sources, program.lines, program.board.unit)
    return PageFacts(
        report=Report.of(program.report),
        board=program.board,
        tensors=tensor_facts(program.formats, program.samples),
        nests=loop_nests(program.loops),
        wrong=wrong,
        features=read_input(program.formats).names,
        measured=time,
        proofs=program.proofs,
    )


def _wrong_answers(arrays: Mapping[str, NDArray[Any]]) -> list[WrongAnswer]:
    return wrong_answers(arrays)


def _read_errors(file: Path) -> dict[str, NDArray[Any]]:
    """The arrays that `write_errors` wrote, of which only `y` may be missing. Raises `InputError` if another array is
    missing, or if an array has the wrong type or shape.
    """
    arrays: dict[str, NDArray[Any]] = {}
    for name in ("sample", "x", "float", "compiled", "least", "greatest", "y"):
        array = read_npz(file, "wrong answers", name, lambda header: None)
        if array is None and name != "y":
            raise InputError(f"has no array `{name}`", file=str(file))
        if array is not None:
            arrays[name] = array
    count = arrays["sample"].shape
    for name, array in arrays.items():
        kinds = "iu" if name in ("sample", "float", "compiled", "y") else "iuf"
        shape = arrays["x"].shape[1:] if name in ("least", "greatest") else count
        given = array.shape[:1] if name == "x" else array.shape
        if array.dtype.kind not in kinds or given != (count if name == "x" else shape):
            raise InputError(f"the array `{name}` was changed: compile the model again", file=str(file))
    return arrays


def profile(program: ProgramInFolder, *, listing: bool = False) -> Attribution | None:
    """The profile of a program; with `listing`, the profile includes its instructions.

    None if the tools of its board are missing, or have no profiler.
    """
    if not runners.is_available(program.board.name):
        return None
    try:
        return measured_program(program, listing=listing)
    except NoProfilerError:
        return None
