"""`spend-flash`: sums of products by kernels that take more flash than others and less time, within a limit (L3).

Kernels of families for tiles that are `large`, such as Winograd's, read more bytes than there are weights, and weights
can be code. What saves most instructions for each byte of flash comes first, and gives way to what saves
more for the same tile if there is room.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

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
from tinyml.targets.registry import HOST, board, tile_coders, tile_families
from tinyml.transforms.ir.index_arithmetic import mean_iterations
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.loops.kernels.tiles import CodeCall, TileCall, call_of_tile, code_of_tile
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
        if self.flash is None or all(not tile.choices for tile in tiles):
            return
        usual = op.clone()
        for step in (SelectKernelsPass(self.target), CanonicalizePass(), CommonSubexpressionElimination()):
            # The last two remove weights that streams take the place of, and streams that are there twice.
            step.apply(ctx, usual)
        if (estimate := estimate_on(usual, self.target, OPTIMIZE)) is None:
            return
        limit = self.ram if self.ram is not None else board(self.target).ram
        # Tiles with the same weights read the same stream, or share a function.
        groups: dict[tuple[bytes, str], _Choice] = {}
        for tile in tiles:
            for call in tile.choices:
                if tile.saved(call) > 0 and (limit is None or _ram(estimate, call.kernel) <= max(limit, estimate.ram)):
                    groups.setdefault((call.content, "" if call.content else call.kernel.symbol), {})[tile] = call

        def saved_by_a_byte(group: _Choice) -> float:
            return _saved(group) / max(_added(tiles, group), 1)

        chosen: _Choice = {}
        for group in sorted(groups.values(), key=saved_by_a_byte, reverse=True):
            more = {**chosen, **group}
            if _saved(more) > _saved(chosen) and estimate.flash + _added(tiles, more) <= self.flash:
                chosen = more
        for tile, call in chosen.items():
            call.replace(tile.op)

    def _tiles(self, module: ModuleOp) -> list[_Tile]:
        """The tiles that have kernels."""
        families, large = (tile_families(self.target, large=large) for large in (False, True))
        coders = tile_coders(self.target)
        tiles: list[_Tile] = []
        for function in defined_functions(module):
            for op in [op for op in function.walk() if isinstance(op, num.FinishedSumsOp)]:
                if (usual := call_of_tile(op, families)) is not None:
                    calls = [call_of_tile(op, [family]) for family in large]
                    codes = [code_of_tile(op, coder) for coder in coders]
                    tiles.append(_Tile(op, usual, [call for call in (*calls, *codes) if call is not None]))
        return tiles


@dataclass(frozen=True, eq=False)
class _Tile:
    """A tile with its usual kernel, and with those that take more flash."""

    op: num.FinishedSumsOp
    usual: TileCall
    choices: Sequence[_Call]

    @cached_property
    def times(self) -> float:
        """How often an inference computes the tile."""
        loop, times = self.op.parent_op(), 1.0
        while loop is not None:
            if isinstance(loop, scf.ForOp):
                times *= mean_iterations(loop) or 0.0
            loop = loop.parent_op()
        return times

    def saved(self, call: _Call) -> float:
        """The time that another kernel saves in an inference."""
        return self.times * (_time(self.usual.kernel) - _time(call.kernel))


_Call: TypeAlias = TileCall | CodeCall
_Choice: TypeAlias = dict[_Tile, _Call]
"""Kernels that take the place of usual ones."""


def _saved(chosen: _Choice) -> float:
    """The time that kernels save in an inference."""
    return sum(tile.saved(call) for tile, call in chosen.items())


def _ram(estimate: Estimate, kernel: Kernel) -> float:
    """The RAM of a program that has an estimate without a kernel."""
    return estimate.ram + max(kernel.stack - estimate.deepest, 0)


def _time(kernel: Kernel) -> float:
    return 0.0 if kernel.composed is None else kernel.composed.costs[""]


def _added(tiles: Sequence[_Tile], chosen: _Choice) -> int:
    """The bytes of flash that kernels add to a program, if the code of usual ones stays in it."""
    code = {call.kernel.symbol: call.kernel.code for call in chosen.values()}
    calls = [chosen.get(tile, tile.usual) for tile in tiles]
    return sum(code.values()) + _contents(calls) - _contents([tile.usual for tile in tiles])


def _contents(calls: Sequence[_Call]) -> int:
    """The bytes that calls read, equal ones once."""
    return sum(map(len, {call.content for call in calls}))
