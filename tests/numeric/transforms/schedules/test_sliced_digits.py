"""A published network with its own weights computes its logits channel by channel and in patches on a Cortex-M4."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs.gural_murmann import logits, program
from programs.sliced_networks import check_bits_on_device, refined

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.evaluator.evaluator import evaluate, predict_function
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.rewriting.channel_loop import ChannelLoop
from tinyml.transforms.schedules.rewriting.patch_loops import PatchLoops

DEVICE = "cortex-m4"


def channels(network: Network) -> None:
    """Replace the ops of a network of three convolutions and a pool by two loops over channels: one for the first two
    convolutions, and one for the third convolution and the pool.
    """
    for first, last in ((0, 1), (2, 3)):
        ChannelLoop(network, first, last, 32).rewrite()


def patches(network: Network) -> None:
    """Replace all three convolutions and the pool of a network by one loop over patches."""
    PatchLoops(network, 0, 3, 3).rewrite()


@pytest.mark.long
@pytest.mark.parametrize("rewrite", [channels, patches])
def test_digits(rewrite: Callable[[Network], None], tmp_path: Path):
    module = refined(program())
    images = np.random.default_rng(1).integers(0, 16, (3, 196), np.int8)
    np.testing.assert_array_equal(evaluate(module, images).scores, logits(images))
    sliced = module.clone()
    rewrite(network_of(predict_function(sliced)))
    pipelines.run(sliced, context(), pipelines.flatten("formats-to-buffers", {"target": DEVICE}))
    check_bits_on_device(module, sliced, images, DEVICE, tmp_path)
