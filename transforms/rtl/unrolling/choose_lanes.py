"""The number of elements that each sum of a program adds in an iteration, within a budget of cells."""

from __future__ import annotations

from builtins import sum as total
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf

from tinyml.transforms.ir.indices import trips_of
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.unrolling.block_rams import BlockRams
from tinyml.transforms.rtl.unrolling.cell_costs import cells_of, product_in_logic
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum

MOST = 64
"""The maximum number of elements that a sum takes at once."""

GAIN, SEQUENTIAL = ORDERS = ("gain", "sequential")


@dataclass
class Lanes:
    """A sum, and the number of elements that it takes at once.

    luts, dsps: those of each element. logic: the LUTs of its products once no DSPs are left. in_dsps: the number of
    elements, the first ones, that multiply by DSPs.
    """

    sum: UnrolledSum
    luts: int
    dsps: int
    logic: int
    runs: int
    count: int = 1
    in_dsps: int = 1

    def cycles(self, lanes: int) -> int:
        """The cycles of all its runs, as if an iteration took one."""
        return self.runs * self.sum.iterations(lanes)

    @property
    def can_grow(self) -> bool:
        return 2 * self.count <= MOST and self.sum.takes(2 * self.count)

    def growth(self, dsps: int) -> tuple[int, int]:
        """The additional LUTs and DSPs of twice as many elements. dsps: the number available."""
        more, grown = self.more_in_dsps(dsps), self._more
        return grown * self.luts + (grown - more) * self.logic, more * self.dsps

    def more_in_dsps(self, dsps: int) -> int:
        """The number of additional elements with DSPs if the elements are doubled."""
        return self._more if self.dsps == 0 else min(self._more, dsps // self.dsps)

    @property
    def _more(self) -> int:
        return min(self.count, self.sum.trips - self.count)


def choose_lanes(
    sums: Sequence[UnrolledSum],
    operators: Operators,
    taken: tuple[int, int],
    budget: tuple[int, int, int],
    memories: BlockRams,
    order: str,
) -> list[Lanes]:
    """The elements of each sum at once: powers of two, within a budget of LUTs, DSPs and block RAMs.

    taken: the LUTs and DSPs of the program as it is. memories: its memories. order: `gain` doubles the sum first that
    saves most cycles for its cells, of all sums at once; `sequential` gives each sum in turn as much as there is, as
    SeeDot does (section 6.2.2).
    """
    rows = [_lanes(sum, operators) for sum in sums]
    left = [max(have - used, 0) for have, used in zip(budget, taken, strict=False)]

    def fits(row: Lanes) -> bool:
        if not row.can_grow or row.growth(left[1])[0] > left[0]:
            return False
        blocks = memories.growth(row.sum, 2 * row.count)
        return blocks <= 0 or memories.count + blocks <= budget[2]

    def gain(row: Lanes) -> float:
        """The cycles saved, divided by the largest share of the remaining cells that this takes."""
        shares = [more / max(there, 1) for more, there in zip(row.growth(left[1]), left, strict=True)]
        return (row.cycles(row.count) - row.cycles(2 * row.count)) / max(*shares, 1e-9)

    while growing := [row for row in rows if fits(row)]:
        row = max(growing, key=gain) if order == GAIN else growing[0]
        row.in_dsps += row.more_in_dsps(left[1])
        left = [there - more for more, there in zip(row.growth(left[1]), left, strict=True)]
        row.count *= 2
        memories.widen(row.sum, row.count)
    return rows


def _lanes(sum: UnrolledSum, operators: Operators) -> Lanes:
    ops = sum.computing()
    luts, dsps = cells_of(ops, operators)
    products = [op for op in ops if isinstance(op, arith.MuliOp)] if dsps else []
    # Each element is added to the sum by an adder of its own.
    luts += total(operators.width(term) for term in sum.terms)
    return Lanes(sum, luts, dsps, total(product_in_logic(op, operators) for op in products), _runs(sum.loop))


def _runs(loop: scf.ForOp) -> int:
    runs, around = 1, loop.parent_op()
    while around is not None:
        runs *= (trips_of(around) or 1) if isinstance(around, scf.ForOp) else 1
        around = around.parent_op()
    return runs
