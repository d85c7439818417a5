"""FastGRNNs that are trained for the pages of the papers: gradients, programs, and the subjects of HAR-2."""

from pathlib import Path

import numpy as np
import pytest
from measured.recurrent import Parameters, Recurrent, gradients, har2, initial, trained, write
from measured.trainings import Sets

from tinyml.dialects.context import context
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.training.training import Labelled
from tinyml.tools.driver.stages import find_model, load_program

SMALL = Recurrent(lambda _: sets(), steps=5, hidden=6, classes=3, epochs=40, batch=20)


def sets() -> Sets:
    """Samples of 5 steps of 2 numbers, and one of three classes, which depends on the signs of the sums over the
    steps.
    """
    x = np.random.default_rng(1).normal(size=(300, 10))
    first, second = x[:, ::2].sum(1), x[:, 1::2].sum(1)
    y = np.where(first > 0, np.where(second > 0, 2, 1), 0)
    return Sets(*(Labelled(x[part], y[part]) for part in (slice(200), slice(200, 250), slice(250, 300))))


def test_gradients_are_difference_quotients():
    random = np.random.default_rng(0)
    parameters: Parameters = {name: value.astype(np.float64) for name, value in initial(SMALL, 2, random).items()}
    x, y = sets().train.x[:6], sets().train.y[:6]
    _, slopes = gradients(parameters, x, y, SMALL.steps)
    for name, value in parameters.items():
        for at in np.ndindex(value.shape):
            losses = list[float]()
            for step in (1e-5, -1e-5):
                changed = {**parameters, name: value.copy()}
                changed[name][at] += step
                losses.append(gradients(changed, x, y, SMALL.steps)[0])
            assert abs((losses[0] - losses[1]) / 2e-5 - slopes[name][at]) < 1e-7, (name, at)


@pytest.mark.long
def test_a_trained_program(tmp_path: Path):
    """Two trainings with the same seed result in equal parameters, and the program written from them predicts more than
    80 % of the test classes correctly.
    """
    data = sets()
    parameters = trained(SMALL, data.train)
    assert all(np.array_equal(parameters[name], value) for name, value in trained(SMALL, data.train).items())
    write(tmp_path, SMALL, parameters, data)
    program, val, test = find_model(tmp_path)
    assert (val.name, test and test.name) == ("val.npz", "test.npz")
    labels = evaluate_reals(load_program(program, context()), data.test.x).labels
    assert labels is not None
    assert (labels == data.test.y).mean() > 0.8


def test_har_2_keeps_subjects_apart(tmp_path: Path):
    """The training and test sets of HAR-2 share no subject, and activities are merged as EdgeML does. In the data of
    this test, the only feature is the number of the subject.
    """
    activities = np.tile(np.repeat([4, 3, 4, 5, 3, 5, 0, 2, 1, 2, 1, 2, 1], 3), 18)
    subjects = np.repeat(np.arange(9), 2 * 13 * 3)
    for name in ("val", "test"):
        np.savez(tmp_path / f"{name}.npz", x=subjects[:, None].astype(np.float32), y=activities)
    parts = har2(tmp_path)
    assert {*parts.train.x[:, 0]} == {0, 1, 2, 3, 4, 5}
    assert {*parts.test.x[:, 0]} == {6, 7, 8}
    assert list(parts.val.y) == [int(activity in (0, 2, 4)) for activity in activities]
