"""The PyTorch layer of a program: its scores equal the program's, its derivatives are right, and training changes its
model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.network_writer import NetworkWriter
from programs.on_boards import difference, printed

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, in_reals
from tinyml.tools.driver.finetune import trainer_of

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed: its layer is not tested")

X = np.random.default_rng(0).normal(size=(96, 36))
Y = (X[:, :12].sum(1) > 0) + (X[:, 12:24].sum(1) > 0).astype(np.int64)


@pytest.fixture(scope="module")
def model() -> tinyml.Model:
    net = NetworkWriter((1, 6, 6, 1), 0, F32_FORMAT)
    network = net.module(net.dense(net.pool(net.convolution(net.input, 4, 3)), 3))
    return tinyml.finetune(network, X, Y, X, Y, epochs=1, quantized_epochs=1, width=8)


def scores(model: tinyml.Model) -> NDArray[np.float64]:
    found = in_reals(model.module, evaluate(model.module, encode_inputs(model.module, X))).scores
    assert found is not None
    return found


def test_forward_and_backward_are_those_of_the_program(model: tinyml.Model):
    layer = tinyml.torch_layer(model)
    x = torch.tensor(X, dtype=torch.float32, requires_grad=True)
    found = layer(x.reshape(-1, 6, 6))
    assert np.array_equal(found.detach().numpy(), scores(model))
    with torch.no_grad():
        assert torch.equal(layer(x), found)
    torch.nn.functional.cross_entropy(found, torch.tensor(Y)).backward()
    trainer = trainer_of(model.module.clone(), context())
    expected = trainer.derivatives(trainer.inputs(X.astype(np.float32)), Y)
    for parameter, slope in zip(layer.parameters(), expected, strict=True):
        assert np.allclose(parameter.grad.numpy(), slope, atol=1e-12)
    assert x.grad.shape == x.shape
    assert x.grad.abs().sum() > 0


def test_a_layer_trains_behind_others_and_compiles(model: tinyml.Model, tmp_path: Path):
    torch.manual_seed(0)
    layer = tinyml.torch_layer(model)
    scale = torch.nn.Parameter(torch.tensor(0.5))
    optimizer = torch.optim.Adam([scale, *layer.parameters()], lr=0.01)
    losses: list[float] = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(layer(torch.tensor(X) * scale), torch.tensor(Y))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
    assert scale.item() != 0.5
    trained = layer.model()
    assert np.array_equal(layer(torch.tensor(X)).detach().numpy(), scores(trained))
    source = printed(trained.module, "host", tmp_path / "host")
    assert difference(trained.module, encode_inputs(trained.module, X), source, runner_for("host"), tmp_path) is None


def test_bad_input(model: tinyml.Model):
    net = NetworkWriter((4, 1), 0, F32_FORMAT)
    reals = net.module(net.dense(net.input, 3))
    with pytest.raises(tinyml.InputError, match="has no number formats"):
        tinyml.torch_layer(reals)
