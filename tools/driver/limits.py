"""Compilation within limits on RAM, on flash, and on the cells of an FPGA.

Each limit is kept by compiling again with other options, on the evidence of the program that was compiled before: the
RAM that it takes by the cost model, the flash of the linked program, or the cells that synthesis counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.chip import MEMORY
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.registry import chip_of
from tinyml.transforms.ir.cost.demand import demand_of
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.loops.flash.attempts import next_attempt
from tinyml.transforms.schedules.table import AUTO, schedule_named
from tinyml.transforms.search.costs.candidate_costs import arena_and_input

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.options import PipelineOptions
    from tinyml.targets.board import Board
    from tinyml.targets.verilog.fabric import Fabric, Resources
    from tinyml.tools.driver.stages import Compiled

ATTEMPTS = 3
"""Maximum number of plans tried within a limit; the stack is known only once a program is compiled."""

ROUNDS = 3
"""Maximum number of programs counted after the first, before all loops stay rolled."""

MARGIN = 115
"""Percent of the estimated cells that a program is taken to have where nothing counts them (docs/fpga.md)."""

LEAST_STEP = 0.95
"""The factor by which a share shrinks at least, after one that left the program unchanged."""


def ram_of(compiled: Compiled, target: str) -> int:
    """The bytes of RAM of a program: `static_of`, and the stack by the cost model if there is one."""
    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    return static_of(compiled, target) if estimate is None else round(estimate.ram)


def static_of(compiled: Compiled, target: str) -> int:
    """The bytes of arena and input, and of constants on a chip where they take RAM."""
    constants = demand_of(compiled.loops).constants if chip_of(target).constants_in_ram else 0
    return _alive(compiled) + constants


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
    estimate = estimate_on(compiled.loops, target, OPTIMIZE)
    return 0 if estimate is None else estimate.time


def _alive(compiled: Compiled) -> int:
    """The bytes of RAM that a program takes without its stack, which are what a plan counts."""
    return arena_and_input(compiled.buffers)


def compile_within_flash(
    limit: int, compiled: Compiled, compiled_within: Callable[[int], Compiled], target: str, optimize: str
) -> tuple[Compiled, int]:
    """A program that stays within a limit on flash when it is built, and the limit by its estimate that led to it.

    compiled: the program within `limit` by its estimate, which decides without the tools of the target.
    compiled_within: compiles it within another one. Raises `InputError` for a program that takes more even if no flash
    is spent to save time.
    """
    from tinyml.runtime.devices.registry import is_available

    within = limit
    while is_available(target) and (taken := _flash(compiled, target, optimize)) > limit:
        if (within := next_attempt(compiled.program, within, taken, limit)) is None:
            raise InputError(f"the program takes {taken} bytes of flash, --flash allows {limit}")
        compiled = compiled_within(within)
    return compiled, within


def _flash(compiled: Compiled, target: str, optimize: str) -> int:
    """The bytes of flash of a program that is built."""
    from tinyml.dialects.context import context
    from tinyml.runtime.devices.registry import runner_for
    from tinyml.runtime.model.model_interface import interface_of
    from tinyml.targets.c.print_c import write_c

    with temporary_folder() as folder:
        write_c(compiled.program, context(), target, folder)
        interface = interface_of(compiled.formats)
        return runner_for(target).build(folder, interface, folder, optimize).flash_bytes


def check_memories(module: ModuleOp, fabric: Fabric) -> None:
    """Raise `TooLargeError` for hardware whose memories exceed all block RAMs, which can be told without synthesis."""
    bits = sum(op.width * op.depth.value.data for op in module.walk() if isinstance(op, rtl.RamOp))
    if bits > (there := fabric.there.brams * fabric.bram_bits):
        raise TooLargeError(
            f"the memories of the hardware hold {bits:,} bits, the block RAMs {there:,} ({bits - there:,} too many); "
            "fewer bits or a smaller model helps"
        )


def check_route(board: Board) -> None:
    """Raise `InputError` unless modules for a board can be placed and routed here."""
    from tinyml.runtime.devices.verilog_tools import MISSING, placement_tool, synthesis_tool

    if board.fabric is None:
        raise InputError(f"--route is for programmable logic, which {board.name} is not")
    placement_tool(board.fabric)
    if synthesis_tool() is None:
        raise InputError(MISSING)


def compile_within_cells(
    compiled: Compiled, cells: int, board: Board, again: Callable[[int], Compiled], *, route: bool = False
) -> tuple[Compiled, int, dict[str, Any] | None]:
    """The program, the share of cells in percent that its loops are unrolled for, and the report of its hardware.

    A program of which yosys counts more LUTs than `cells` percent, or more cells than there are, is compiled again for
    a share that is smaller by the ratio of excess. After `ROUNDS` of that all loops stay rolled, whatever they take.
    Without yosys the estimate is taken to be `MARGIN` percent. again: compiles for a share in percent. route: place and
    route the module, if it fits, for the clock that it allows. The report is None for targets that are no FPGAs, and
    the same program is kept there. Raises `InputError` if a module cannot be routed.
    """
    from tinyml.runtime.devices.verilog_tools import routed_clock, synthesis_tool, synthesised

    if compiled.verilog is None or (fabric := board.fabric) is None:
        return compiled, cells, None
    if synthesis_tool() is None:
        cells = 100 * cells // MARGIN
        return again(cells), cells, _report(fabric, None, None)
    with temporary_folder() as folder:

        def counted(verilog: str | None) -> Resources:
            assert verilog is not None
            return synthesised(verilog, fabric, folder)

        taken = counted(compiled.verilog)
        limit = fabric.there.luts * cells / 100
        if _excess(taken, fabric, limit) > 1:
            compiled, cells, taken = _smaller((compiled, cells, taken), fabric, again, counted)
        fits = not taken.shortages(fabric.there)
        return compiled, cells, _report(fabric, taken, routed_clock(fabric, folder) if route and fits else None)


def _smaller(
    first: tuple[Compiled, int, Resources],
    fabric: Fabric,
    again: Callable[[int], Compiled],
    counted: Callable[[str | None], Resources],
) -> tuple[Compiled, int, Resources]:
    """A program within the share that the first one exceeds, with its cells, or else one without unrolled loops."""
    compiled, cells, taken = first
    limit, least = fabric.there.luts * cells / 100, again(0)
    for _ in range(ROUNDS):
        excess, before = _excess(taken, fabric, limit), compiled.verilog
        if excess <= 1 or before == least.verilog:
            return compiled, cells, taken
        while compiled.verilog == before:
            # Skip shares that give the same program as the last one.
            cells = int(min(cells / excess, cells * LEAST_STEP))
            compiled, excess = again(cells), 1
        taken = counted(compiled.verilog)
    if _excess(taken, fabric, limit) <= 1:
        return compiled, cells, taken
    return least, 0, counted(least.verilog)


def _excess(taken: Resources, fabric: Fabric, luts: float) -> float:
    """The largest ratio of cells taken to their limit: `luts` for LUTs, those of the FPGA for other cells."""
    there = fabric.there
    return max(taken.luts / max(luts, 1), taken.dsps / max(there.dsps, 1), taken.brams / max(there.brams, 1))


def _report(fabric: Fabric, counted: Resources | None, clock: float | None) -> dict[str, Any]:
    """The clock in MHz that a module is scheduled for and the one that it allows, its cells before placement, and those
    of the FPGA; what is unknown is None.
    """
    cells = dict.fromkeys(asdict(fabric.there)) if counted is None else asdict(counted)
    there = {name: count for name, count in asdict(fabric.there).items() if name != "registers"}
    return {
        "clock_mhz": fabric.clock,
        "fmax_mhz": clock,
        **cells,
        "available": there,
        "shortages": counted and counted.shortages(fabric.there),
    }


def require_cells(hardware: dict[str, Any] | None, board: Board, model: str) -> None:
    """Raise `InputError` for a module that takes more cells than there are."""
    if hardware is not None and hardware["shortages"]:
        needs = " and ".join(hardware["shortages"])
        raise InputError(board.misfit(f"needs {needs}; fewer bits or a smaller model helps"), file=model)
