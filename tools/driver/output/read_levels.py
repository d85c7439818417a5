"""The levels of a program in a folder, each line with the operation of L2 that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.tools.driver.output.program_in_folder import lowering_options
from tinyml.tools.driver.stages import load_program
from tinyml.tools.reports.facts.program_levels import (
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
from tinyml.transforms.search.costs.pipelines_below import FORMATS_TO_BUFFERS, LOOPS_TO_BITS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tinyml.runtime.devices.attribution import Attribution
    from tinyml.tools.driver.output.program_in_folder import ProgramInFolder


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
