"""The least cycles of a hardware module, by which formats are compared."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType

from tinyml.transforms.rtl.scheduling.dependences import trips_of
from tinyml.transforms.rtl.scheduling.intervals import intervals
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.unrolling.cell_costs import product_in_logic
from tinyml.transforms.search.costs.lowered_programs import LoweringPasses
from tinyml.transforms.search.costs.pipelines_below import BITS_TO_LANES, LOOPS_TO_BITS

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tinyml.targets.verilog.fabric import Fabric


def hardware_cycles(loops: ModuleOp, fabric: Fabric, cells: int) -> float:
    """The cycles of an inference whose products of numbers fill a share of the look-up tables all the time.

    This is less than a module takes, and tells formats apart. loops: a program at L3. cells: the share in percent.
    Raises `InputError` for a program without hardware.
    """
    module = loops.clone()
    LoweringPasses((LOOPS_TO_BITS, BITS_TO_LANES), cells=0).apply(module)
    work = 0.0
    for function in module.ops:
        if isinstance(function, func.FuncOp):
            operators = Operators(fabric.delays, intervals(function))
            work += sum(
                product_in_logic(op, operators) * _runs(op)
                for op in function.walk()
                if isinstance(op, arith.MuliOp) and not isinstance(op.result.type, IndexType)
            )
    return work / max(cells / 100 * fabric.there.luts, 1)


def _runs(op: Operation) -> int:
    """The iterations of all loops around an op; one for a loop whose number of iterations is unknown."""
    loops: list[int] = []
    around = op.parent_op()
    while around is not None:
        loops += [trips_of(around) or 1] if isinstance(around, scf.ForOp) else []
        around = around.parent_op()
    return prod(loops)
