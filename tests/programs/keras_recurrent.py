"""Random recurrent layers of Keras, as operators of a converted model, and their states by Keras's formulas."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.tflite_models import TfliteModel

Floats = NDArray[np.float64]


def sigmoid(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.2 * x),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": sigmoid,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "softsign": lambda x: x / (1 + abs(x)),
    "tanh": np.tanh,
}
"""Keras's activations by their names."""

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@dataclass
class Layer:
    """A layer with random weights.

    kind: LSTM, GRU or RNN.
    inner, gate: the activations of the new state and of the gates.
    """

    seed: int
    kind: str
    features: int = 3
    units: int = 4
    inner: str = "tanh"
    gate: str = "sigmoid"
    use_bias: bool = True
    reset_after: bool = True
    backwards: bool = False
    sequence: bool = False
    stateful: bool = False
    weights: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        random, columns = np.random.default_rng(self.seed), GATES[self.kind] * self.units
        shapes: list[tuple[int, ...]] = [(self.features, columns), (self.units, columns)]
        if self.use_bias:
            shapes.append((2, columns) if self.kind == "GRU" and self.reset_after else (columns,))
        self.weights = [(0.6 * random.normal(size=shape)).astype("f") for shape in shapes]

    @property
    def states(self) -> int:
        return 2 if self.kind == "LSTM" else 1

    @property
    def activations(self) -> list[str]:
        return {"LSTM": [self.gate, self.inner, self.inner], "GRU": [self.gate, self.inner], "RNN": [self.inner]}[
            self.kind
        ]

    def add(
        self, model: TfliteModel, x: int, steps: int, begun: Sequence[int] = (), last: bool = False, **changes: Any
    ) -> list[int]:
        """Add the layer to a model, and return the indices of its outputs.

        x: the index of a sequence (1, steps, features).
        begun: the indices of the initial states.
        last: whether the layer returns its last states, too.
        changes: other values of the description's fields.
        """
        if self.stateful:
            begun = [model.constant(np.zeros((1, self.units)), "float32") for _ in range(self.states)]
        description = {
            "kind": self.kind,
            "activations": self.activations,
            "bias": self.use_bias,
            "states": len(begun),
            "stateful": self.stateful,
            "reset_after": self.reset_after,
            "backwards": self.backwards,
            "sequence": self.sequence,
            "name": "cell",
        } | changes
        text = model.constant([*json.dumps(description).encode()], "int32")
        shapes = [(1, steps, self.units) if self.sequence else (1, self.units)]
        outputs = [
            model.tensor(shape, "float32") for shape in shapes + [(1, self.units)] * (self.states if last else 0)
        ]
        weights = [model.constant(weight, "float32") for weight in self.weights]
        model.op("CUSTOM TINYML_RECURRENT", [x, *weights, *begun, text], outputs)
        return outputs

    def computed(self, x: Floats, begun: Sequence[Floats] = ()) -> tuple[Floats, list[Floats]]:
        """The states of all steps (samples, steps, units), in the order of execution, and the last states.

        x: sequences (samples, steps, features).
        begun: the initial states (samples, units); empty for zeros.
        """
        states = [*begun] or [np.zeros((len(x), self.units))] * self.states
        whole: list[Floats] = []
        for step in range(x.shape[1])[:: -1 if self.backwards else 1]:
            states = self._step(x[:, step], states)
            whole.append(states[0])
        return np.stack(whole, 1), states

    def _step(self, x: Floats, states: Sequence[Floats]) -> list[Floats]:
        kernel, recurrent = (weight.astype(np.float64) for weight in self.weights[:2])
        bias = self.weights[2].astype(np.float64) if self.use_bias else np.zeros((1, kernel.shape[1]))
        outer, inner = (bias[0], bias[1]) if bias.shape[0] == 2 and bias.ndim == 2 else (bias.reshape(-1), 0.0)
        act, gate, [h, *rest] = FUNCTIONS[self.inner], FUNCTIONS[self.gate], states
        entered = x @ kernel + outer
        if self.kind == "RNN":
            return [act(entered + h @ recurrent)]
        split: Callable[[Floats], list[Floats]] = lambda sums: np.split(sums, GATES[self.kind], axis=1)  # noqa: E731
        if self.kind == "LSTM":
            i, f, c, o = split(entered + h @ recurrent)
            cell = gate(f) * rest[0] + gate(i) * act(c)
            return [gate(o) * act(cell), cell]
        (xz, xr, xh), (hz, hr, hh) = split(entered), split(h @ recurrent + inner)
        z, r = gate(xz + hz), gate(xr + hr)
        if not self.reset_after:
            hh = (r * h) @ recurrent[:, 2 * self.units :]
            return [z * h + (1 - z) * act(xh + hh)]
        return [z * h + (1 - z) * act(xh + r * hh)]
