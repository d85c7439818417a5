"""`measure-cost`: builds a program, runs it on a target and records its cost as a module attribute (L1).

Estimates differ from the actual size by a few bytes. A search under a limit therefore measures a program before
choosing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.context import context
from tinyml.dialects.lazy_numpy import np
from tinyml.runtime.devices.registry import is_available, runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.c.print_c import write_c
from tinyml.targets.costs import OPTIMIZE, cost_table
from tinyml.targets.registry import DEFAULT_TARGET
from tinyml.transforms.ir.copies import copied
from tinyml.transforms.ir.cost.estimate import reading_time
from tinyml.transforms.ir.levels import FORMATS
from tinyml.transforms.ir.pipeline_names import (
    MEASURE_COST,
    TO_C,
    TO_LOOPS,
    LoweringPasses,
    ProgramCost,
    set_cost,
)
from tinyml.transforms.loops.flash.attempts import next_attempt


@dataclass(frozen=True)
class MeasureCostPass(ModulePass):
    """Set `tinyml.cost`, as `estimate-cost` does, to the measured cost of one inference on an input of zeros.

    The time includes the estimated time in which a call with floats converts them.

    The program itself is unchanged. If the target's tools are missing, the attribute is not set.

    target: as for `select-kernels`.
    pack_buffers: whether `pack-input` and `pack-buffers` run.
    flash: the bytes of flash that the program may occupy. If a built program exceeds them, it is built again with a
        lower limit for `spend-flash`.

    Raises the errors of the C compiler and the simulator for a program that is too large.
    """

    name = MEASURE_COST
    takes = FORMATS
    target: str = DEFAULT_TARGET
    pack_buffers: bool = False
    flash: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refined = op.clone()
        LoweringPasses(TO_C[:1], **self._given).apply(refined)
        if (cost := self.cost(refined)) is not None:
            set_cost(op, cost)

    def cost(self, refined: ModuleOp, lowered: ModuleOp | None = None) -> ProgramCost | None:
        """The cost of a program after `refine-formats`. None if the target's tools are missing. Raises the
        errors of the pass.

        refined: the program.
        lowered: the same program after `buffers-to-loops`, lowered for the same flash; it is modified.
        """
        if not is_available(self.target):
            return None
        interface = interface_of(refined)
        inputs = encode_inputs(refined, np.zeros((1, interface.input_length)))
        runner, within = runner_for(self.target), self.flash
        while True:
            program = lowered or copied(refined)
            below = TO_C[1:] if lowered is None else TO_C[len(TO_LOOPS) :]
            LoweringPasses(below, flash=within, **self._given).apply(program)
            with temporary_folder() as folder:
                write_c(program, context(), self.target, folder)
                build = runner.build(folder, interface, folder, OPTIMIZE)
                if self.flash is not None and within is not None and build.flash_bytes > self.flash:
                    within, lowered = next_attempt(program, within, build.flash_bytes, self.flash), None
                    if within is not None:
                        continue
                result = runner.run(build, interface, inputs)
            break
        time = 0.0 if result.cycles is None else float(result.cycles.mean()) + self._reading(refined)
        return ProgramCost(time, build.flash_bytes, build.ram_bytes(result))

    def _reading(self, refined: ModuleOp) -> float:
        table = cost_table(self.target)
        return 0.0 if table is None else reading_time(refined, table) or 0.0

    @property
    def _given(self) -> dict[str, Any]:
        return {"target": self.target, "pack_buffers": self.pack_buffers}
