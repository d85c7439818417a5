"""`spend-flash`: sums of products by kernels that take more flash than others and less time, within a limit (L3).

Kernels of families for tiles that are `large`, such as Winograd's, read more bytes than there are weights. Those that
save most instructions for each byte of flash come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

from tinyml.dialects import num
from tinyml.dialects.functions import defined_functions
from tinyml.lowering.cost.model.estimate import Estimate, estimate_on
from tinyml.targets.costs import OPTIMIZE
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import HOST, board, tile_families
from tinyml.transforms.ir.index_arithmetic import mean_iterations
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.loops.kernels.tiles import TileCall, call_of_tile
from tinyml.transforms.loops.select_kernels import SelectKernelsPass


@dataclass(frozen=True)
class SpendFlashPass(ModulePass):
    """Replaces tiles by calls of kernels that take more flash, before `select-kernels` chooses those of all others.

    target: as for printing C. flash: bytes of the whole program by the cost model, which the choice does not exceed;
    without a limit or a cost table, no such kernel is taken. ram: bytes for arena, input and stack, by default all of
    the board's. Raises `InputError` for an unknown target.
    """

    name = "spend-flash"
    takes = LOOPS
    target: str = HOST
    flash: int | None = None
    ram: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tiles = [] if self.flash is None else self._tiles(op)
        if self.flash is None or all(tile.large is None for tile in tiles):
            return
        usual = op.clone()
        for step in (SelectKernelsPass(self.target), CanonicalizePass(), CommonSubexpressionElimination()):
            # The last two remove weights that streams take the place of, and streams that are there twice.
            step.apply(ctx, usual)
        if (estimate := estimate_on(usual, self.target, OPTIMIZE)) is None:
            return
        limit = self.ram if self.ram is not None else board(self.target).ram
        # Tiles with the same weights read the same stream.
        groups: dict[bytes, list[_Tile]] = {}
        for tile in tiles:
            if tile.large is not None and tile.saved > 0 and (limit is None or tile.ram(estimate) <= limit):
                groups.setdefault(tile.large.stream.tobytes(), []).append(tile)

        def saved_by_a_byte(group: list[_Tile]) -> float:
            return sum(tile.saved for tile in group) / max(_added(tiles, group), 1)

        taken: list[_Tile] = []
        for group in sorted(groups.values(), key=saved_by_a_byte, reverse=True):
            if estimate.flash + _added(tiles, [*taken, *group]) <= self.flash:
                taken += group
        for tile in taken:
            if tile.large is not None:
                tile.large.replace(tile.op)

    def _tiles(self, module: ModuleOp) -> list[_Tile]:
        """The tiles that have kernels."""
        families, large = (tile_families(self.target, large=large) for large in (False, True))
        tiles: list[_Tile] = []
        for function in defined_functions(module):
            for op in [op for op in function.walk() if isinstance(op, num.FinishedSumsOp)]:
                if (call := call_of_tile(op, families)) is not None:
                    tiles.append(_Tile(op, call, call_of_tile(op, large)))
        return tiles


@dataclass(frozen=True, eq=False)
class _Tile:
    """A tile with its usual kernel, and with one that takes more flash if there is any."""

    op: num.FinishedSumsOp
    usual: TileCall
    large: TileCall | None

    @cached_property
    def saved(self) -> float:
        """The time that the large kernel saves in an inference."""
        loop, times = self.op.parent_op(), 1.0
        while loop is not None:
            if isinstance(loop, scf.ForOp):
                times *= mean_iterations(loop) or 0.0
            loop = loop.parent_op()
        return 0.0 if self.large is None else times * (_time(self.usual.kernel) - _time(self.large.kernel))

    def ram(self, estimate: Estimate) -> float:
        """The RAM of a program that has an estimate without the large kernel."""
        stack = 0 if self.large is None else self.large.kernel.stack
        return estimate.ram + max(stack - estimate.deepest, 0)


def _time(kernel: Kernel) -> float:
    return 0.0 if kernel.composed is None else kernel.composed.costs[""]


def _added(tiles: Sequence[_Tile], taken: Sequence[_Tile]) -> int:
    """The bytes of flash that large kernels of some tiles add to a program, if the code of usual ones stays in it."""
    large = [tile.large for tile in taken if tile.large is not None]
    code = {call.kernel.symbol: call.kernel.code for call in large}
    left = [tile.usual for tile in tiles if tile not in taken]
    return sum(code.values()) + _streams([*left, *large]) - _streams([tile.usual for tile in tiles])


def _streams(calls: Sequence[TileCall]) -> int:
    """The bytes of the streams of calls, equal ones once."""
    return sum(map(len, {call.stream.tobytes() for call in calls}))
