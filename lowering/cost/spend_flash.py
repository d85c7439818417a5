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
        choices = self._choices(op)
        if self.flash is None or not choices:
            return
        usual = op.clone()
        for step in (SelectKernelsPass(self.target), CanonicalizePass()):
            # The second removes the weights that streams take the place of.
            step.apply(ctx, usual)
        if (estimate := estimate_on(usual, self.target, OPTIMIZE)) is None:
            return
        limit = self.ram if self.ram is not None else board(self.target).ram
        choices = [choice for choice in choices if limit is None or _ram(estimate, choice.large.kernel) <= limit]
        taken: list[_Choice] = []
        for choice in sorted(choices, key=lambda choice: choice.saved / max(choice.more, 1), reverse=True):
            if estimate.flash + _more_flash([*taken, choice]) <= self.flash:
                taken.append(choice)
        for choice in taken:
            choice.large.replace(choice.tile)

    def _choices(self, module: ModuleOp) -> list[_Choice]:
        """The tiles that have a kernel which takes more flash and less time."""
        families = [tile_families(self.target, large=large) for large in (False, True)]
        choices: list[_Choice] = []
        for function in defined_functions(module):
            for op in [op for op in function.walk() if isinstance(op, num.FinishedSumsOp)]:
                usual, large = (call_of_tile(op, each) for each in families)
                if usual is not None and large is not None:
                    choices.append(_Choice(op, usual, large))
        return [choice for choice in choices if choice.saved > 0]


@dataclass(frozen=True)
class _Choice:
    """A tile and two kernels for it."""

    tile: num.FinishedSumsOp
    usual: TileCall
    large: TileCall

    @cached_property
    def saved(self) -> float:
        """The time that the large kernel saves in an inference."""
        loop, times = self.tile.parent_op(), 1.0
        while loop is not None:
            if isinstance(loop, scf.ForOp):
                times *= mean_iterations(loop) or 0.0
            loop = loop.parent_op()
        return times * (_time(self.usual.kernel) - _time(self.large.kernel))

    @property
    def more(self) -> int:
        """The bytes of flash that the large kernel takes besides its code."""
        return self.large.stream.size - self.usual.stream.size


def _time(kernel: Kernel) -> float:
    return 0.0 if kernel.composed is None else kernel.composed.costs[""]


def _more_flash(choices: Sequence[_Choice]) -> int:
    """The bytes of flash that large kernels add to a program, those of the code of usual ones left in."""
    kernels = {choice.large.kernel.symbol: choice.large.kernel.code for choice in choices}
    return sum(choice.more for choice in choices) + sum(kernels.values())


def _ram(estimate: Estimate, kernel: Kernel) -> float:
    """The RAM of a program in which a kernel has the greatest stack."""
    return estimate.ram + max(kernel.stack - estimate.deepest, 0)
