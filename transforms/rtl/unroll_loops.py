"""`unroll-loops`: lets sums of products process several elements in each iteration, from memories with wider words
(hardware).

SeeDot (section 6.2.2) adds hints to unroll loops as far as a budget of cells allows. Here an iteration loads words that
contain all the elements that it adds, so that one port per memory is enough. An adder tree adds the terms of an
iteration. The total is then added to the sum. Rows of constant matrices are padded with zeros to a multiple of the
word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.loop_invariant_code_motion import move_loop_invariant_code

from tinyml.dialects.errors import InputError, unknown
from tinyml.targets.verilog.fabric import Resources, fabric_around
from tinyml.transforms.ir.intervals import intervals
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.unrolling.block_rams import Words
from tinyml.transforms.rtl.unrolling.cell_costs import cells_of, spare_multipliers
from tinyml.transforms.rtl.unrolling.choose_lanes import GAIN, ORDERS, choose_lanes
from tinyml.transforms.rtl.unrolling.unrolled_sum import sums_of
from tinyml.transforms.rtl.unrolling.words import widen_memories


@dataclass(frozen=True)
class UnrollLoopsPass(ModulePass):
    """Unroll each innermost `num.reduce` whose values are all sums, by a power of two. Other loops are unchanged.
    Without a factor, products for which the FPGA has no multipliers are computed in LUTs.

    factor: the maximum number of elements that an iteration processes, regardless of the cells; by default the budget
        determines it.
    luts, dsps: the LUTs or DSPs that the whole module may use, by default a part of those of the FPGA for which it is
        compiled.
    cells: this part in percent.
    brams: the block RAMs for the whole module, by default all block RAMs of the FPGA.
    order: `gain` first unrolls the loops that save the most cycles in relation to the cells that they need;
        `sequential` unrolls each loop in turn as far as possible, as SeeDot does.

    Raises `InputError` for a factor that is not positive, an invalid percentage, and an unknown order.
    """

    name = "unroll-loops"
    factor: int | None = None
    luts: int | None = None
    dsps: int | None = None
    brams: int | None = None
    cells: int = 0
    order: str = GAIN

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.factor is not None and self.factor < 1:
            raise InputError(f"unroll-loops: a factor of {self.factor}")
        if not 0 <= self.cells <= 100:
            raise InputError(f"unroll-loops: {self.cells} percent of the cells")
        if self.order not in ORDERS:
            raise unknown("order", self.order, ORDERS)
        for function in op.ops:
            if isinstance(function, func.FuncOp):
                self._unroll(function)
                widen_memories(function)

    def _unroll(self, function: func.FuncOp) -> None:
        sums = sums_of(function)
        for sum in sums:
            # What does not change along the axis is no cost of an element.
            move_loop_invariant_code(cast("scf.ForOp", sum.reduction))
        if self.factor is not None:
            for sum in sums:
                lanes = 1
                while 2 * lanes <= self.factor and sum.takes(2 * lanes):
                    lanes *= 2
                if lanes > 1:
                    sum.unroll(lanes)
            return
        fabric = fabric_around(function)
        operators = Operators(fabric.delays, intervals(function))
        spare_multipliers(function.body.block.ops, operators, fabric)
        taken = cells_of(function.body.block.ops, operators, fabric)
        shares = [there * self.cells // 100 for there in (fabric.there.luts, fabric.there.dsps)]
        budget = Resources(
            shares[0] if self.luts is None else self.luts,
            shares[1] if self.dsps is None else self.dsps,
            fabric.there.brams if self.brams is None else self.brams,
        )
        for row in choose_lanes(sums, operators, fabric, taken, budget, Words(function, fabric), self.order):
            if row.count > 1:
                for sum in row.sums:
                    sum.unroll(row.count, row.in_dsps)
