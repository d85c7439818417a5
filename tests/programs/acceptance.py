"""The acceptance rule of `--format auto`, applied to the outputs of a compiled program instead of to candidates."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.context import context
from tinyml.lowering.options import DEFAULT_LOSS
from tinyml.runtime.evaluator.evaluator import argument_reals
from tinyml.runtime.evaluator.shared_evaluator import SharedEvaluator
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.choice.statistics import LossModel, sample_groups
from tinyml.tools.driver.choice.trials import loss_of
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.formats.evaluation.reference import Reference


def qualifies(folder: Path, val: Path, loss: float = DEFAULT_LOSS) -> bool:
    """Whether the classifier in an output folder is expected to lose at most `loss` points, by its outputs on the data
    in `val`.
    """
    reals, formats = (load_program(folder / "ir" / f"{name}.mlir", context()) for name in ("0-reals", "1-formats"))
    data = load_program_data(formats, str(val))
    reference = Reference(reals, data)
    judge = LossModel.of(reference, sample_groups(str(val), len(data))[0])
    program = SharedEvaluator(argument_reals(formats, reference.inputs)).prepare(formats)
    return loss_of(program, reference.order, judge).allowed(loss)
