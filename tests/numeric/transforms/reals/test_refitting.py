"""Removal of channels with a refit: the remaining channels replace the removed ones as far as they can."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.typing import NDArray
from programs.network_writer import NetworkWriter
from programs.spread import examples
from programs.streamed_networks import networks
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function
from tinyml.runtime.training.weights import TrainedWeights
from tinyml.tools.driver.channels import channels_of
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.reals.channels.refitting import Refitting, prune_refitted
from tinyml.transforms.reals.channels.removal import remove_channels
from tinyml.transforms.reals.channels.resource_limits import FLASH, MACS, RAM, ResourceLimits

X = np.random.default_rng(0).normal(size=(256, 64))


def network(dense: int = 12) -> ModuleOp:
    net = NetworkWriter((1, 8, 8, 1), 0, F32_FORMAT)
    image = net.convolution(net.pool(net.convolution(net.input, 6, 3)), 8, 2)
    return net.module(net.dense(net.relu(net.dense(image, dense)), 3))


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
    """Channel 2 of the second convolution, which equals channel 5, and unit 1 of the dense layer, which is three times
    unit 7, are removed. The scores change by less than 5 % of the greatest score.
    """
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


@pytest.mark.long
@settings(max_examples=examples(5), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(networks())
def test_random_networks_lose_what_has_no_effect(text: str):
    module = Parser(context(), text).parse_module()
    LiftToRealsPass().apply(Context(), module)
    inputs = np.random.default_rng(1).normal(size=(16, prod(tdsl.shape_of(predict_function(module).args[0]))))
    limits = ResourceLimits(channels_of(module, "ordinary", 8), {RAM: 1, FLASH: 1}, 8)
    refitted = Refitting(module, limits.channels.grouping, inputs)
    refitted.measure()
    for _ in range(2):
        taken = limits.taken(limits.removed)
        limits.limits = {name: int(each) - 1 for name, each in taken.items() if each > 1}
        try:
            group = limits.next_group(refitted.growth, 1.0)
        except InputError:
            break
        assert group is not None
        assert np.isfinite(refitted.growth).all()
        refitted.remove(group)
    refitted.write()
    expected = evaluate_reals(module, inputs).scores
    remove_channels(limits.channels.grouping, limits.removed)
    module.verify()
    scores = evaluate_reals(module, inputs).scores
    assert scores is not None
    assert expected is not None
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-9)
