"""Compilation within limits on RAM and on flash.

A program that exceeds a limit is compiled again with other options. These follow from the last program: from its RAM by
the cost model, or from the flash of the linked program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.devices import registry as runners
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.c.print_c import write_c
from tinyml.targets.chip import MEMORY
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import chip_of
from tinyml.transforms.ir.cost.demand import arena_and_input, demand_of
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.loops.flash.attempts import next_attempt
from tinyml.transforms.schedules.table import AUTO, missing_schedules, traits_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.tools.driver.compiled_program import Compiled

ATTEMPTS = 3
"""Maximum number of plans tried within a limit; the stack is known only after a compilation."""


@dataclass(frozen=True)
class Needs:
    """The memory of a program that does not fit, in bytes.

    flash, ram: the required bytes; 0 if unknown.
    constants: the part of the flash that is not code.
    buffers: the packed program at L2; None if unknown.
    """

    flash: float
    ram: float
    constants: float
    buffers: ModuleOp | None


def ram_of(compiled: Compiled, target: str) -> int:
    """The bytes of RAM of a program: `static_of`, and the stack that the cost model estimates, if the target has a cost
    model.
    """
    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    return static_of(compiled, target) if estimate is None else round(estimate.ram)


def static_of(compiled: Compiled, target: str) -> int:
    """The bytes of arena and input, and of constants on a chip that stores them in RAM."""
    constants = demand_of(compiled.loops).constants if chip_of(target).constants_in_ram else 0
    return _alive(compiled) + constants


def compile_within_ram(
    limit: int,
    compiled: Compiled,
    options: PipelineOptions,
    taken: Callable[[Compiled], int],
    again: Callable[[PipelineOptions], Compiled],
) -> tuple[Compiled, PipelineOptions]:
    """Reduce the RAM of a program to a limit. Return the first program within the limit, or else the last one tried,
    and its options.

    The input is moved into the arena first. If this is not sufficient, the plan `auto` reduces the memory. This
    requires that all schedules are installed.

    limit: in bytes.
    taken: a function that computes the limited bytes of a program.
    again: a function that compiles with other options.
    """
    if taken(compiled) > limit and options.input == MEMORY and not options.reuse_input:
        options = replace(options, reuse_input=True)
        compiled = again(options)
    alive = limit
    for _ in range(ATTEMPTS if options.plan == AUTO and missing_schedules() is None else 0):
        if (over := taken(compiled) - limit) <= 0 or alive <= 0:
            break
        # The plan counts the peak of live bytes, without the stack.
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
    """Use the RAM that a limit leaves to compute more channels at a time, if that is faster. Return the program and its
    options.

    Plans without loops over channels are unchanged. The cost model estimates the time. On targets without a cost model,
    the program with the most channels at a time within the limit is selected.

    limit, taken, again: as for `compile_within_ram`.
    """
    if not traits_of(options.plan).widens:
        return compiled, options
    alive, wide, fastest = _alive(compiled), compiled, _time(compiled, options.target)
    for _ in range(ATTEMPTS):
        if (left := limit - taken(wide)) <= 0:
            break
        # Packing may need less than the plan counts.
        alive += left
        wider = replace(options, ram=alive)
        wide = again(wider)
        if taken(wide) > limit:
            break
        if (time := _time(wide, options.target)) <= fastest:
            compiled, options, fastest = wide, wider, time
    return compiled, options


def _time(compiled: Compiled, target: str) -> float:
    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    return 0 if estimate is None else estimate.time


def _alive(compiled: Compiled) -> int:
    """The bytes of RAM that a plan counts: arena and input, without the stack."""
    return arena_and_input(compiled.buffers)


def compile_within_flash(
    limit: int, compiled: Compiled, compiled_within: Callable[[int], Compiled], target: str, optimize: str
) -> tuple[Compiled, int]:
    """Compile a program whose linked size is within a limit on flash. Return the program and the limit on estimated
    flash with which it was compiled.

    compiled: the program within `limit` by its estimate, which is returned if the target's tools are not installed.
    compiled_within: a function that compiles the program within another limit.

    Raises `InputError` if the program exceeds the limit even without flash spent to save time.
    """
    within = limit
    while runners.is_available(target) and (taken := _flash(compiled, target, optimize)) > limit:
        if (within := next_attempt(compiled.program, within, taken, limit)) is None:
            raise InputError(f"the program takes {taken:,} bytes of flash, --flash allows {limit:,}")
        compiled = compiled_within(within)
    return compiled, within


def _flash(compiled: Compiled, target: str, optimize: str) -> int:
    with temporary_folder() as folder:
        write_c(compiled.program, context(), target, folder)
        interface = interface_of(compiled.formats)
        return runners.runner_for(target).build(folder, interface, folder, optimize).flash_bytes
