"""From a program file to C, keeping the IR of every level on the way."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.arg_spec import parse_spec

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines

_LEVELS = {
    "2-buffers.mlir": "formats-to-buffers",
    "3-loops.mlir": "buffers-to-loops",
    "4-bits.mlir": "loops-to-bits",
    "5-c.mlir": "bits-to-c",
}


@dataclass(frozen=True)
class Stage:
    """IR as it stands at one level: `file` is its name below `ir/`."""

    file: str
    text: str


@dataclass(frozen=True)
class Compiled:
    """reals, formats, buffers, loops, program: the IR of L0, L1, L2, L3 and L5. stages: that of all levels as text.
    source, header: the C files.

    width: bits of the number format that was asked for. row_scales: have rows of constant matrices their own scales?
    """

    reals: ModuleOp
    formats: ModuleOp
    buffers: ModuleOp
    loops: ModuleOp
    program: ModuleOp
    stages: tuple[Stage, ...]
    source: str
    header: str
    width: int
    row_scales: bool


def load_program(path: Path, ctx: Context) -> ModuleOp:
    """A SeeDot program (.sd) or a module at L0 (.mlir)."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise InputError(f"cannot read the program: {reason}", file=str(path)) from error
    if path.suffix == ".sd":
        from tinyml.lowering.frontends.seedot.importer import import_seedot

        return import_seedot(text, str(path))
    if path.suffix == ".mlir":
        return Parser(ctx, text, str(path)).parse_module()
    raise InputError("expected a SeeDot program (.sd) or a module (.mlir)", file=str(path))


def print_ir(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue() + "\n"


def compile_stages(
    reals: ModuleOp,
    ctx: Context,
    *,
    data: Path,
    format: str,
    width: int | None,
    functions: str | None,
    target: str,
    row_scales: bool = False,
    search: Mapping[str, str] | None = None,
    reuse_input: bool = False,
    pack_buffers: bool = False,
    round_sums: bool = False,
    weights: str | None = None,
    packed: str | None = None,
) -> Compiled:
    """Compile a program at L0 with the profile of a data set.

    search: options of pipelines that name what chooses a format for each tensor, in place of the width. row_scales:
    give the rows of constant matrices scales of their own where that changes fewer answers on the data; a search with
    these has a journal of its own, with `.rows` behind the name.
    reuse_input: let buffers lie in the caller's array once the input has been read. pack_buffers: pack working memory
    of odd widths. round_sums: give sums that loops carry no accumulators.
    weights: another format for constants, as `assign-format` takes it. packed: as `pack-constants` takes it.
    """
    actual_width = format_named(ctx, format, width).bits
    options = {
        "data": pipelines.spelled(str(data)),
        "format": pipelines.spelled(format),
        "target": pipelines.spelled(target),
    }
    if width is not None:
        options["width"] = str(width)
    if weights is not None:
        options["weights"] = pipelines.spelled(weights)
    if packed is not None:
        options["packed"] = packed
    if functions is not None:
        options["functions"] = pipelines.spelled(functions)
    if search is not None:
        options |= search
    if reuse_input:
        options["reuse-input"] = "true"
    if round_sums:
        options["round-sums"] = "true"
    if pack_buffers:
        options["pack-buffers"] = "true"
    scaled = plain = _reals_and_formats(reals, ctx, options)
    if row_scales:
        scaled = _reals_and_formats(reals, ctx, {**options, **_with_journal_of_rows(search), "row-scales": "true"})
    row_scales = row_scales and _changed_answers(*scaled, data) < _changed_answers(*plain, data)
    reals, module = scaled if row_scales else plain
    formats = module.clone()
    stages = [Stage("0-reals.mlir", print_ir(reals)), Stage("1-formats.mlir", print_ir(module))]
    buffers = loops = module
    for file, pipeline in _LEVELS.items():
        pipelines.run(module, ctx, pipelines.flatten(pipeline, options))
        if pipeline == "formats-to-buffers":
            buffers = module.clone()
        if pipeline == "buffers-to-loops":
            loops = module.clone()
        stages.append(Stage(file, print_ir(module)))
    source, header = (print_c(module, ctx, target, file) for file in ("source", "header"))
    return Compiled(reals, formats, buffers, loops, module, tuple(stages), source, header, actual_width, row_scales)


def _with_journal_of_rows(search: Mapping[str, str] | None) -> dict[str, str]:
    """The options of a search in the program with scales per row: if it has a journal, one beside the first."""
    if search is None:
        return {}
    given = search.get(pipelines.SEARCH_OPTIONS, "")
    journal = parse_spec(f"{search[pipelines.SEARCH]}{{{given}}}").parameters.get("journal")
    if journal is None:
        return {}
    # Of an option that is given twice the last counts.
    return {pipelines.SEARCH_OPTIONS: f"{given} journal={pipelines.spelled(f'{journal[0]}.rows')}"}


def _reals_and_formats(reals: ModuleOp, ctx: Context, options: dict[str, str]) -> tuple[ModuleOp, ModuleOp]:
    """A program at L0, profiled, and at L1."""
    passes = pipelines.flatten("reals-to-formats", options)
    profiled = next(place for place, spec in enumerate(passes) if spec.startswith("profile")) + 1
    reals = reals.clone()
    pipelines.run(reals, ctx, passes[:profiled])
    formats = reals.clone()
    pipelines.run(formats, ctx, passes[profiled:])
    return reals, formats


def _changed_answers(reals: ModuleOp, formats: ModuleOp, file: Path) -> int:
    """On how many inputs of a data file a program gives another class than in reals."""
    from tinyml.runtime.model.data import load_data
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.tools.driver.measure import accuracy

    return accuracy(reals, formats, load_data(str(file), elements=interface_of(reals).input_length)).disagreements


def print_c(module: ModuleOp, ctx: Context, target: str, file: str) -> str:
    """A program at L5 as the C file of a kind, `source` or `header`."""
    from tinyml.targets.c.print_c import CTarget

    stream = io.StringIO()
    CTarget(target=target, file=file).emit(ctx, module, stream)
    return stream.getvalue()


def count_model_macs(reals: ModuleOp) -> int:
    """Multiply-accumulates of a program, with sparse products where storing the matrix sparse pays in floats."""
    from tinyml.transforms.formats.choose_storage import ChooseStoragePass
    from tinyml.transforms.reals.analysis.count_macs import count_macs

    module = reals.clone()
    ChooseStoragePass().apply(Context(), module)
    return count_macs(module)
