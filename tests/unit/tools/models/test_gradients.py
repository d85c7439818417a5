"""The gradients of the networks are those of finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tinyml.models import Bonsai, ProtoNN
from tinyml.tools.models.bonsai import BonsaiNetwork
from tinyml.tools.models.classifier import Samples
from tinyml.tools.models.protonn import ProtoNNNetwork

STEP = 1e-6


def check_gradients(network: Any, x: Any, progress: float) -> None:
    """Compare the derivatives of a random sum of scores with those of central differences, for each parameter."""
    network.parameters = {name: array.astype(np.float64) for name, array in network.parameters.items()}
    random = np.random.default_rng(1)
    slope: Any = random.standard_normal(network.forward(x, progress).shape)
    network.forward(x, progress)
    gradients = network.backward(slope)
    assert gradients.keys() == network.parameters.keys()
    for name, array in network.parameters.items():
        for index in random.choice(array.size, min(20, array.size), replace=False):
            sums: list[float] = []
            before = array.flat[index]
            for moved in (before + STEP, before - STEP):
                array.flat[index] = moved
                sums.append(float((slope * network.forward(x, progress)).sum()))
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
