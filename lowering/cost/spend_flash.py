"""`spend-flash`: sums of products by kernels that take more flash than others and less time, within a limit (L3).

Kernels of families for tiles that are `large`, such as Winograd's, read more bytes than there are weights, and weights
can be code. What saves most time for each byte of flash comes first; a tile that has several kernels may change to a
larger one later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
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
from tinyml.targets.registry import HOST, board, compile_for, tile_coders, tile_families
from tinyml.transforms.ir.indices.index_arithmetic import mean_iterations
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.loops.kernels.tiles import CodeCall, TileCall, call_of_tile, calls_of_tile, code_of_tile
from tinyml.transforms.loops.select_kernels import SelectKernelsPass


@dataclass(frozen=True)
class SpendFlashPass(ModulePass):
    """Replaces tiles by calls of kernels that take more flash, before `select-kernels` chooses those of all others.

    target: as for printing C. flash: bytes of the whole program by the cost model, which the choice does not exceed;
    without a limit or a cost table, no such kernel is taken. ram: bytes for arena, input and stack, by default all of
    the board's; a program that exceeds them anyway gets no deeper stack. Raises `InputError` for an unknown target.
    """

    name = "spend-flash"
    takes = LOOPS
    target: str = HOST
    flash: int | None = None
    ram: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tiles = [] if self.flash is None else self._tiles(op)
        if self.flash is None or not any(tile.choices for tile in tiles):
            return
        compile_for(op, self.target)
        usual = op.clone()
        for step in (SelectKernelsPass(self.target), CanonicalizePass(), CommonSubexpressionElimination()):
            # The last two remove weights that streams take the place of, and streams that are there twice.
            step.apply(ctx, usual)
        if (estimate := estimate_on(usual, self.target, OPTIMIZE)) is None:
            return
        limit = self.ram if self.ram is not None else board(self.target).ram
        called = {call.kernel for call in op.walk() if isinstance(call, num.ComposedTilesOp) and call.kernel}
        choice = Choice(tiles, self.flash - estimate.flash, called)
        for tile in tiles:
            for call in tile.choices:
                if limit is None or _ram_with(estimate, call) <= max(limit, estimate.ram):
                    choice.allow(tile, call)
        for tile, call in choice.made().items():
            call.replace(tile.op)

    def _tiles(self, module: ModuleOp) -> list[Tile]:
        """The tiles that have kernels."""
        families, large = (tile_families(self.target, large=large) for large in (False, True))
        coders = tile_coders(self.target)
        tiles: list[Tile] = []
        for function in defined_functions(module):
            for op in [op for op in function.walk() if isinstance(op, num.ContractOp) and len(op.shape) > 1]:
                if (usual := call_of_tile(op, families)) is not None:
                    codes = filter(None, (code_of_tile(op, coder) for coder in coders))
                    tiles.append(Tile(op, usual, [*calls_of_tile(op, large), *codes]))
        return tiles


def _ram_with(estimate: Estimate, call: _Call) -> float:
    """The RAM of a program that has an estimate without a call, with it."""
    return estimate.ram + max(call.kernel.stack - estimate.deepest, 0)


@dataclass(frozen=True, eq=False)
class Tile:
    """A tile with its usual kernel, and with those that take more flash."""

    op: num.ContractOp
    usual: TileCall
    choices: Sequence[_Call]

    @cached_property
    def times(self) -> float:
        """How often the tile is computed in an inference."""
        loop, times = self.op.parent_op(), 1.0
        while loop is not None:
            if isinstance(loop, scf.ForOp):
                times *= mean_iterations(loop) or 0.0
            loop = loop.parent_op()
        return times


_Call: TypeAlias = TileCall | CodeCall
_Taken: TypeAlias = Mapping[Tile, _Call]
"""The calls that are taken, by tile."""


class Choice:
    """The choice among the calls for tiles.

    left: bytes of flash that they may add to the program. called: kernels that the program calls besides.
    """

    def __init__(self, tiles: Sequence[Tile], left: float, called: AbstractSet[num.KernelAttr]) -> None:
        self.tiles, self.left, self.called = tiles, left, called
        # Tiles with the same weights read the same stream, or share a function.
        self.groups: dict[bytes | num.KernelAttr, dict[Tile, _Call]] = {}

    def allow(self, tile: Tile, call: _Call) -> None:
        self.groups.setdefault(call.content or call.kernel.attribute, {})[tile] = call

    def made(self) -> _Taken:
        """Takes what saves most for each further byte, again and again, also in place of what was taken before."""
        taken: _Taken = {}
        while (better := self.better(taken)) is not None:
            taken = better
        return taken

    def better(self, taken: _Taken) -> _Taken | None:
        """The choice that saves most for each byte that it adds to another; None if nothing that fits saves more."""
        time, flash = self.time(taken), self.added(taken)
        gains: list[tuple[float, _Taken]] = []
        for group in self.groups.values():
            quicker = {tile: call for tile, call in group.items() if call.time < taken.get(tile, tile.usual).time}
            further = {**taken, **quicker}
            added, saved = self.added(further), time - self.time(further)
            if saved > 0 and added <= self.left:
                gains.append((saved / max(added - flash, 1), further))
        return max(gains, key=lambda gain: gain[0])[1] if gains else None

    def time(self, taken: _Taken) -> float:
        """The time of all tiles in an inference."""
        return sum(tile.times * taken.get(tile, tile.usual).time for tile in self.tiles)

    def added(self, taken: _Taken) -> int:
        """The bytes of flash that calls add in the place of usual ones."""
        calls = (taken.get(tile, tile.usual) for tile in self.tiles)
        return self._bytes(calls) - self._bytes(tile.usual for tile in self.tiles)

    def _bytes(self, calls: Iterable[_Call]) -> int:
        """The bytes of kernels and of what calls read, equal ones once."""
        content: dict[bytes | num.KernelAttr, int] = dict.fromkeys(self.called, 0)
        for call in calls:
            content[call.content] = len(call.content)
            content.setdefault(call.kernel.attribute, call.kernel.code)
        return sum(content.values())
