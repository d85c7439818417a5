"""Compilation from a program file to C, with the IR of every level."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, TypeAttribute
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.lookup import format_named
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.importers import ADVICE, FRONTENDS, MLIR
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.c.print_c import print_c
from tinyml.targets.registry import board
from tinyml.tools.cli.ir_printer import IRPrinter
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.cli.user_errors import invalid
from tinyml.tools.driver.backend import backend_of
from tinyml.tools.driver.compiled_program import Compiled, LevelText
from tinyml.tools.driver.measure import accuracy
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.formats.plan_execution import with_rounded_sums
from tinyml.transforms.ir.pipeline_names import (
    BITS_TO_C,
    BUFFERS_TO_LOOPS,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_BITS,
    PARTS_TO_FORMATS,
    REFINE_FORMATS,
)
from tinyml.transforms.programs.store import Program, Programs
from tinyml.transforms.reals.drop_monotone import DropMonotonePass
from tinyml.transforms.reals.profile import ProfilePass

if TYPE_CHECKING:
    from tinyml.transforms.search.engine.search_pass import SearchPass

_REALS = "0-reals.mlir"
_BITS = "4-bits.mlir"
_LEVELS = {"2-buffers.mlir": FORMATS_TO_BUFFERS, "3-loops.mlir": BUFFERS_TO_LOOPS, _BITS: LOOPS_TO_BITS}

LONG_TYPE = 200
"""The length above which an element type gets an alias, such as one with scales for many channels."""

_NESTED_PATHS = {"sd": ("seedot/input.sd",)}
"""Further paths of a program inside its model's folder, by the program's suffix."""


def load_program(path: Path, ctx: Context) -> ModuleOp:
    """Load the program in a file. The suffix determines whether it is a module (.mlir) or a program for a frontend.

    Raises `InputError` for an unknown suffix, for a file that cannot be read, and for an invalid program.
    """
    suffix = path.suffix.removeprefix(".")
    if suffix != MLIR and suffix not in FRONTENDS:
        suffixes = ", ".join(f".{name}" for name in (*sorted(FRONTENDS.names()), MLIR))
        help = f": {ADVICE[suffix]}" if suffix in ADVICE else ""
        raise InputError(f"expected a program ({suffixes}){help}", file=str(path))
    content = read_bytes(path, "program")
    try:
        name = str(path)
        module = parse_mlir(ctx, content, name) if suffix == MLIR else FRONTENDS.get(suffix)(content, name)
    except UnicodeDecodeError as error:
        raise InputError("cannot read the program: not a text file", file=str(path)) from error
    try:
        module.verify()
    except VerifyException as error:
        raise invalid(module, error, str(path)) from error
    return module


def with_outputs(program: ModuleOp, ctx: Context, outputs: str) -> ModuleOp:
    """A copy of a program at L0 that returns only the requested outputs, as the reference for comparisons.

    outputs: a value of the option `--outputs`.
    """
    module = program.clone()
    DropMonotonePass(outputs).apply(ctx, module)
    return module


def print_ir(module: ModuleOp) -> str:
    """The text of a module, with aliases for the long types of elements and accumulators."""
    stream = io.StringIO()
    IRPrinter(stream).print_op(module)
    text = stream.getvalue()
    aliases = {spelled: f"!t{number}" for number, spelled in enumerate(_long_types(module))}
    for spelled, alias in aliases.items():
        # Text within quotes is the content of a string attribute.
        text = re.sub(rf'(?<!"){re.escape(spelled)}', alias, text)
    return "".join([*(f"{alias} = {spelled}\n" for spelled, alias in aliases.items()), text, "\n"])


def _long_types(module: ModuleOp) -> Iterable[str]:
    types: dict[Attribute, str] = {}
    for op in module.walk():
        blocks = [block for region in op.regions for block in region.blocks]
        values = (*op.results, *(argument for block in blocks for argument in block.args))
        for type in (*(value.type for value in values), *op.properties.values()):
            inner: Attribute = getattr(type, "element_type", type)
            if inner not in types and isinstance(inner, TypeAttribute):
                types[inner] = str(inner)
    return (spelled for spelled in types.values() if len(spelled) > LONG_TYPE)


class VerifiedPrograms(Programs):
    """A store of lowered programs, each of which is verified and proved when it is created.

    of_user: as for `pipelines.run`.
    """

    def __init__(self, ctx: Context, *, of_user: bool = False):
        super().__init__()
        self.context = ctx
        self.of_user = of_user

    def run(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        pipelines.run(module, self.context, passes, of_user=self.of_user)


def compile_stages(
    reals: ModuleOp,
    ctx: Context,
    options: PipelineOptions,
    search: SearchPass | None = None,
    programs: Programs | None = None,
) -> Compiled:
    """Compile a program at L0, profiled on a data set.

    The option `fold_affine` takes effect only if it does not change more answers on the data; `row_scales` takes effect
    only if it changes fewer answers. The search with either option has a separate journal, whose name has the suffix
    `.folded` or `.rows`.

    search: the pass that chooses a format for each tensor, and replaces the width.
    programs: known programs of other options; levels with equal options are reused.
    """
    program = (programs or VerifiedPrograms(ctx)).of(reals)
    chosen = replace(options, fold_affine=False, row_scales=False)
    best = _reals_and_formats(program, chosen, search)
    for name, suffix, fewer in (("fold_affine", "folded", 0), ("row_scales", "rows", 1)):
        if not getattr(options, name):
            continue
        own = search
        if search is not None and search.journal is not None:
            own = replace(search, journal=f"{search.journal}.{suffix}")
        tried = replace(chosen, **{name: True})
        found = _reals_and_formats(program, tried, own)
        if found[0].first is best[0].first:
            continue
        if _changed_answers(*found, options.data) <= _changed_answers(*best, options.data) - fewer:
            chosen, best = tried, found
    compiled = _from_formats(*best, options, row_scales=chosen.row_scales)
    return replace(compiled, fold_affine=chosen.fold_affine)


def compile_formats(
    reals: ModuleOp, module: ModuleOp, ctx: Context, options: PipelineOptions, *, row_scales: bool
) -> Compiled:
    """Compile a program at L1.

    reals: the profiled program at L0 from which it was derived.
    row_scales: as in `Compiled`.
    """
    programs = VerifiedPrograms(ctx)
    profiled, typed = programs.made("reals", lambda: reals), programs.made("formats", lambda: module)
    return _from_formats(profiled, typed, options, row_scales=row_scales)


def _from_formats(reals: Program, formats: Program, options: PipelineOptions, *, row_scales: bool) -> Compiled:
    width = format_named(formats.store.context, options.format, options.width).bits
    return _below(reals.module, formats, options, [LevelText(_REALS, _text(reals))], width, row_scales)


def refine_kept(module: ModuleOp, ctx: Context, options: PipelineOptions) -> None:
    """Refine a program at L1 that already has number formats. With data, its f32 tensors are converted to the formats
    that the options request.
    """
    pipelines.run(module, ctx, _passes_of_kept(module, options))


def pipeline_of_kept(module: ModuleOp, options: PipelineOptions) -> str:
    """The name of the pipeline that refines a program at L1 which already has number formats."""
    return PARTS_TO_FORMATS if options.data and tdsl.is_mixed(module) else REFINE_FORMATS


def _passes_of_kept(module: ModuleOp, options: PipelineOptions) -> Sequence[ModulePass]:
    return pipelines.flatten(pipeline_of_kept(module, options), vars(options))


def compile_kept(
    module: ModuleOp, ctx: Context, options: PipelineOptions, programs: Programs | None = None
) -> Compiled:
    """Compile a program at L1 that already has number formats (`refine_kept`).

    programs: as for `compile_stages`.
    """
    chosen = format_named(ctx, options.format, options.width) if options.data else F32_FORMAT
    parts = None
    if tdsl.is_mixed(module):
        parts = str(chosen.type) if chosen == F32_FORMAT else f"{options.format} {chosen.bits}"
    program = (programs or VerifiedPrograms(ctx)).of(module)
    reals = program.after(LiftToRealsPass()).module
    formats = program.after(*_passes_of_kept(module, options))
    # The passes report ops without a value, and elements without a format, with their location.
    _ = formats.module
    format = tdsl.kept_format(module)
    options = replace(options, format=str(format.type.name).partition(".")[0], width=format.bits)
    compiled = _below(reals, formats, options, [], format.bits, row_scales=False)
    return replace(compiled, parts=parts, kept=True)


def compile_again(compiled: Compiled, options: PipelineOptions) -> Compiled:
    """Compile a program again from L1, with other options for the later passes."""
    options = replace(options, format=compiled.format, width=compiled.width)
    reals = [stage for stage in compiled.stages if stage.file == _REALS]
    again = _below(compiled.reals, compiled.typed, options, reals, compiled.width, compiled.row_scales)
    return replace(again, parts=compiled.parts, kept=compiled.kept, fold_affine=compiled.fold_affine)


def compile_bits_again(compiled: Compiled, options: PipelineOptions) -> Compiled:
    """Compile a program again from bits (L4), with other options for the later passes."""
    options = replace(options, format=compiled.format, width=compiled.width)
    end = next(i for i, stage in enumerate(compiled.stages) if stage.file == _BITS) + 1
    stages = list(compiled.stages[:end])
    program, source, header, verilog = _from_bits(compiled.bits, options, stages)
    texts = {"source": source, "header": header, "verilog": verilog}
    return replace(compiled, program=program, stages=tuple(stages), options=options, **texts)


def _below(
    reals: ModuleOp,
    typed: Program,
    options: PipelineOptions,
    stages: list[LevelText],
    width: int,
    row_scales: bool,
) -> Compiled:
    """Lower a program from L1 to C or Verilog, and return the compiled program with the IR of each level.

    typed: the program at L1, before a plan rounds sums.
    stages: the IR of the levels above L1, to which this function appends.
    width, row_scales: as in `Compiled`.
    """
    formats, unrounded = typed.module, None
    planned = with_rounded_sums(formats, typed.store.context, options.plan, options.ram)
    if planned is not None:
        formats, unrounded = planned, formats
    stages.append(LevelText("1-formats.mlir", print_ir(formats) if unrounded else _text(typed)))
    levels = [typed]
    for file, pipeline in _LEVELS.items():
        levels.append(lowered(levels[-1], pipeline, vars(options)))
        stages.append(LevelText(file, _text(levels[-1])))
    _, buffers, loops, bits = levels
    program, source, header, verilog = _from_bits(bits, options, stages)
    # Reports name operations.
    modules = reals, formats, unrounded, buffers.copy(), loops.copy(), program
    texts = tuple(stages), source, header
    return Compiled(*modules, *texts, options.format, width, row_scales, typed, bits, options, verilog=verilog)


def lowered(program: Program, pipeline: str, options: Mapping[str, Any]) -> Program:
    """The program after a pipeline, with the options of `PipelineOptions` that the pipeline's passes accept."""
    return program.after(*pipelines.flatten(pipeline, options))


def _text(program: Program) -> str:
    return program.fact(print_ir, lambda: print_ir(program.module))


def _from_bits(
    bits: Program, options: PipelineOptions, stages: list[LevelText]
) -> tuple[ModuleOp, str, str, str | None]:
    verilog = None
    if (backend := backend_of(board(options.target))) is not None:
        hardware = backend.lowered(bits.module, bits.store.context, options)
        stages.append(LevelText("5-hardware.mlir", print_ir(hardware)))
        verilog = backend.text_of(hardware)
    program = lowered(bits, BITS_TO_C, vars(options))
    stages.append(LevelText("5-c.mlir", _text(program)))
    module, ctx = program.module, program.store.context
    source, header = (print_c(module, ctx, options.target, file) for file in ("source", "header"))
    return module, source, header, verilog


def passes_to_formats(options: PipelineOptions, search: SearchPass | None) -> list[ModulePass]:
    """The passes of `reals-to-formats`; a search replaces `assign-format`."""
    passes = pipelines.flatten("reals-to-formats", vars(options))
    if search is None:
        return passes
    return [search if isinstance(step, AssignFormatPass) else step for step in passes]


def _reals_and_formats(
    program: Program, options: PipelineOptions, search: SearchPass | None
) -> tuple[Program, Program]:
    passes = passes_to_formats(options, search)
    profiled = next(i for i, step in enumerate(passes) if isinstance(step, ProfilePass)) + 1
    reals = program.after(*passes[:profiled])
    if search is None:
        return reals, reals.after(*passes[profiled:])
    # `pass_effects` continues from the program after the search.
    searched = passes.index(search) + 1
    return reals, reals.after(*passes[profiled:searched]).after(*passes[searched:])


def _changed_answers(reals: Program, formats: Program, file: str) -> int:
    def count() -> int:
        return accuracy(reals.module, formats.module, load_program_data(reals.module, file)).disagreements

    return formats.fact((reals, file), count)


def find_model(folder: Path) -> tuple[Path, Path, Path | None]:
    """Return the paths of the program, the validation data and the test data in a model's folder; None without test
    data.

    The program is a file that a frontend imports, or seedot/input.sd; the table of frontends determines the precedence.
    The data are val.npz and, if present, test.npz. Raises `InputError` without a program.
    """
    patterns = [pattern for suffix in FRONTENDS.names() for pattern in (f"*.{suffix}", *_NESTED_PATHS.get(suffix, ()))]
    programs = (path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.is_file())
    if (program := next(programs, None)) is None:
        raise InputError(f"holds no program ({', '.join(patterns)})", file=str(folder))
    test = folder / "test.npz"
    return program, folder / "val.npz", test if test.is_file() else None


def model_of(path: Path) -> tuple[Path, Path | None, Path | None]:
    """The paths of the program, the validation data and the test data in a folder.

    For a program file instead of a folder, the data are None.
    """
    return find_model(path) if path.is_dir() else (path, None, None)
