"""`plan-execution`: chooses the segments of a network that are streamed or run in place, and rewrites these segments
(L1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.dialects.discardable_attributes import (
    NAME,
    TEXT,
    DiscardableAttribute,
    HolderKind,
    array,
    integer,
    record,
    text_of,
)
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.targets.registry import HOST
from tinyml.transforms.ir.conditional_pass import ConditionalPass
from tinyml.transforms.schedules.rewriting.planned_execution import PlannedExecution, RoundedSums
from tinyml.transforms.schedules.segments import ROUNDED_SUFFIX
from tinyml.transforms.schedules.table import AUTO, ORDINARY, missing_schedules, schedule_named, traits_of
from tinyml.transforms.schedules.tiling.axis_orders import orders

_SEGMENT = record("a segment", {"first": NAME, "last": NAME, "by": TEXT}, {"more_macs": integer(0)})

PLAN = DiscardableAttribute(
    "tinyml.plan",
    {HolderKind.MODULE: array(_SEGMENT, "segments with `first`, `last` and `by`")},
    "The segments that are not ordinary: their ends and tiling, and the products that recomputation adds.",
)


@dataclass(frozen=True)
class PlanExecutionPass(ConditionalPass):
    """Rewrite each function so that it runs according to a plan, and record the plan's segments in the module attribute
    `tinyml.plan`.

    A plan covers the ops after the last loop or branch. Tensors that are computed before the plan begins are stored
    whole.

    In every mode, an image whose channels come first is copied into the order of pixels if that needs less memory or,
    in `auto`, less time. If the model may overwrite the image, it is transposed in place instead.

    mode: a schedule of docs/schedules.md, whose plan with the lowest peak is used. `ordinary` runs op by op on
        whole tensors. `auto` uses plans of streaming segments: the fastest plan with at most `ram` live bytes, or
        the plan with the lowest peak if no plan fits.
    ram: the limit in bytes, by default the limit that a search recorded for the function (`tdsl.ram`). It also limits
        how many pixels, or channels in a loop over channels, are computed at once. Without any limit, a loop over
        channels computes one channel at a time. Without `ram`, `auto` stands for the mode that a search recorded
        (`tdsl.mode`), or else for ordinary execution.
    extra: the multiply-accumulates that recomputation may add, in percent of the network's multiply-accumulates.
    target: as for printing C; its kernels determine the number of pixels computed at once in segments streamed by
        rows.

    Raises `InputError` for another mode. Unless the mode is `ordinary` or `auto`, also raises `InputError` for
    functions that end in a loop or branch, and for batches of images.
    """

    name = "plan-execution"
    mode: str = AUTO
    ram: int | None = None
    extra: int = 30
    target: str = HOST

    def obstacle(self, module: ModuleOp) -> str | None:
        usual = all(self._is_usual(each) and not _turns_images(each) for each in defined_functions(module))
        return "neither an option nor a search requests a plan" if usual else None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        segments: list[DictionaryAttr] = []
        for function in defined_functions(op):
            mode, usual = self._mode_of(function), self._is_usual(function)
            if usual and not _turns_images(function):
                continue
            if mode == AUTO and (missing := missing_schedules()) is not None:
                raise InputError(missing)
            execution = PlannedExecution(schedule_named(mode), self.ram, self.extra, self.target)
            segments += execution.run(function, usual=usual)
        if segments:
            op.attributes[PLAN] = ArrayAttr(segments)

    def _is_usual(self, function: func.FuncOp) -> bool:
        return self._mode_of(function) == ORDINARY and not self._limits_tiles(function)

    def _mode_of(self, function: func.FuncOp) -> str:
        if self.ram is not None or not traits_of(self.mode).takes_ram:
            return self.mode
        recorded = function.attributes.get(tdsl.MODE)
        return recorded.data if isinstance(recorded, StringAttr) else ORDINARY

    def _limits_tiles(self, function: func.FuncOp) -> bool:
        """Whether a memory limit determines how many pixels the convolutions of a function compute at once. There must
        be a limit and a convolution.
        """
        limited = self.ram is not None or tdsl.RAM in function.attributes
        return limited and any(isinstance(op, tdsl.Conv2dOp) for op in function.body.block.ops)


def in_whole_images(module: ModuleOp, mode: str) -> ModuleOp:
    """Return a copy of a program at L1 that computes the same bits as the program that `with_rounded_sums` returns for
    the mode, in less time.

    The copy computes whole images. It therefore has fewer ops and needs more memory.
    """
    rounded, usual = module.clone(), PlanExecutionPass(mode)
    execution = RoundedSums(schedule_named(mode), usual.ram, usual.extra, usual.target)
    for function in defined_functions(rounded):
        list(execution.run(function, usual=False))
    return rounded


def with_rounded_sums(module: ModuleOp, ctx: Context, mode: str, ram: int | None = None) -> ModuleOp | None:
    """A program at L1, rewritten as a mode executes it. None if the mode rounds no partial sums of the program.

    ram: as for the pass. It affects the number of channels computed at once, and thereby the roundings.
    """
    if not traits_of(mode).rounds:
        return None
    planned = module.clone()
    PlanExecutionPass(mode, ram).apply(ctx, planned)
    rounds = any(str(segment["by"]).endswith(ROUNDED_SUFFIX) for segment in streamed_segments(planned))
    return planned if rounds else None


def streamed_segments(module: ModuleOp) -> list[dict[str, str | int]]:
    """The segments recorded in `tinyml.plan`: those that a plan does not execute in the ordinary way. Empty if no plan
    is recorded.

    Each is a dictionary: `first` and `last` name its first and last op, and `by` states the tiling. If the schedule
    recomputes parts of images, `more_macs` states the multiply-accumulates that this adds.
    """
    recorded = module.attributes.get(PLAN)
    return [
        {name: _plain(value) for name, value in segment.data.items()}
        for segment in (cast("ArrayAttr[DictionaryAttr]", recorded) if recorded is not None else ())
    ]


def _plain(value: Attribute) -> str | int:
    return value.value.data if isinstance(value, IntegerAttr) else text_of(value)


def _turns_images(function: func.FuncOp) -> bool:
    if not any(isinstance(op, tdsl.TransposeOp) for op in function.body.block.ops):
        return False
    return any(orders(function))
