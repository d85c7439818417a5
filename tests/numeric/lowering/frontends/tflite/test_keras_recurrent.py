"""Recurrent layers of Keras, which a conversion writes as one operator each, become loops that compute Keras's
formulas, and devices compute the evaluator's bits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.devices import DEVICES, need_tools, roomy, with_llvm
from programs.keras_recurrent import FUNCTIONS, Layer
from programs.on_boards import difference, printed
from programs.spread import examples, spread
from programs.streamed_networks import answers
from programs.tflite_models import TfliteModel
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering import pipelines
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.lowering.frontends.tflite.keras_layers import in_order, input_name, numbered_name
from tinyml.lowering.frontends.tflite.model import Tensor
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate_reals

STEPS = 6


def network(*layers: Layer, steps: int = STEPS, **changes: Any) -> bytes:
    """The bytes of a model of stacked layers."""
    model = TfliteModel()
    x = value = model.tensor((1, steps, layers[0].features), "float32")
    for layer in layers:
        [value] = layer.add(model, value, steps, **changes)
    return model.finish([x], [value])


def loops(module: ModuleOp) -> int:
    return sum(isinstance(op, scf.ForOp) for op in module.walk())


def scores(module: ModuleOp, x: NDArray[Any]) -> NDArray[Any]:
    got = evaluate_reals(module, x.reshape(len(x), -1)).scores
    assert got is not None
    return got


@pytest.mark.long
@given(
    seed=st.integers(0, 1 << 20),
    kind=st.sampled_from(["LSTM", "GRU", "RNN"]),
    features=st.integers(1, 4),
    units=st.integers(1, 5),
    inner=st.sampled_from(sorted(FUNCTIONS)),
    gate=st.sampled_from(["sigmoid", "hard_sigmoid", "softsign"]),
    flags=st.tuples(*[st.booleans()] * 4),
)
@settings(max_examples=examples(40))
def test_a_layer(
    seed: int, kind: str, features: int, units: int, inner: str, gate: str, flags: tuple[bool, bool, bool, bool]
):
    use_bias, reset_after, backwards, sequence = flags
    layer = Layer(seed, kind, features, units, inner, gate, use_bias, reset_after, backwards, sequence)
    module = read_tflite(network(layer), "keras.tflite")
    module.verify()
    assert loops(module) == 1
    x = np.random.default_rng(seed).normal(size=(5, STEPS, features))
    whole, [last, *_] = layer.computed(x.astype("f").astype(np.float64))
    expected = (whole if sequence else last).reshape(5, -1)
    np.testing.assert_allclose(scores(module, x), expected, rtol=1e-4, atol=1e-5)


def test_states_that_are_given_and_returned():
    """A decoder begins with the last states of an encoder, which are also outputs of the model."""
    encoder, decoder = Layer(1, "LSTM"), Layer(2, "LSTM", sequence=True)
    model = TfliteModel()
    x = model.tensor((1, STEPS, 3), "float32")
    _, *states = encoder.add(model, x, STEPS, last=True)
    [y] = decoder.add(model, x, STEPS, states)
    numbers = np.random.default_rng(3).normal(size=(4, STEPS, 3)).astype("f").astype(np.float64)
    expected = decoder.computed(numbers, encoder.computed(numbers)[1])[0]
    module = read_tflite(model.finish([x], [y]), "decoder.tflite")
    np.testing.assert_allclose(scores(module, numbers), expected.reshape(4, -1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("steps", [1, 3])
def test_a_stateful_layer_is_a_step_of_a_stream(steps: int):
    """Each inference computes `steps` steps from the states of the previous inference."""
    layers = Layer(4, "LSTM", stateful=True, sequence=True), Layer(5, "GRU", features=4, stateful=True)
    module = read_tflite(network(*layers, steps=steps), "stream.tflite")
    x = np.random.default_rng(6).normal(size=(1, 2 * steps, 3)).astype("f")
    pushes = tdsl.read_input(module).pushed
    assert pushes is not None
    assert pushes.frame == 3 * steps
    whole, _ = layers[0].computed(x.astype(np.float64))
    _, [last] = layers[1].computed(whole)
    np.testing.assert_allclose(scores(module, x), last, rtol=1e-4, atol=1e-5)
    program = read_tflite(network(*layers, steps=steps), "stream.tflite")
    [*_, streamed] = answers(program, 1, x.reshape(1, -1))
    assert streamed.scores is not None
    np.testing.assert_allclose(streamed.scores, last, rtol=1e-4, atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("device", spread([*(roomy(device) for device in DEVICES), *with_llvm("keras")], 3))
def test_devices_compute_the_bits_of_the_evaluator(device: str, tmp_path: Path):
    """Stacked layers in 16 bits, the last of them backwards."""
    need_tools(device)
    layers = Layer(7, "LSTM", sequence=True), Layer(8, "GRU", features=4, sequence=True), Layer(9, "RNN", features=4)
    layers[-1].backwards = True
    module, x = read_tflite(network(*layers), "net.tflite"), np.random.default_rng(9).normal(size=(8, STEPS * 3))
    np.savez(tmp_path / "val.npz", x=x.astype("f"))
    steps = pipelines.flatten("reals-to-formats", {"data": str(tmp_path / "val.npz"), "width": 16})
    pipelines.run(module, context(), steps)
    raws = encode_inputs(module, x)
    source = printed(module, device, tmp_path / "source")
    assert difference(module, raws, source, runner_for(device), tmp_path / "build") is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "Elman"}, "the description of the layer is not valid"),
        ({"activations": ["gelu", "tanh"]}, "the description of the layer is not valid"),
        ({"bias": 1}, "the description of the layer is not valid"),
        ({"further": 1}, "the description of the layer is not valid"),
        ({"states": 2}, "expected 1 initial states, got 2"),
        ({"bias": False}, "5 inputs and 1 outputs do not fit the layer"),
        ({"kind": "RNN"}, r"weights of shape \(3, 12\) do not fit 4 units"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str):
    with pytest.raises(InputError, match=rf"operator 0 \(CUSTOM TINYML_RECURRENT, which computes 't2'\): {message}"):
        read_tflite(network(Layer(1, "GRU"), **changes), "keras.tflite")


def test_inputs_in_the_order_of_the_model():
    """A conversion numbers the inputs, which the converter sorts by their names; they keep their order and names."""

    def inputs(*names: str) -> list[Tensor]:
        return [Tensor(index, name, (1, 2), "float32", None, None) for index, name in enumerate(names)]

    numbered = inputs(*(f"serving_default_{numbered_name(number, 'x y')}:0" for number in (10, 9, 2)))
    assert in_order(numbered) == numbered[::-1]
    assert input_name(numbered[0]) == "x y"
    others = inputs("b:0", numbered[0].name, "a")
    assert in_order(others) == others
    assert [*map(input_name, others)] == ["b", "x y", "a"]
