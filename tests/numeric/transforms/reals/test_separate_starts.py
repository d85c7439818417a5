"""Networks whose layers have equal biases, or limits of clamps that no number reaches, compute the same values and bits
in formats in which the biases have the scale of the products.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.network_writer import NetworkWriter
from programs.on_boards import difference, printed
from programs.spread import spread_product
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.layers.dense_layers import GREATEST
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, in_reals

X = np.random.default_rng(5).normal(size=(40, 6 * 6 * 2))


def convolutions(net: NetworkWriter) -> SSAValue:
    """Write three convolutions, the third without padding, and a dense layer. All biases are zero."""
    image = net.convolution(net.input, 4, 3, padding=1)
    image = net.convolution(image, 4, 3, padding=1)
    return net.dense(net.convolution(image, 4, 3, strides=2), 4)


def dense(net: NetworkWriter) -> SSAValue:
    """Write three dense layers with 5 rows each."""
    column = net.insert(tdsl.ReshapeOp(net.input, (72, 1)))
    return net.dense(net.relu(net.dense(net.relu(net.dense(column, 5)), 5)), 5)


def exponential_units(net: NetworkWriter) -> SSAValue:
    """Write max(x, 0) + exp(min(x, 0)) after a convolution without a bias and before a dense layer."""
    image = net.insert(tdsl.Conv2dOp(net.weights(4, 3, 3, 2), net.input, (1, 1)))
    below = net.insert(tdsl.ExpOp(net.insert(tdsl.ClipOp(image, -GREATEST, 0.0))))
    return net.dense(net.add(net.insert(tdsl.ClipOp(image, 0.0, GREATEST)), below), 3)


NETWORKS: dict[str, Callable[[NetworkWriter], SSAValue]] = {
    "convolutions": convolutions,
    "dense": dense,
    "exponential units": exponential_units,
}
FORMATS = [("zeroskew", 8), ("zeroskew", 16), ("affine", 8), ("fixed", 8), ("posit", 8)]


def reals(name: str) -> ModuleOp:
    net = NetworkWriter((1, 6, 6, 2), 3, F32_FORMAT)
    return net.module(NETWORKS[name](net))


def in_format(module: ModuleOp, format: str, width: int, data: Path) -> ModuleOp:
    formats = module.clone()
    options = {"format": format, "width": width, "data": str(data), "target": "host"}
    pipelines.run(formats, context(), pipelines.flatten("reals-to-formats", options))
    return formats


CASES = [("host", FORMATS[0], name) for name in NETWORKS] + spread_product(8, DEVICES[1:], FORMATS, NETWORKS)


@pytest.mark.long
@pytest.mark.parametrize(("device", "format", "name"), CASES)
def test_networks_keep_their_values_and_bits(device: str, format: tuple[str, int], name: str, tmp_path: Path):
    np.savez(tmp_path / "val.npz", x=X)
    module = reals(name)
    formats = in_format(module, *format, tmp_path / "val.npz")
    raws = encode_inputs(formats, X)
    found, wanted = in_reals(formats, evaluate(formats, raws)).scores, evaluate_reals(module, X).scores
    assert found is not None
    assert wanted is not None
    assert np.abs(found - wanted).mean() < 0.1 * np.abs(wanted).mean()
    if format[0] != "affine":
        assert (
            difference(formats, raws[:4], printed(formats, device, tmp_path / "c"), runner_for(device), tmp_path)
            is None
        )
