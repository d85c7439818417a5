"""The gradients of the networks are those of finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tinyml.models import Bonsai, FastGRNN, ProtoNN
from tinyml.tools.models.bonsai import BonsaiNetwork
from tinyml.tools.models.classifier import Samples
from tinyml.tools.models.fastgrnn import FastGRNNNetwork
from tinyml.tools.models.protonn import ProtoNNNetwork

STEP = 1e-6


def check_gradients(network: Any, x: Any, progress: float) -> None:
    """Compare the derivatives of a random sum of scores with those of central differences, for each parameter."""
    network.parameters = {name: array.astype(np.float64) for name, array in network.parameters.items()}
    random = np.random.default_rng(1)
    scores: Any = network.forward(x, progress)
    slope = np.asarray(random.standard_normal(scores.shape), np.float64)
    gradients = network.backward(slope)
    assert gradients.keys() == network.parameters.keys()
    for name, array in network.parameters.items():
        for index in random.choice(array.size, min(20, array.size), replace=False):
            sums: list[float] = []
            before = array.flat[index]
            for moved in (before + STEP, before - STEP):
                array.flat[index] = moved
                moved_scores: NDArray[Any] = network.forward(x, progress)
                sums.append(float(np.vdot(slope, moved_scores)))
            array.flat[index] = before
            difference = (sums[0] - sums[1]) / (2 * STEP)
            assert gradients[name].flat[index] == pytest.approx(difference, rel=1e-4, abs=1e-6), name


@pytest.mark.parametrize("scores", [1, 3])
@pytest.mark.parametrize("progress", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("depth", [0, 2])
def test_bonsai(scores: int, progress: float, depth: int):
    """With soft decisions, with sharper ones, and with hard ones."""
    random = np.random.default_rng(0)
    network = BonsaiNetwork(6, scores, Bonsai(4, depth, sigma=0.7), random)
    check_gradients(network, random.standard_normal((8, 6)), progress)


@pytest.mark.parametrize("scores", [1, 3])
def test_protonn(scores: int):
    random = np.random.default_rng(0)
    x = random.standard_normal((20, 6))
    labels = np.arange(20) % max(2, scores)
    samples = Samples(x.astype(np.float32), labels, np.ones(20, np.float32), scores)
    check_gradients(ProtoNNNetwork(samples, ProtoNN(4, 7), random), x, 0.0)


@pytest.mark.parametrize("scores", [1, 3])
@pytest.mark.parametrize("ranks", [{}, {"w_rank": 2, "u_rank": 3}])
def test_fastgrnn(scores: int, ranks: dict[str, int]):
    random = np.random.default_rng(0)
    x = random.standard_normal((5, 12))
    samples = Samples(x.astype(np.float32), np.arange(5) % max(2, scores), np.ones(5, np.float32), scores)
    check_gradients(FastGRNNNetwork(samples, FastGRNN(4, 6, **ranks), random), x, 0.0)
