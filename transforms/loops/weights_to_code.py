"""`weights-to-code`: rows of constant matrices become code that holds their weights, as far as flash allows (L3).

A weight as an immediate takes less time than one that a loop fetches, and more flash. So this happens only under a
limit on the flash of the program, and what saves most time for each byte comes first. The bits stay the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.targets.kernel import RowCoder
from tinyml.targets.registry import HOST, board, compile_for, row_coder
from tinyml.transforms.loops.kernels.coded_rows import contracted_rows
from tinyml.transforms.loops.kernels.window_rows import window_rows
from tinyml.transforms.search.costs.lowered_programs import LoweringPasses, registered_pass
from tinyml.transforms.search.costs.pipelines_below import ESTIMATE_COST, LOOPS_TO_KERNELS, ProgramCost, cost_of


@dataclass(frozen=True)
class WeightsToCodePass(ModulePass):
    """Turns rows of constant matrices in contractions into calls of code, while the program keeps a limit on flash.

    The filters of tiles are such matrices, too, which each window meets. Where flash has no room for all rows of a
    contraction, the others stay in a loop. What the program takes is estimated by the cost model, with what the passes
    behind this one make of it.

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
        coder = row_coder(self.target)
        if self.flash is None or coder is None or not board(self.target).costs:
            return
        if self.flash <= 0:
            raise InputError(f"the limit on flash is at least 1 byte, got {self.flash}")
        compile_for(op, self.target)
        matrices = _matrices(op)
        for number, count in _Choice(op, coder, self, self.flash).rows().items():
            matrices[number].replace(coder, count)


class _Matrix(Protocol):
    """A matrix whose rows can become code, the first `choices` of them."""

    @property
    def rows(self) -> CodedRows: ...
    @property
    def choices(self) -> range: ...
    def replace(self, coder: RowCoder, count: int) -> None: ...


def _matrices(module: ModuleOp) -> Sequence[_Matrix]:
    return [*contracted_rows(module), *window_rows(module)]


class _Choice:
    """The choice of rows that become code, by estimates of whole programs."""

    def __init__(self, module: ModuleOp, coder: RowCoder, options: WeightsToCodePass, flash: int):
        self.module, self.coder, self.flash = module, coder, flash
        given = {"target": options.target, "packed": options.packed, "pack_buffers": options.pack_buffers}
        self.below = LoweringPasses((LOOPS_TO_KERNELS,), registered_pass(ESTIMATE_COST, **given), **given)
        self.ram = board(options.target).ram

    def rows(self) -> Mapping[int, int]:
        """How many rows of each matrix become code, by the number of the matrix."""
        plain, matrices = self.estimated({}), _matrices(self.module)
        gains: dict[int, float] = {}
        for number, matrix in enumerate(matrices):
            if self.coder.composed("", matrix.rows) is None:
                continue
            cost = self.estimated({number: matrix.choices[-1]})
            if cost.time < plain.time:
                gains[number] = (plain.time - cost.time) / max(cost.flash - plain.flash, 1)
        chosen: dict[int, int] = {}
        for number in sorted(gains, key=lambda number: -gains[number]):
            if (count := self.most(chosen, number, matrices[number].choices)) > 0:
                chosen[number] = count
        return dict(sorted(chosen.items()))

    def most(self, chosen: Mapping[int, int], number: int, choices: Sequence[int]) -> int:
        """The most rows of a matrix that fit beside what was chosen; 0 if none do."""
        if self.fits({**chosen, number: choices[-1]}):
            return choices[-1]
        fitting = bisect_left(choices, True, key=lambda count: not self.fits({**chosen, number: count}))
        return choices[fitting - 1] if fitting > 0 else 0

    def fits(self, choice: Mapping[int, int]) -> bool:
        """Does the program stay within the limit on flash, and the RAM of the board?"""
        cost = self.estimated(choice)
        return cost.flash <= self.flash and (self.ram is None or cost.ram <= self.ram)

    def estimated(self, choice: Mapping[int, int]) -> ProgramCost:
        """What the program takes with some rows as code."""
        module = self.module.clone()
        matrices = _matrices(module)
        for number, count in choice.items():
            matrices[number].replace(self.coder, count)
        self.below.apply(module)
        cost = cost_of(module)
        assert cost is not None
        return cost
