"""`tinyml.finetune` of ProtoNN, whose scores are sums that a loop over the prototypes carries in accumulators."""

from __future__ import annotations

import numpy as np
import pytest
from programs.estimators import halves

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.models import ProtoNN
from tinyml.runtime.training.training import Trainer, cross_entropy
from tinyml.tools.driver.finetune import trainer_of


@pytest.mark.long(seconds=8)
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
def test_prototypes_are_trained_in_few_bits():
    """Training in 4 bits makes the program better, and its board computes the bits of the evaluator. A trained program
    can be trained and compiled again.
    """
    data = halves("digits")
    model = ProtoNN(6, 12, epochs=3, alpha=1e-5, random_state=0).fit(data.x, data.y)
    plain = tinyml.compile(model, data.x, data.y, board="host", width=4)
    tuned = tinyml.finetune(model, data.x, data.y, data.x, data.y, width=4, epochs=1, quantized_epochs=8, rate=5e-4)
    program = tinyml.compile(tuned, data.x, data.y, board="uno")
    assert program.report.mismatch is None
    assert program.score(data.x, data.y) > plain.score(data.x, data.y)
    again = tinyml.finetune(tuned, data.x, data.y, data.x, data.y, width=8, epochs=2, quantized_epochs=1, rate=5e-4)
    assert tinyml.compile(again, data.x, data.y, board="host").score(data.x, data.y) >= program.score(data.x, data.y)


def trainer() -> tuple[Trainer, np.ndarray, np.ndarray]:
    data = halves("iris")
    model = ProtoNN(3, 8, epochs=20, random_state=0).fit(data.x, data.y)
    tuned = tinyml.finetune(model, data.x, data.y, data.x, data.y, width=16, epochs=1, quantized_epochs=1)
    return trainer_of(tuned.module, context()), data.x.astype("f8"), data.y


def test_every_constant_has_the_gradient_of_finite_differences():
    """In 16 bits, the loss of the program changes as its derivatives predict, up to the rounding of its numbers."""
    made, x, y = trainer()
    y = (y + 1) % 3  # With its own labels, the model has no loss to change.
    inputs = made.inputs(x)
    slopes = made.derivatives(inputs, y)
    assert all(slope.any() for slope in slopes)
    for variable, slope in zip(made.weights.variables, slopes, strict=True):
        before, losses = variable.copy(), list[float]()
        step = 0.01 * np.abs(variable).max() * np.sign(slope) / np.sqrt(variable.size)
        for sign in (1, -1):
            variable[...] = before + sign * step
            made.weights.write()
            losses.append(cross_entropy(made.logits(inputs), y)[0])
        variable[...] = before
        assert (losses[0] - losses[1]) / 2 == pytest.approx(float((slope * step).sum()), rel=0.2)


def test_larger_weights_get_wider_sums():
    """The proofs of the sums and of the distances are those of the trained constants, and the program stays valid."""
    made, _, _ = trainer()
    sums = [op for op in made.weights.module.walk() if isinstance(op, tdsl.FinishOp)]
    distances = [op for op in made.weights.module.walk() if isinstance(op, tdsl.SquaredDistanceOp)]
    before = [op.sum_bound for op in (*sums, *distances)]
    for variable in made.weights.variables:
        variable *= 0.5
    made.weights.write()
    made.weights.module.verify()
    assert len(sums) == len(distances) == 1
    for op, bound in zip((*sums, *distances), before, strict=True):
        assert op.sum_bound is not None
        assert bound is not None
        assert op.sum_bound[1] < bound[1]
