"""Compilation within a limit on RAM, by the input in the arena and by plans of execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tinyml.targets.chip import MEMORY
from tinyml.targets.costs import OPTIMIZE
from tinyml.transforms.schedules.table import AUTO, schedule_named

if TYPE_CHECKING:
    from tinyml.lowering.options import PipelineOptions
    from tinyml.tools.driver.stages import Compiled

ATTEMPTS = 3
"""Plans that are tried within a limit: the stack is known when a program is compiled."""


def ram_of(compiled: Compiled, target: str) -> int:
    """The bytes of RAM of a program: arena, input and stack by the cost model, without the stack where it has none."""
    from tinyml.transforms.ir.cost.estimate import estimate_on
    from tinyml.transforms.search.costs.working_memory import arena_and_input

    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    return arena_and_input(compiled.buffers) if estimate is None else round(estimate.ram)


def compile_within_ram(
    limit: int,
    compiled: Compiled,
    options: PipelineOptions,
    taken: Callable[[Compiled], int],
    again: Callable[[PipelineOptions], Compiled],
) -> tuple[Compiled, PipelineOptions]:
    """The program and its options: the first that keeps the limit, or else the last that was tried.

    The input moves into the arena first, then the plan `auto` takes less memory. taken: the bytes of a program that are
    limited. again: compiles with other options.
    """
    if taken(compiled) > limit and options.input == MEMORY and not options.reuse_input:
        options = replace(options, reuse_input=True)
        compiled = again(options)
    alive = limit
    for _ in range(ATTEMPTS if options.plan == AUTO else 0):
        if (over := taken(compiled) - limit) <= 0 or alive <= 0:
            break
        # The plan counts what is alive at once, without the stack.
        alive -= over if options.ram is not None else taken(compiled) - _alive(compiled)
        options = replace(options, ram=max(alive, 1))
        compiled = again(options)
    return compiled, options


def compile_wider(
    limit: int,
    compiled: Compiled,
    options: PipelineOptions,
    taken: Callable[[Compiled], int],
    again: Callable[[PipelineOptions], Compiled],
) -> tuple[Compiled, PipelineOptions]:
    """The program and its options, with what is left of a limit on RAM spent on channels at once where that is faster.

    Other plans than those by channels stay as they are. Time is that of the cost model; on targets without one the
    widest program within the limit is taken.
    """
    if not schedule_named(options.plan).widens:
        return compiled, options
    alive, wide, fastest = _alive(compiled), compiled, _time(compiled, options.target)
    for _ in range(ATTEMPTS):
        if (left := limit - taken(wide)) <= 0:
            break
        # Packing may take less than what the plan counts.
        alive += left
        wider = replace(options, ram=alive)
        wide = again(wider)
        if taken(wide) > limit:
            break
        if (time := _time(wide, options.target)) <= fastest:
            compiled, options, fastest = wide, wider, time
    return compiled, options


def _time(compiled: Compiled, target: str) -> float:
    """The estimated time of an inference; 0 on targets without costs."""
    from tinyml.transforms.ir.cost.estimate import estimate_on

    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    return 0 if estimate is None else estimate.time


def _alive(compiled: Compiled) -> int:
    from tinyml.transforms.search.costs.working_memory import arena_and_input

    return arena_and_input(compiled.buffers)
