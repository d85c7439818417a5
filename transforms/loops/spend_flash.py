"""`spend-flash`: uses flash, up to a limit, for faster kernels and for weights as code (L3).

Kernels of tile families marked `large`, such as Winograd's, read more bytes than there are weights. The weights of
tiles and the rows of constant matrices can also become code. Candidates are chosen by the time saved per byte of flash.
After a tile has received a larger kernel, a still larger kernel may replace it. No result changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import num
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.targets.registry import HOST, board, compile_for, spends_flash
from tinyml.transforms.ir.cost.estimate import Estimate
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.pipeline_names import SPEND_FLASH, ProgramCost
from tinyml.transforms.loops.block_rows import tile_rows
from tinyml.transforms.loops.flash.attempts import ram_limit, spend
from tinyml.transforms.loops.flash.candidates import TileCandidate, coded
from tinyml.transforms.loops.flash.choice import Choice
from tinyml.transforms.loops.flash.estimates import Estimates
from tinyml.transforms.loops.flash.tile_candidates import Tiles


@dataclass(frozen=True)
class SpendFlashPass(ModulePass):
    """Change tiles to faster kernels, which `select-kernels` will call, and replace rows of constant matrices by code.

    The filters of a tile also form a constant matrix, by which each window is multiplied. If flash has no room for all
    rows of a matrix, the remaining rows stay in a loop. The cost model estimates the program after all later passes. On
    a board whose core has a published timing, the pass measures time in cycles.

    target: as for `select-kernels`.
    flash: the maximum size of the program in bytes; without it, and on a board without a cost table, the program is
        unchanged.
    ram: the maximum bytes of arena, input and stack together; the default is the limit of a search (`tdsl.ram`), or
        the RAM of the board. If a program already exceeds this maximum, the pass does not increase the program's
        stack.
    packed: as for `pack-constants`.
    pack_buffers: whether `place-arrays` runs.

    Raises `InputError` for an unknown target, and for a limit that is not positive.
    """

    name = SPEND_FLASH
    takes = LOOPS
    target: str = HOST
    flash: int | None = None
    ram: int | None = None
    packed: str = "auto"
    pack_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.cost(op)

    def cost(self, op: ModuleOp, plain: Estimate | None = None) -> ProgramCost | None:
        """Rewrite a program. Return its estimated cost after all later passes if the choice has computed this cost, and
        otherwise None. Raises the errors of the pass.

        plain: the estimate of the unchanged program, if it is known.
        """
        if self.flash is None:
            return None
        if self.flash <= 0:
            raise InputError(f"the limit on flash is at least 1 byte, got {self.flash}")
        if not spends_flash(self.target) or not board(self.target).costs:
            return None
        compile_for(op, self.target)
        found = [tile_rows(function, self.target, num.DOT_ROWS) for function in defined_functions(op)]
        if any(rows.op.tile is not None for each in found for rows in each):
            plain = None
        tiles, estimates = Tiles(op, self.target), Estimates(op, self.target, self.packed, self.pack_buffers, plain)
        if not (tiles.usual or estimates.matrices):
            return None
        plain = estimates.plain
        ram = max(ram_limit(op, self.target, self.ram), plain.ram)
        groups = [*tiles.groups(ram - plain.ram + plain.deepest), *estimates.groups()]
        taken = Choice(groups, tiles, estimates, self.flash, ram).made()
        estimates.replace(estimates.matrices, coded(taken))
        for candidate in taken.values():
            if isinstance(candidate, TileCandidate):
                candidate.part.tile = candidate.call.attribute
        estimate = estimates.of(coded(taken))
        if taken:
            spend(op, estimate.flash + tiles.added(taken))
        same = not any(isinstance(candidate, TileCandidate) for candidate in taken.values())
        return ProgramCost.of(estimate) if same else None
