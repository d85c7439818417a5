"""What pages show of compiled programs: facts right after a compilation or from a folder, and the text of each page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.tools.driver.output_folder import (
    ERRORS,
    PICTURES,
    REPORT_PAGE,
)
from tinyml.tools.driver.program_in_folder import ProgramInFolder, lowering_options
from tinyml.tools.driver.stages import Compiled, load_program
from tinyml.tools.reports.facts.answers import wrong_answers
from tinyml.tools.reports.facts.loop_nests import loop_nests
from tinyml.tools.reports.facts.page_facts import PageFacts
from tinyml.tools.reports.facts.spent_time import measured_time
from tinyml.tools.reports.facts.tensor_facts import tensor_facts
from tinyml.tools.reports.pages.levels_page import (
    LevelLine,
    ProgramLevel,
    c_level,
    level_above,
    level_of,
    linked_by_buffer,
    linked_by_name,
    source_of,
    tag_values,
    written_name,
)
from tinyml.tools.reports.pages.report_page import report_page
from tinyml.transforms.search.costs.pipelines_below import FORMATS_TO_BUFFERS, LOOPS_TO_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.targets.board import Board


def facts_at_hand(
    report: Mapping[str, Any], board: Board, compiled: Compiled, wrong: Mapping[str, NDArray[Any]]
) -> PageFacts:
    """The facts of a program right after its compilation. wrong: the arrays of `write_errors`."""
    return PageFacts(
        report=report,
        board=board,
        tensors=tensor_facts(compiled.formats),
        nests=loop_nests(compiled.loops),
        wrong=wrong_answers(wrong) if wrong else [],
    )


def pages_of(facts: PageFacts) -> dict[str, str]:
    """The text of `report.html` and of each picture, by their names in the folder."""
    pictures = {f"{PICTURES}/{name}.svg": picture.finished() for name, picture in facts.pictures.items()}
    return {**pictures, REPORT_PAGE: report_page(facts)}


def facts_of_folder(found: ProgramInFolder, measured: Attribution | None) -> PageFacts:
    """The facts of a program in a folder, with histograms of all its tensors. measured: its profile."""
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


def profile(found: ProgramInFolder, *, listing: bool = False) -> Attribution | None:
    """The profile of a program, with its instructions for a `listing`.

    None where the tools of its board are missing, or have no profiler.
    """
    from tinyml.runtime.devices.registry import is_available
    from tinyml.runtime.devices.runner import NoProfilerError
    from tinyml.tools.driver.explain_model import measured_program

    if not is_available(found.board.name):
        return None
    try:
        return measured_program(found, listing=listing)
    except NoProfilerError:
        return None


def levels_of(found: ProgramInFolder, measured: Attribution | None) -> list[ProgramLevel]:
    """The levels from reals to C and, if it was measured, assembly."""
    ctx = context()
    files = {level: found.folder / "ir" / f"{level}.mlir" for level in ("0-reals", "1-formats")}
    formats = load_program(files["1-formats"], ctx)
    of_formats = _linked_to_buffers(formats, found)
    levels = [level_above("L1 formats", files["1-formats"].read_text("utf-8"), of_formats)]
    if files["0-reals"].is_file():
        reals = load_program(files["0-reals"], ctx)
        of_reals = linked_by_name(reals, [(op, written_name(op), of_formats.get(op)) for op in formats.walk()])
        levels.insert(0, level_above("L0 reals", files["0-reals"].read_text("utf-8"), of_reals))
    bits = found.loops.clone()
    pipelines.run(bits, ctx, pipelines.flatten(LOOPS_TO_BITS, lowering_options(found.report)))
    below = {"L2 buffers": found.buffers, "L3 loops": found.loops, "L4 bits": bits}
    levels += [level_of(name, module) for name, module in below.items()]
    levels.append(c_level(found.lines, found.sources, {} if measured is None else measured.time))
    if measured is not None and measured.instructions:
        levels.append(_assembly(found, measured))
    return levels


def _linked_to_buffers(formats: ModuleOp, found: ProgramInFolder) -> dict[Operation, str]:
    """The source of each op at L1: a copy is lowered in which every value has a name of its own."""
    own = [[result.name_hint for result in op.results] for op in formats.walk()]
    tag_values(formats)
    tagged = formats.clone()
    pipelines.run(tagged, context(), pipelines.flatten(FORMATS_TO_BUFFERS, lowering_options(found.report)))
    lowered, kept = list(tagged.walk()), list(found.buffers.walk())
    if [op.name for op in lowered] != [op.name for op in kept]:
        raise InputError("is not what ir/1-formats.mlir gives: compile the model again", file=str(found.folder))
    sources = linked_by_buffer(
        formats, [(op, written_name(copy), source_of(op)) for op, copy in zip(kept, lowered, strict=True)]
    )
    for op, hints in zip(formats.walk(), own, strict=True):
        for result, hint in zip(op.results, hints, strict=True):
            result.name_hint = hint
    return sources


def _assembly(found: ProgramInFolder, measured: Attribution) -> ProgramLevel:
    lines: list[LevelLine] = []
    for each in measured.instructions:
        names = found.sources.get(each.line, ())
        lines.append(LevelLine(f"{each.address:6x}  {each.text}", names[0] if names else None, each.time))
    return ProgramLevel("Assembly", lines)
