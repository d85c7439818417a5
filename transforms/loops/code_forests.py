"""`code-forests`: turns decision forests into calls of functions (L3).

A function evaluates a forest either by reading tables or by code that contains the thresholds. Code is faster and
larger. Among the programs that fit the flash, the pass chooses the one that is fastest according to the cost model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp

from tinyml.dialects import num, tdsl
from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.costs import OPTIMIZE, cost_table
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import HOST, board, compile_for, offers
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.ir.cost.estimate import estimate_on
from tinyml.transforms.ir.levels import LOOPS
from tinyml.transforms.ir.pipeline_names import LOOPS_TO_KERNELS, LoweringPasses
from tinyml.transforms.loops.flash.attempts import SPENT_FLASH, ram_limit, spend
from tinyml.transforms.loops.kernels.tiles import code_of, size_of


@dataclass(frozen=True)
class CodeForestsPass(ConditionalPass):
    """Replace every `num.forest` by the call of a `#num.coded_forest`.

    target: as for `select-kernels`.
    flash: the maximum size of the program in bytes, by default nine tenths of the board's flash; if no program fits,
        the smallest is chosen.
    ram: as for `spend-flash`; functions that need more stack are not considered.
    packed: as for `pack-constants`.
    pack_buffers: whether `place-arrays` runs.

    Raises `InputError` for an unknown target, and for forests that are too large for the board.
    """

    name = "code-forests"
    takes = LOOPS
    ACTS_ON = (num.ForestOp,)
    target: str = HOST
    flash: int | None = None
    ram: int | None = None
    packed: str = "auto"
    pack_buffers: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is None:
            compile_for(op, self.target)
            below = LoweringPasses(
                (LOOPS_TO_KERNELS,), target=self.target, packed=self.packed, pack_buffers=self.pack_buffers
            )
            code_forests(op, self.target, self.flash, self.ram, below)


OVERESTIMATED = 1.25
"""The maximum ratio of the estimated size of a forest's function to the actual one."""

MIN_BYTES = 3
"""The bytes of an inner node in tables; the leaves take about as many bytes as the inner nodes."""


def code_forests(op: ModuleOp, target: str, flash: int | None, ram: int | None, below: LoweringPasses) -> None:
    """Replace the forests of a program by calls of the fastest functions that fit the flash. If no functions fit, the
    smallest are called.

    flash, ram: the options of `code-forests`.
    below: the passes to run on the program without its forests before its size is estimated.

    Raises `TooLargeError` if the forests alone exceed the flash of the board.
    """
    forests = [each for each in op.walk() if isinstance(each, num.ForestOp)]
    _check_size(forests, target)
    op.attributes.pop(SPENT_FLASH, None)
    limit = flash or _usual_limit(target)
    rest, taken_ram = _rest(op, target, below)
    room = ram_limit(op, target, ram) - taken_ram
    choices = [_within(room, _kernels(each, target)) for each in forests]
    fitting = [
        taken for taken in product(*choices) if limit is None or rest + sum(kernel.code for kernel in taken) <= limit
    ]
    smallest = [min(kernels, key=lambda kernel: kernel.code) for kernels in choices]
    _check_code(forests, smallest, target)
    taken = min(fitting, key=_time, default=smallest)
    if list(taken) != smallest:
        spend(op, rest + sum(kernel.code for kernel in taken))
    for each, kernel in zip(forests, taken, strict=True):
        constants = DictionaryAttr(dict(each.forest.attributes))
        routine = num.CodedForestAttr.of(constants, size_of(kernel))
        coded = num.CallOp(routine, [each.outputs, each.input], code_of(kernel))
        coded.location = each.location
        Rewriter.replace_op(each, coded)


def _rest(module: ModuleOp, target: str, below: LoweringPasses) -> tuple[float, float]:
    """Return the estimated flash and RAM of the program without its forests, in bytes. Both are 0 on a board without a
    cost table.

    below: the passes to run before the estimate.
    """
    if cost_table(target) is None:
        return 0.0, 0.0
    rest = module.clone()
    for each in [each for each in rest.walk() if isinstance(each, num.ForestOp)]:
        Rewriter.erase_op(each)
    below.apply(rest)
    estimate = estimate_on(rest, target, OPTIMIZE)
    return (0.0, 0.0) if estimate is None else (estimate.flash, estimate.ram)


def _usual_limit(target: str) -> float | None:
    """Nine tenths of a board's flash in bytes, since estimates of programs may be too low. None if the board's
    flash is unknown.
    """
    flash = board(target).flash
    return None if flash is None else 0.9 * flash


def _check_size(forests: Sequence[num.ForestOp], target: str) -> None:
    flash, nodes = board(target).flash, sum(each.forest.trees.inner for each in forests)
    if flash is not None and nodes * MIN_BYTES > flash:
        # Wider thresholds and votes take further bytes of each inner node and leaf.
        wider = max(each.forest.trees.thresholds.itemsize + each.forest.votes.itemsize - 2 for each in forests)
        raise _too_large(forests, target, "", flash // (2 * MIN_BYTES + wider), flash)


def _check_code(forests: Sequence[num.ForestOp], smallest: Sequence[Kernel], target: str) -> None:
    """Raise `TooLargeError` if the smallest functions of the forests exceed the flash of a board, even if their
    estimated size is `OVERESTIMATED` times the actual one.
    """
    flash, code = board(target).flash, sum(kernel.code for kernel in smallest)
    if flash is not None and code > OVERESTIMATED * flash:
        nodes = sum(each.forest.trees.inner for each in forests)
        bits = max(8 * each.forest.votes.itemsize for each in forests)
        size = f", thresholds and votes of up to {bits} bits, about {round(code):,} bytes,"
        raise _too_large(forests, target, size, int(nodes * flash / code), flash)


def _too_large(forests: Sequence[num.ForestOp], target: str, size: str, fitting: int, flash: int) -> InputError:
    """The error for forests that do not fit a board.

    size: the size of the forests, after the number of their nodes.
    fitting: the number of nodes that fit.
    flash: the bytes of flash of the board.
    """
    trees = [forest.forest.trees for forest in forests]
    nodes, count = sum(each.inner for each in trees), sum(len(each.roots) for each in trees)
    return error_at(
        forests[0],
        f"{count} trees with {nodes} inner nodes{size} do not fit {target}, whose {flash} bytes of flash have room for"
        f" about {fitting}, as many as {max(fitting * count // nodes, 1)} such trees have: train with"
        f" {tdsl.SMALLER_FORESTS}",
        TooLargeError,
    )


def _kernels(op: num.ForestOp, target: str) -> Sequence[Kernel]:
    kernels = [offer.kernel for offer in offers(target, op.forest)]
    if not kernels:
        raise error_at(op, f"the target '{target}' has no function for this forest")
    return [_timed(kernel, target) for kernel in kernels]


def _within(room: float, kernels: Sequence[Kernel]) -> Sequence[Kernel]:
    """The kernels whose stack is at most `room` bytes. If there are none, the kernel with the least stack."""
    stacks = [size_of(kernel).stack for kernel in kernels]
    least = max(room, min(stacks))
    return [kernel for kernel, stack in zip(kernels, stacks, strict=True) if stack <= least]


def _timed(kernel: Kernel, target: str) -> Kernel:
    table, composed = cost_table(target), kernel.composed
    if table is None or composed is None or not composed.counts or not composed.counts.keys() <= table.steps.keys():
        return kernel
    time = sum(table.steps[step].time * count for step, count in composed.counts.items())
    return replace(kernel, composed=replace(composed, costs={"": time}))


def _time(kernels: Sequence[Kernel]) -> float:
    return sum(size_of(kernel).time for kernel in kernels)
