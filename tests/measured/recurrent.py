"""FastGRNNs that are trained here, for data sets of Shiftry's table 4 whose models are not published.

HAR-2 merges the activities of HAR-6 into two classes as EdgeML does: sitting, lying and walking upstairs are one class;
standing, walking and walking downstairs are the other. MNIST-10 reads an image row by row, in 28 steps of 28 pixels. A
model is a folder in `build/data`, like the models of other data sets. It contains a program in SeeDot's language, its
constants, and data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from measured.trainings import FOLDER, Sets, digits
from tinyml.runtime.training.training import Labelled

Array: TypeAlias = "NDArray[np.floating[Any]]"
Parameters: TypeAlias = "dict[str, Array]"

PROGRAM = """let FCbias = (1, {classes}) in [{FCbias}] in
let U = ({hidden}, {hidden}) in [{U}] in
let Bh = (1, {hidden}) in [{Bh}] in
let W = ({width}, {hidden}) in [{W}] in
let Bg = (1, {hidden}) in [{Bg}] in
let FC = ({hidden}, {classes}) in [{FC}] in
let X = ({inputs}, 1) in [{X}] in
let XX = reshape(X, ({steps}, 1, {width}), (1, 2)) in
let zeta = {zeta:.9f} in
let nu = {nu:.9f} in
let H = init([1, {hidden}], 0.0) in
let res = loop(i = [0:{steps}], H)
(
	let a = XX[i] * W in
	let b = H * U in
	let c = a + b in
	let g = sigmoid(c + Bg) in
	let h = tanh(c + Bh) in
	let H = (g <*> H) + (zeta * (1.0 - g) + nu) <*> h in H
) in
let score = (res * FC) + FCbias in
argmax(score)
"""

EXPERIMENT = 13
"""Changes of the activity in an experiment of HAR, of which each subject has two."""

TRAINED_SUBJECTS = 6
"""Of the nine subjects of the test set of HAR-6 those that HAR-2 is trained on; the last three are its test set."""

SECOND_CLASS = 0, 2, 4
"""Walking, walking downstairs and standing in HAR-6."""


def har2(har6: Path) -> Sets:
    """HAR-2: the subjects of the test set of `fastgrnn-har6` are divided between the training set and the test set, so
    that no subject is in both.

    The validation set contains the subjects of the validation set of `fastgrnn-har6`.
    """
    parts = {name: np.load(har6 / f"{name}.npz") for name in ("val", "test")}
    val, every = (
        Labelled(parts[name]["x"].astype(np.float64), np.isin(parts[name]["y"], SECOND_CLASS).astype(np.int64))
        for name in ("val", "test")
    )
    changes = 1 + np.flatnonzero(np.diff(parts["test"]["y"]))
    first = changes[2 * EXPERIMENT * TRAINED_SUBJECTS - 1]
    return Sets(Labelled(every.x[:first], every.y[:first]), val, Labelled(every.x[first:], every.y[first:]))


@dataclass(frozen=True)
class Recurrent:
    """A FastGRNN and its training.

    sets: a function that returns the data, given a function that maps names of models to their folders.
    steps: the number of steps of an input.
    hidden: the number of elements of the state.
    classes: the number of classes.
    epochs: the number of epochs of the training.
    rate: the initial learning rate of Adam.
    batch: the number of samples per training step.
    """

    sets: Callable[[Callable[[str], Path]], Sets]
    steps: int
    hidden: int
    classes: int
    epochs: int
    rate: float = 0.01
    batch: int = 100


MODELS = {
    "fastgrnn-har2": Recurrent(lambda of: har2(of("fastgrnn-har6")), 128, 80, 2, epochs=24),
    "fastgrnn-mnist10": Recurrent(lambda _: digits(48_000, 2_000, 28), 28, 100, 10, epochs=6),
}


def folder_of(name: str, of: Callable[[str], Path]) -> Path:
    """The folder of a model, which is trained on first use.

    of: a function that returns the folder of a named model (`commands.model_path`).
    """
    folder = FOLDER / "recurrent" / name
    if not (folder / "test.npz").exists():
        model = MODELS[name]
        sets = model.sets(of)
        write(folder, model, trained(model, sets.train), sets)
    return folder


def write(folder: Path, model: Recurrent, parameters: Parameters, sets: Sets) -> None:
    """Write program, constants and data of a model; `test.npz` is written last and marks a complete folder."""
    folder.mkdir(parents=True, exist_ok=True)
    constants = {name: value for name, value in parameters.items() if name not in ("zeta", "nu")}
    for name, value in constants.items():
        np.save(folder / f"{name}.npy", value)
    given = {**constants, "X": sets.train.x}
    program = PROGRAM.format(
        **{name: f"{value.min():.9f}, {value.max():.9f}" for name, value in given.items()},
        **{name: float(_sigmoid(parameters[name]).item()) for name in ("zeta", "nu")},
        steps=model.steps,
        width=sets.train.x.shape[1] // model.steps,
        inputs=sets.train.x.shape[1],
        hidden=model.hidden,
        classes=model.classes,
    )
    (folder / "input.sd").write_text(program, encoding="utf-8")
    for name, part in (("val", sets.val), ("test", sets.test)):
        np.savez(folder / f"{name}.npz", x=part.x.astype(np.float32), y=part.y)


def trained(model: Recurrent, data: Labelled, seed: int = 0) -> Parameters:
    """The parameters after training by Adam on the cross-entropy.

    Gradients are clipped to norm 1, and the learning rate decreases to 0.
    """
    random = np.random.default_rng(seed)
    x, y = data.x.astype(np.float32), data.y
    parameters = initial(model, x.shape[1] // model.steps, random)
    means = {name: np.zeros((2, *value.shape), np.float32) for name, value in parameters.items()}
    batches = len(y) // model.batch
    orders = [random.permutation(len(y))[: batches * model.batch] for _ in range(model.epochs)]
    for step, chosen in enumerate(np.concatenate(orders).reshape(-1, model.batch)):
        slopes = gradients(parameters, x[chosen], y[chosen], model.steps)[1]
        norm = max(np.sqrt(sum(float((slope**2).sum()) for slope in slopes.values())), 1)
        rate = model.rate * (1 + np.cos(np.pi * step / (model.epochs * batches))) / 2
        for name, value in parameters.items():
            mean, square = means[name]
            mean += 0.1 * (slopes[name] / norm - mean)
            square += 0.001 * ((slopes[name] / norm) ** 2 - square)
            unbiased = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.999 ** (step + 1))
            value -= rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return parameters


def initial(model: Recurrent, width: int, random: np.random.Generator) -> Parameters:
    """Initial parameters: random matrices, and biases with which the gates preserve the state. The sigmoids of `zeta`
    and `nu` are 0.73 and 0.02.

    width: the number of inputs of a step.
    """
    hidden, classes = model.hidden, model.classes
    drawn = {
        "W": random.normal(0, width**-0.5, (width, hidden)),
        "U": random.normal(0, 0.7 * hidden**-0.5, (hidden, hidden)),
        "Bg": np.ones((1, hidden)),
        "Bh": np.zeros((1, hidden)),
        "zeta": np.full((1, 1), 1.0),
        "nu": np.full((1, 1), -4.0),
        "FC": random.normal(0, hidden**-0.5, (hidden, classes)),
        "FCbias": np.zeros((1, classes)),
    }
    return {name: value.astype(np.float32) for name, value in drawn.items()}


def gradients(parameters: Parameters, x: Array, y: NDArray[np.int64], steps: int) -> tuple[float, Parameters]:
    """The mean cross-entropy of samples x (samples, inputs), and its derivative with respect to each parameter.

    `z = sigmoid(x W + h U + Bg)`, `h = z h + (zeta (1 - z) + nu) tanh(x W + h U + Bh)` (Shiftry, pseudocode 18), with
    the sigmoids of `zeta` and `nu`.
    """
    u, shares = parameters["U"], {name: _sigmoid(parameters[name]) for name in ("zeta", "nu")}
    inputs = x.reshape(len(x), steps, -1).transpose(1, 0, 2)
    from_input = inputs @ parameters["W"]
    states = [np.zeros((len(x), len(u)), x.dtype)]
    gates: list[Array] = []
    updates: list[Array] = []
    for row in from_input:
        both = row + states[-1] @ u
        gates.append(_sigmoid(both + parameters["Bg"]))
        updates.append(np.tanh(both + parameters["Bh"]))
        share = shares["zeta"] * (1 - gates[-1]) + shares["nu"]
        states.append(gates[-1] * states[-1] + share * updates[-1])
    scores = states[-1] @ parameters["FC"] + parameters["FCbias"]
    chances = np.exp(scores - scores.max(1, keepdims=True))
    chances /= chances.sum(1, keepdims=True)
    rows = np.arange(len(y))
    loss = -float(np.log(chances[rows, y] + 1e-30).mean())
    chances[rows, y] -= 1
    by_score = chances / len(y)
    slopes = {name: np.zeros_like(value) for name, value in parameters.items()}
    slopes["FC"], slopes["FCbias"] = states[-1].T @ by_score, by_score.sum(0, keepdims=True)
    by_state = by_score @ parameters["FC"].T
    for row, before, z, new in zip(inputs[::-1], states[-2::-1], gates[::-1], updates[::-1], strict=True):
        by_gate = by_state * (before - shares["zeta"] * new) * z * (1 - z)
        by_update = by_state * (shares["zeta"] * (1 - z) + shares["nu"]) * (1 - new**2)
        by_both = by_gate + by_update
        slopes["zeta"] += (by_state * (1 - z) * new).sum()
        slopes["nu"] += (by_state * new).sum()
        slopes["Bg"] += by_gate.sum(0)
        slopes["Bh"] += by_update.sum(0)
        slopes["W"] += row.T @ by_both
        slopes["U"] += before.T @ by_both
        by_state = by_state * z + by_both @ u.T
    for name, share in shares.items():
        slopes[name] *= share * (1 - share)
    return loss, slopes


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))
