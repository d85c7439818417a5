"""`weights-to-code`: rows of constant matrices become code that holds their weights, as far as flash allows (L3).

A weight as an immediate takes less time than one that a loop fetches, and more flash. So this happens only under a
limit on the flash of the program, and what saves most time for each byte comes first. The bits stay the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.targets.kernel import RowCoder
from tinyml.targets.registry import HOST, board, chip_of
from tinyml.transforms.loops.kernels.coded_rows import RowLoop, row_loops
from tinyml.transforms.search.costs.lowered_programs import LoweringPasses, registered_pass
from tinyml.transforms.search.costs.pipelines_below import ESTIMATE_COST, LOOPS_TO_KERNELS, ProgramCost, cost_of


@dataclass(frozen=True)
class WeightsToCodePass(ModulePass):
    """Turns loops over rows of constant matrices into calls of code, while the program stays within a limit on flash.

    Where flash has no room for all rows of a loop, the others stay in a loop. What the program takes is estimated by
    the cost model, with what the passes behind this one make of it.

    target: as for `select-kernels`. flash: the most bytes of the program; without them nothing becomes code. packed: as
    for `pack-constants`. pack_buffers: whether `place-arrays` runs. Raises `InputError` for an unknown target, and for
    a limit that is not positive. Targets without a cost table or without such code stay as they are.
    """

    name = "weights-to-code"
    target: str = HOST
    flash: int | None = None
    packed: str = "auto"
    pack_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        coder = chip_of(self.target).coder
        if self.flash is None or coder is None or not board(self.target).costs:
            return
        if self.flash <= 0:
            raise InputError(f"the limit on flash is at least 1 byte, got {self.flash}")
        loops = list(row_loops(op))
        for number, count in _Choice(op, coder, self, self.flash).rows().items():
            loops[number].replace(coder, count)


class _Choice:
    """The choice of rows that become code, by estimates of whole programs."""

    def __init__(self, module: ModuleOp, coder: RowCoder, options: WeightsToCodePass, flash: int):
        self.module, self.coder, self.flash = module, coder, flash
        given = {"target": options.target, "packed": options.packed, "pack_buffers": options.pack_buffers}
        self.below = LoweringPasses((LOOPS_TO_KERNELS,), registered_pass(ESTIMATE_COST, **given), **given)
        self.ram = board(options.target).ram

    def rows(self) -> Mapping[int, int]:
        """How many rows of each loop become code, by the number of the loop."""
        plain, loops = self.estimated({}), list(row_loops(self.module))
        gains: dict[int, float] = {}
        for number, loop in enumerate(loops):
            cost = self.estimated({number: loop.rows.rows})
            if cost.time < plain.time:
                gains[number] = (plain.time - cost.time) / max(cost.flash - plain.flash, 1)
        chosen: dict[int, int] = {}
        for number in sorted(gains, key=lambda number: -gains[number]):
            if (count := self.most(chosen, number, loops[number])) > 0:
                chosen[number] = count
        return dict(sorted(chosen.items()))

    def most(self, chosen: Mapping[int, int], number: int, loop: RowLoop) -> int:
        """The most rows of a loop that fit beside what was chosen."""
        if self.fits({**chosen, number: loop.rows.rows}):
            return loop.rows.rows
        least, beyond = 0, loop.rows.rows
        while beyond - least > 1:
            middle = (least + beyond) // 2
            least, beyond = (middle, beyond) if self.fits({**chosen, number: middle}) else (least, middle)
        return least

    def fits(self, choice: Mapping[int, int]) -> bool:
        """Does the program stay within the limit on flash, and the RAM of the board?"""
        cost = self.estimated(choice)
        return cost.flash <= self.flash and (self.ram is None or cost.ram <= self.ram)

    def estimated(self, choice: Mapping[int, int]) -> ProgramCost:
        """What the program takes with some rows as code."""
        module = self.module.clone()
        loops = list(row_loops(module))
        for number, count in choice.items():
            loops[number].replace(self.coder, count)
        self.below.apply(module)
        cost = cost_of(module)
        assert cost is not None
        return cost
