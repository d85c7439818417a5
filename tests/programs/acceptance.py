"""The rule of acceptance of `--format auto`, applied to what a program computes instead of to candidates."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.choice.split import choosing_half
from tinyml.tools.driver.choice.statistics import Loss
from tinyml.tools.driver.requests.request import DEFAULT_LOSS
from tinyml.tools.driver.stages import load_program


def qualifies(folder: Path, val: Path, loss: float = DEFAULT_LOSS) -> bool:
    """True if the classifier in an output folder loses no more than `loss` points on both halves of its data."""
    reals, formats = (load_program(folder / "ir" / f"{name}.mlir", context()) for name in ("0-reals", "1-formats"))
    data = load_program_data(formats, str(val))
    exact = evaluate_reals(reals, data.x).classes
    classes = evaluate(formats, encode_inputs(formats, data.x)).classes
    right = exact if data.y is None else data.y
    half, _ = choosing_half(str(val), right)
    for samples in (half, ~half):
        lost = int(((exact == right) & (classes != right) & samples).sum())
        gained = int(((exact != right) & (classes == right) & samples).sum())
        count = int(samples.sum())
        if not Loss(100 * (lost - gained) / count, lost, gained, count).allowed(loss):
            return False
    return True
