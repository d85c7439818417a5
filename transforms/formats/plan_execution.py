"""`plan-execution`: chooses the segments of a network that are streamed or run in place, and rewrites them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.own_attributes import NAME, TEXT, HolderKind, OwnAttribute, array, integer, record, text_of
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.table import AUTO, ORDINARY, schedule_named, traits_of

_SEGMENT = record("a segment", {"first": NAME, "last": NAME, "by": TEXT}, {"more_macs": integer(0)})

PLAN = OwnAttribute(
    "tinyml.plan",
    {HolderKind.MODULE: array(_SEGMENT, "segments with `first`, `last` and `by`")},
    "The segments that are not ordinary: their ends and tiling, and the products that recomputation adds.",
)


@dataclass(frozen=True)
class PlanExecutionPass(ModulePass):
    """Execute each function by a plan, and record its segments in the attribute `tinyml.plan` of the module.

    A plan covers the ops after the last loop or branch; tensors computed before are whole.

    mode: a schedule of docs/schedules.md, whose plan with the least peak is taken; `ordinary` changes nothing, `auto`
    takes the fastest plan with at most `ram` bytes alive, or the one with the least peak, of streaming segments. ram:
    without it, `auto` is the mode that a search recorded for the function (`tdsl.mode`), or else ordinary execution,
    and computing several pixels at once is limited to the bytes of the search (`tdsl.ram`). In loops over channels, one
    is computed at a time, or as many as fit in `ram`. In every mode, an image whose channels come first is copied in
    the order of pixels, or transposed in place if the model may overwrite it, if that takes less memory, or in `auto`
    less time. target: as for printing C; its kernels determine the number of pixels computed at once in segments
    streamed by rows. extra: percentage of multiply-accumulates that patches may add to the network's. Raises
    `InputError` for another mode and, unless the mode is `ordinary` or `auto`, for functions that end in a loop or
    branch, and for batches of images.
    """

    name = "plan-execution"
    mode: str = AUTO
    ram: int | None = None
    extra: int = 30
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        takes_ram = traits_of(self.mode).takes_ram
        segments: list[DictionaryAttr] = []
        for function in defined_functions(op):
            mode = self._recorded(function) if takes_ram and self.ram is None else self.mode
            usual = mode == ORDINARY and not self._limits_tiles(function)
            if usual and not _turns_images(function):
                continue
            from tinyml.transforms.schedules.rewriting.planned_execution import PlannedExecution

            execution = PlannedExecution(schedule_named(mode), self.ram, self.extra, self.target)
            segments += execution.run(function, usual=usual)
        if segments:
            op.attributes[PLAN] = ArrayAttr(segments)

    def _limits_tiles(self, function: func.FuncOp) -> bool:
        """True if a limit on memory determines how many pixels the convolutions of a function compute at once."""
        limited = self.ram is not None or tdsl.RAM in function.attributes
        return limited and any(isinstance(op, tdsl.Conv2dOp) for op in function.body.block.ops)

    def _recorded(self, function: func.FuncOp) -> str:
        """The mode that a search recorded for a function; ordinary execution if there is none."""
        chosen = function.attributes.get(tdsl.MODE)
        return chosen.data if isinstance(chosen, StringAttr) else ORDINARY


def in_whole_images(module: ModuleOp, mode: str) -> ModuleOp:
    """A program at L1 with the bits of `with_rounded_sums`, in fewer ops on whole images and in more memory."""
    from tinyml.transforms.schedules.rewriting.planned_execution import RoundedSums

    rounded, usual = module.clone(), PlanExecutionPass(mode)
    execution = RoundedSums(schedule_named(mode), usual.ram, usual.extra, usual.target)
    for function in defined_functions(rounded):
        list(execution.run(function, usual=False))
    return rounded


def with_rounded_sums(module: ModuleOp, ctx: Context, mode: str, ram: int | None = None) -> ModuleOp | None:
    """A program at L1 as a mode executes it, if that rounds partial sums; None if bits do not change.

    ram: as for the pass; it affects the number of channels at once, and with it the roundings.
    """
    if not traits_of(mode).rounds:
        return None
    from tinyml.transforms.schedules.protocol import ROUNDED_SUFFIX

    planned = module.clone()
    PlanExecutionPass(mode, ram).apply(ctx, planned)
    rounds = any(str(segment["by"]).endswith(ROUNDED_SUFFIX) for segment in streamed_segments(planned))
    return planned if rounds else None


def streamed_segments(module: ModuleOp) -> list[dict[str, str | int]]:
    """The segments of a program that are not ordinary: `first`, `last` and `by`, and for patches `more_macs`."""
    recorded = module.attributes.get(PLAN)
    return [
        {name: _plain(value) for name, value in segment.data.items()}
        for segment in (cast("ArrayAttr[DictionaryAttr]", recorded) if recorded is not None else ())
    ]


def _plain(value: Attribute) -> str | int:
    return value.value.data if isinstance(value, IntegerAttr) else text_of(value)


def _turns_images(function: func.FuncOp) -> bool:
    """True if a transposition of a function needs no copy."""
    if not any(isinstance(op, tdsl.TransposeOp) for op in function.body.block.ops):
        return False
    from tinyml.transforms.schedules.tiling.axis_orders import orders

    return any(orders(function))
