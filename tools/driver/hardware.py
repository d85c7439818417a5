"""Hardware modules of programs for FPGAs: generation, checks, cell counts and the limit on their share of the cells.

Loops are unrolled as far as a share of the cells permits. If yosys counts more cells, the program is compiled again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat, IndexType, ModuleOp
from xdsl.ir import Operation

from tinyml.dialects import rtl
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.lookup import formats
from tinyml.dialects.locations import error_at, source_names
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices import verilog_tools
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.registry import board as board_named
from tinyml.targets.verilog.fabric import Fabric, Resources, fabric_of
from tinyml.targets.verilog.print_verilog import print_verilog
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.ir.outputs import CLASS
from tinyml.transforms.ir.pipeline_names import (
    BITS_TO_HARDWARE,
    BITS_TO_LANES,
    LOOPS_TO_BITS,
    LoweringPasses,
)
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.scheduling.regions import executions_of
from tinyml.transforms.rtl.unrolling.cell_costs import product_in_logic

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.driver.compiled_program import Compiled

ROUNDS = 3
"""Maximum number of programs counted after the first; then all loops stay rolled."""

MARGIN = 115
"""The assumed cell count without yosys, in percent of the estimate (docs/fpga.md)."""

LEAST_STEP = 0.95
"""The factor by which a share shrinks at least after one that left the program unchanged."""


def lowered(bits: ModuleOp, ctx: Context, options: PipelineOptions) -> ModuleOp:
    """Lower a program on bits to a hardware module; the program is unchanged.

    Raises `InputError` for a program on floats, and `TooLargeError` for a program whose memories exceed the FPGA.
    """
    module = bits.clone()
    if (op := next(filter(_takes_floats, module.walk()), None)) is not None:
        names = [name for name, format in formats().items() if not issubclass(format, type(F32_FORMAT))]
        none = "hardware has no floating point, in which"
        if options.format not in names:
            raise InputError(f"{none} the program computes: --format {', '.join(names)}")
        layer = next(iter(source_names(op)), op.name)
        more = "" if options.data else "; --val VAL.npz gives parts in floats a --format"
        cure = f"end the model before it, or ask for the class, --outputs {CLASS}{more}"
        raise error_at(op, f"{none} {layer} computes: {cure}")
    pipelines.run(module, ctx, pipelines.flatten(BITS_TO_HARDWARE, vars(options)))
    check_memories(module, fabric_of(board_named(options.target)))
    return module


def _takes_floats(op: Operation) -> bool:
    return any(isinstance(value.type, AnyFloat) for value in (*op.operands, *op.results))


def module_of(bits: ModuleOp, ctx: Context, options: Mapping[str, Any]) -> ModuleOp:
    """Lower a program on bits, which was parsed from a file, to a hardware module in place, and return it."""
    pipelines.run(bits, ctx, pipelines.flatten(BITS_TO_HARDWARE, dict(options)), of_user=True)
    return bits


def text_of(hardware: ModuleOp) -> str:
    return print_verilog(hardware)


def cycles(loops: ModuleOp, board: Board, cells: int) -> float:
    """A lower bound on the cycles of an inference, for ranking formats.

    The bound assumes that multiplications always use the given share of the look-up tables.

    loops: a program at L3.
    cells: the share in percent.

    Raises `InputError` for a program that cannot be implemented in hardware.
    """
    module, fabric = loops.clone(), fabric_of(board)
    LoweringPasses((LOOPS_TO_BITS, BITS_TO_LANES), cells=0).apply(module)
    work = 0.0
    for function in module.ops:
        if isinstance(function, func.FuncOp):
            operators = Operators(fabric.delays, intervals(function))
            work += sum(
                product_in_logic(op, operators) * executions_of(op)
                for op in function.walk()
                if isinstance(op, arith.MuliOp) and not isinstance(op.result.type, IndexType)
            )
    return work / max(cells / 100 * fabric.there.luts, 1)


def check_memories(module: ModuleOp, fabric: Fabric) -> None:
    """Raise `TooLargeError` for hardware whose memories exceed all block RAMs. The check requires no synthesis."""
    bits = sum(op.width * op.depth.value.data for op in module.walk() if isinstance(op, rtl.RamOp))
    if bits > (there := fabric.there.brams * fabric.bram_bits):
        raise TooLargeError(
            f"the memories of the hardware hold {bits:,} bits, the block RAMs {there:,} ({bits - there:,} too many); "
            "use fewer bits or a smaller model"
        )


def check_route(board: Board) -> None:
    """Raise `InputError` unless modules for a board can be placed and routed on this computer."""
    verilog_tools.placement_tool(fabric_of(board))
    if verilog_tools.synthesis_tool() is None:
        raise InputError(verilog_tools.MISSING)


def compile_within_cells(
    compiled: Compiled, cells: int, board: Board, again: Callable[[int], Compiled], *, route: bool = False
) -> tuple[Compiled, int, dict[str, Any]]:
    """Compile until the hardware fits. Return the program, the share of cells in percent for which loops are unrolled,
    and the hardware report.

    If yosys counts more LUTs than `cells` percent, or more cells than the FPGA has, the program is compiled again. The
    new share is smaller by the ratio of the counted to the permitted cells. After `ROUNDS` attempts no loop is
    unrolled, even if the program still exceeds the share. Without yosys, the share is divided by `MARGIN` percent,
    since the cells are only estimated.

    again: compiles for a share in percent.
    route: place and route the module, if it fits, to determine its maximum clock.

    Raises `InputError` if a module cannot be routed.
    """
    fabric = fabric_of(board)
    if verilog_tools.synthesis_tool() is None:
        cells = 100 * cells // MARGIN
        return again(cells), cells, _report(fabric, None, None)
    with temporary_folder() as folder:

        def counted(verilog: str | None) -> Resources:
            assert verilog is not None
            return verilog_tools.synthesised(verilog, fabric, folder)

        taken = counted(compiled.verilog)
        limit = fabric.there.luts * cells / 100
        if _excess(taken, fabric, limit) > 1:
            compiled, cells, taken = _smaller((compiled, cells, taken), fabric, again, counted)
        fits = not taken.shortages(fabric.there)
        clock = verilog_tools.routed_clock(fabric, folder) if route and fits else None
        return compiled, cells, _report(fabric, taken, clock)


def _smaller(
    first: tuple[Compiled, int, Resources],
    fabric: Fabric,
    again: Callable[[int], Compiled],
    counted: Callable[[str | None], Resources],
) -> tuple[Compiled, int, Resources]:
    """Reduce the share until a program fits. Return the program, its share in percent and its cells.

    If no program fits, the result is the program without unrolled loops.

    first: the first program with its share and its cells, which exceed the limit.
    again: compiles for a share in percent.
    counted: counts the cells of a module in Verilog.
    """
    compiled, cells, taken = first
    limit, least = fabric.there.luts * cells / 100, again(0)
    for _ in range(ROUNDS):
        excess, before = _excess(taken, fabric, limit), compiled.verilog
        if excess <= 1 or before == least.verilog:
            return compiled, cells, taken
        while compiled.verilog == before:
            # Skip shares that yield the same program as the last one.
            cells = int(min(cells / excess, cells * LEAST_STEP))
            compiled, excess = again(cells), 1
        taken = counted(compiled.verilog)
    if _excess(taken, fabric, limit) <= 1:
        return compiled, cells, taken
    return least, 0, counted(least.verilog)


def _excess(taken: Resources, fabric: Fabric, luts: float) -> float:
    there = fabric.there
    return max(taken.luts / max(luts, 1), taken.dsps / max(there.dsps, 1), taken.brams / max(there.brams, 1))


def _report(fabric: Fabric, counted: Resources | None, clock: float | None) -> dict[str, Any]:
    """The scheduled and the maximum clock of a module in MHz, its cells before placement, the cells of the FPGA, and
    the shortages of cells.

    Unknown figures are None.
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


def require_cells(hardware: dict[str, Any], board: Board, model: str) -> None:
    if hardware["shortages"]:
        needs = " and ".join(hardware["shortages"])
        raise InputError(board.misfit(f"needs {needs}; use fewer bits or a smaller model"), file=model)
