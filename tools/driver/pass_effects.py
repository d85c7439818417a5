"""The effects of the passes of a compilation, from a second run of the passes that led to the compiled program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml.lowering.pipelines import resolved
from tinyml.targets.registry import compile_for
from tinyml.tools.driver.backend import backend_of
from tinyml.tools.driver.compilation import Compilation
from tinyml.tools.driver.pass_watch import CHANGED, effect_line, effects_of
from tinyml.tools.driver.stages import pipeline_of_kept
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.ir.pipeline_names import (
    BITS_TO_C,
    BITS_TO_HARDWARE,
    BUFFERS_TO_LOOPS,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_BITS,
)


def pass_effects(compilation: Compilation) -> list[str]:
    """A line for each pass of the pipelines from the imported program to C or Verilog, as `effects_of` returns them.

    If `auto` or a search chose among programs, the lines are those of the chosen program.
    """
    return [*_to_formats(compilation), *_from_formats(compilation)]


def _to_formats(compilation: Compilation) -> Iterator[str]:
    compiled, ctx, module = compilation.compiled, compilation.ctx, compilation.program.clone()
    if compilation.kept:
        yield from effects_of(resolved(pipeline_of_kept(module, compiled.options), vars(compiled.options)), ctx, module)
        return
    options = compiled.options
    if compilation.choice is None:
        # These options take effect only if they improve the answers.
        options = replace(options, fold_affine=compiled.fold_affine, row_scales=compiled.row_scales)
    steps = resolved("reals-to-formats", vars(options))
    if compilation.request.search is None:
        yield from effects_of(steps, ctx, module)
        return
    searched = compiled.typed.before
    assert searched is not None
    at = next(i for i, step in enumerate(steps) if isinstance(step, AssignFormatPass))
    yield from effects_of(steps[:at], ctx, module)
    yield effect_line(CHANGED, searched.passes[-1].name)
    yield from effects_of(steps[at + 1 :], ctx, searched.copy())


def _from_formats(compilation: Compilation) -> Iterator[str]:
    ctx, options = compilation.ctx, vars(compilation.compiled.options)
    module = compilation.compiled.formats.clone()
    # Otherwise the first pass with a target would count as a change: it records the target in the module.
    compile_for(module, compilation.board.name)
    for name in (FORMATS_TO_BUFFERS, BUFFERS_TO_LOOPS, LOOPS_TO_BITS):
        yield from effects_of(resolved(name, options), ctx, module)
    if backend_of(compilation.board) is not None:
        yield from effects_of(resolved(BITS_TO_HARDWARE, options), ctx, module.clone())
    yield from effects_of(resolved(BITS_TO_C, options), ctx, module)
