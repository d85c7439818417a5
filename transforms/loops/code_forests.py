"""`code-forests`: forests become functions, as tables or as code (L3).

Code is faster and larger. The pass chooses the fastest program that fits into the flash by the cost model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import num, tdsl
from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.costs import OPTIMIZE, cost_table
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import HOST, board, compile_for, offers
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.pipeline_names import LOOPS_TO_KERNELS, LoweringPasses
from tinyml.transforms.loops.flash.attempts import SPENT_FLASH, ram_limit, spend
from tinyml.transforms.loops.kernels.tiles import code_of, size_of

LEAST_BYTES = 3
"""The bytes of an inner node in tables; the leaves take about as many bytes as the inner nodes."""


@dataclass(frozen=True)
class CodeForestsPass(ModulePass):
    """Replaces every `num.forest` by the call of a `#num.coded_forest`.

    target: as for `select-kernels`. flash: the most bytes of the program, by default nine tenths of the board's flash;
    if no program fits, the smallest is chosen. ram: as for `spend-flash`; functions whose stack exceeds it are left
    out. packed: as for `pack-constants`. pack_buffers: whether `place-arrays` runs. Raises `InputError` for an unknown
    target, and for forests that are too large for the board.
    """

    name = "code-forests"
    takes = LOOPS
    target: str = HOST
    flash: int | None = None
    ram: int | None = None
    packed: str = "auto"
    pack_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forests = [each for each in op.walk() if isinstance(each, num.ForestOp)]
        if not forests:
            return
        compile_for(op, self.target)
        _check_size(forests, self.target)
        op.attributes.pop(SPENT_FLASH, None)
        limit = self.flash or _usual_limit(self.target)
        rest, taken_ram = self._rest(op)
        room = ram_limit(op, self.target, self.ram) - taken_ram
        choices = [_within(room, _kernels(each, self.target)) for each in forests]
        fitting = [
            taken
            for taken in product(*choices)
            if limit is None or rest + sum(kernel.code for kernel in taken) <= limit
        ]
        smallest = [min(kernels, key=lambda kernel: kernel.code) for kernels in choices]
        taken = min(fitting, key=_time, default=smallest)
        if list(taken) != smallest:
            spend(op, rest + sum(kernel.code for kernel in taken))
        for each, kernel in zip(forests, taken, strict=True):
            constants = DictionaryAttr(dict(each.forest.attributes))
            routine = num.CodedForestAttr.of(constants, size_of(kernel))
            coded = num.CallOp(routine, [each.outputs, each.input], code_of(kernel))
            coded.location = each.location
            Rewriter.replace_op(each, coded)

    def _rest(self, module: ModuleOp) -> tuple[float, float]:
        """The flash and RAM of the program without its forests, by the estimate; 0 on a board without a cost table."""
        if cost_table(self.target) is None:
            return 0.0, 0.0
        rest = module.clone()
        for each in [each for each in rest.walk() if isinstance(each, num.ForestOp)]:
            Rewriter.erase_op(each)
        below = LoweringPasses(
            (LOOPS_TO_KERNELS,), target=self.target, packed=self.packed, pack_buffers=self.pack_buffers
        )
        below.apply(rest)
        estimate = estimate_on(rest, self.target, OPTIMIZE)
        return (0.0, 0.0) if estimate is None else (estimate.flash, estimate.ram)


def _usual_limit(target: str) -> float | None:
    """The flash of a board, less a tenth, since the estimates of programs may be too low."""
    flash = board(target).flash
    return None if flash is None else 0.9 * flash


def _check_size(forests: Sequence[num.ForestOp], target: str) -> None:
    """Raise `InputError` if the nodes of the forests alone exceed the flash of a board; the message says how to make
    them smaller.
    """
    flash = board(target).flash
    trees = [forest.forest.trees for forest in forests]
    nodes, count = sum(each.inner for each in trees), sum(len(each.roots) for each in trees)
    if flash is not None and nodes * LEAST_BYTES > flash:
        fitting = flash // (2 * LEAST_BYTES)
        raise error_at(
            forests[0],
            f"{count} trees with {nodes} inner nodes do not fit {target}, whose {flash} bytes of flash have room for"
            f" about {fitting}, as many as {max(fitting * count // nodes, 1)} such trees have: train with"
            f" {tdsl.SMALLER_FORESTS}",
        )


def _kernels(op: num.ForestOp, target: str) -> Sequence[Kernel]:
    """The functions that a forest may become."""
    forest: ForestCode = op.forest
    kernels = [offer.kernel for offer in offers(target, forest)]
    if not kernels:
        raise error_at(op, f"the target '{target}' has no function for this forest")
    return [_timed(kernel, target) for kernel in kernels]


def _within(room: float, kernels: Sequence[Kernel]) -> Sequence[Kernel]:
    """The functions whose stack fits into the remaining RAM; the one with the least stack if none fits."""
    stacks = [size_of(kernel).stack for kernel in kernels]
    least = max(room, min(stacks))
    return [kernel for kernel, stack in zip(kernels, stacks, strict=True) if stack <= least]


def _timed(kernel: Kernel, target: str) -> Kernel:
    """A kernel with its time by the board's cost table; its own time is kept if the table lacks some of its steps."""
    table, composed = cost_table(target), kernel.composed
    if table is None or composed is None or not composed.counts or not composed.counts.keys() <= table.steps.keys():
        return kernel
    time = sum(table.steps[step].time * count for step, count in composed.counts.items())
    return replace(kernel, composed=replace(composed, costs={"": time}))


def _time(kernels: Sequence[Kernel]) -> float:
    return sum(size_of(kernel).time for kernel in kernels)
