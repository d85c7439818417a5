"""A published network, with its own weights, computes its logits channel by channel and in patches on a Cortex-M4."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs.gural_murmann import logits, program
from programs.sliced_networks import refined

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.transforms.formats.channels.nest import ChannelLoop
from tinyml.transforms.formats.patching.nest import Patches
from tinyml.transforms.formats.plans.network import Network, network_of

DEVICE = "cortex-m4"
PIPELINES = ("formats-to-buffers", "buffers-to-loops", "loops-to-bits", "bits-to-c")


def channels(network: Network) -> None:
    """The first convolution generates channels for the second; those of the third are pooled."""
    for first, last in ((0, 1), (2, 3)):
        ChannelLoop(network, first, last, 32).rewrite()


def patches(network: Network) -> None:
    """All three convolutions and the pool."""
    Patches(network, 0, 3, 3).rewrite()


@pytest.mark.parametrize("rewrite", [channels, patches])
def test_digits(rewrite: Callable[[Network], None], tmp_path: Path):
    module = refined(program())
    interface = interface_of(module)
    rewrite(network_of(predict_function(module)))
    for step in PIPELINES:
        pipelines.run(module, context(), pipelines.flatten(step, {"target": DEVICE}))
    write_c(module, context(), DEVICE, tmp_path)
    images = np.random.default_rng(1).integers(0, 16, (3, 196), np.int8)
    runner = runner_for(DEVICE)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, images)
    np.testing.assert_array_equal(result.scores, logits(images))
