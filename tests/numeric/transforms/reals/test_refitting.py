"""Channels that are removed with a refit: the network without them, and what others can take over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.untrained_networks import Layers
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.driver.finetuning.finetune import channels_of
from tinyml.transforms.reals.channels.refitting import Refitting, prune_refitted
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.reals.channels.resource_limits import FLASH, MACS, RAM, ResourceLimits

X = np.random.default_rng(0).normal(size=(256, 64))


def network(dense: int = 12) -> ModuleOp:
    return Layers((1, 8, 8, 1), 0).convolution(6, 3).pool(2).convolution(8, 2).dense(dense).relu().dense(3).program()


def scores(module: ModuleOp) -> NDArray[np.float64]:
    found = evaluate_reals(module, X).scores
    assert found is not None
    return found


@pytest.mark.parametrize("limits", [{RAM: 200}, {FLASH: 450, MACS: 5000}])
def test_what_is_removed_has_no_effect(limits: dict[str, int]):
    module = network()
    chosen = ResourceLimits(channels_of(module, "ordinary", 8), limits, 8)
    prune_refitted(module, chosen, X)
    expected, taken = scores(module), chosen.taken(chosen.removed)
    remove_channels(chosen.channels.grouping, chosen.removed)
    module.verify()
    left = ResourceLimits(channels_of(module, "ordinary", 8), limits, 8)
    assert left.whole == taken
    assert all(left.whole[name] <= limit for name, limit in limits.items())
    assert np.allclose(scores(module), expected, atol=1e-9)


def test_channels_that_others_compute_go_without_a_change():
    """Channel 2 of the second convolution is channel 5, and the dense layer's unit 1 three times its unit 7."""
    module = network()
    weights = TrainedWeights(module)
    named = {weight.constant.result.name_hint: weight.real for weight in weights.weights}
    named["W2"][2], named["W3"][1] = named["W2"][5], 3 * named["W3"][7]
    weights.write()
    expected = scores(module)
    grouping = channels_of(module, "ordinary", 8).grouping
    refitted = Refitting(module, grouping, X)
    refitted.measure()
    growth = refitted.growth
    made = [op.out for op in module.walk() if isinstance(op, tdsl.ContractionOp)]
    alike = [grouping.groups(made[1])[[2, 5]], grouping.groups(made[2])[[1, 7]]]
    others = np.setdiff1d(grouping.groups(made[1]), alike[0])
    assert growth[alike[0]].max() < 0.05 * np.median(growth[others])
    for groups in alike:
        refitted.remove(int(groups[0]))
        # The other one is the only one left of its kind.
        assert refitted.growth[groups[1]] > 10 * growth[groups[1]]
    refitted.write()
    assert np.abs(scores(module) - expected).max() < 0.05 * np.abs(expected).max()
