"""Networks and estimators that no cost table was fitted to, on which the choice of `--format auto` is judged.

Some networks are of the kinds of the calibration (`tools/calibration/programs/networks.py`), in sizes that it leaves
out. The others are drawn here, layer by layer, and are larger than those of `programs.random_models`. Weights are
random. Estimators are fitted to random problems (`measured.judged_losses`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from programs.random_models import Chain
from xdsl.dialects.builtin import ModuleOp

from measured.judged_losses import KINDS as ESTIMATORS
from measured.judged_losses import TRAINED, drawn
from tinyml.dialects import tdsl
from tinyml.runtime.evaluator.evaluator import evaluate_reals, predict_function
from tinyml.tools.api.loading import load
from tinyml.tools.calibration.programs.networks import network

SAMPLES = 200
"""The samples by which a program is chosen."""

PROTOTYPES = 4
"""The inputs of a network are this number of random inputs with noise, so that its answers differ."""

HELD_BACK = 1000
"""The first size of the calibration's kinds that is drawn here; the calibration and its test use the first ten."""


@dataclass(frozen=True)
class UnseenModel:
    """A model and the data by which its program is chosen.

    name: the layers or the estimator.
    module: the program on reals.
    x: the inputs (samples, elements).
    y: the classes (samples,); None for a model that returns numbers.
    """

    name: str
    module: ModuleOp
    x: NDArray[Any]
    y: NDArray[Any] | None

    def write(self, file: Path) -> None:
        """Write the data to an .npz file."""
        np.savez(file, allow_pickle=False, x=self.x.astype(np.float32), **({} if self.y is None else {"y": self.y}))


def _loaded(name: str, content: bytes, random: Random, folder: Path) -> UnseenModel:
    """A network of an ONNX file, with data. The classes are the answers of the network, so that it makes no errors; a
    quarter of the networks return numbers instead.
    """
    path = folder / "network.onnx"
    path.write_bytes(content)
    module = load(path).module
    numbers = np.random.default_rng(random.randrange(1 << 30))
    [argument] = predict_function(module).args
    elements = prod(tdsl.shape_of(argument))
    prototypes = numbers.normal(0, 0.8, (PROTOTYPES, elements))
    x = prototypes[numbers.integers(0, PROTOTYPES, SAMPLES)] + numbers.normal(0, 0.6, (SAMPLES, elements))
    x = x.astype(np.float32)
    scores = evaluate_reals(module, x).scores
    assert scores is not None
    return UnseenModel(name, module, x, None if random.random() < 0.25 else scores.reshape(SAMPLES, -1).argmax(1))


def _activation(chain: Chain) -> None:
    if chain.random.random() < 0.6:
        chain.add("Relu")
    else:
        chain.activation()


def _convolution(chain: Chain, channels: int | None, size: int, stride: int = 1) -> None:
    """A convolution over all axes behind the channels, padded to keep the extents; `channels` is None for a depthwise
    one.
    """
    _, before, *extents = chain.shape
    groups = before if channels is None else 1
    rows, taps, axes = channels or before, before // groups, len(extents)
    weights = chain.constant(rows, taps, *[size] * axes, scale=1.4 * (taps * size**axes) ** -0.5)
    pad = size // 2
    shape = 1, rows, *((extent + 2 * pad - size) // stride + 1 for extent in extents)
    attributes: dict[str, Any] = {"kernel_shape": [size] * axes, "strides": [stride] * axes, "pads": [pad] * 2 * axes}
    chain.add("Conv", f"{weights} {chain.constant(rows, scale=0.1)}", shape, group=groups, **attributes)


def _pool(chain: Chain) -> None:
    _, channels, *extents = chain.shape
    kind = chain.random.choice(["MaxPool", "AveragePool"])
    shape = 1, channels, *(extent // 2 for extent in extents)
    chain.add(kind, "", shape, kernel_shape=[2] * len(extents), strides=[2] * len(extents))


def _plain_layer(chain: Chain) -> None:
    random = chain.random
    _convolution(chain, random.randint(4, 20), random.choice([1, 3, 3, 5]), random.choice([1, 1, 2]))
    _activation(chain)
    if min(chain.shape[2:]) >= 6 and random.random() < 0.4:
        _pool(chain)


def _separable_layer(chain: Chain) -> None:
    random = chain.random
    _convolution(chain, None, random.choice([3, 3, 5]), random.choice([1, 1, 2]))
    _activation(chain)
    _convolution(chain, random.randint(6, 24), 1)
    _activation(chain)


def _residual_layer(chain: Chain) -> None:
    random, before, channels = chain.random, chain.last, chain.shape[1]
    if random.random() < 0.5:
        _convolution(chain, channels, 3)
    else:
        _convolution(chain, 2 * channels, 1)
        _activation(chain)
        _convolution(chain, None, 3)
        _activation(chain)
        _convolution(chain, channels, 1)
    chain.add("Add", before)
    if random.random() < 0.5:
        _activation(chain)


def _stack(random: Random, layer: Callable[[Chain], None], axes: int) -> bytes:
    """Layers over one or two axes, then a mean or all pixels, and one or two dense layers."""
    extent = random.randint(24, 80) if axes == 1 else random.randint(8, 18)
    first = 1, random.randint(1, 4), *[extent] * axes
    chain = Chain(random, first)
    _convolution(chain, random.randint(4, 12), 3, random.choice([1, 2]))
    _activation(chain)
    for _ in range(random.randint(1, 3)):
        layer(chain)
    if random.random() < 0.6:
        chain.add("GlobalAveragePool", "", (1, chain.shape[1], *[1] * axes))
    elif prod(chain.shape) > 600:
        _pool(chain)
    chain.flatten()
    if random.random() < 0.4:
        chain.dense(random.randint(6, 24))
        _activation(chain)
    chain.dense(random.randint(2, 6))
    return bytes(chain.finish(first).SerializeToString())


def _perceptron(random: Random) -> bytes:
    first = 1, random.randint(8, 100)
    chain = Chain(random, first)
    for _ in range(random.randint(1, 3)):
        chain.dense(random.randint(8, 48))
        _activation(chain)
    chain.dense(random.randint(2, 6))
    return bytes(chain.finish(first).SerializeToString())


STACKS: Mapping[str, Callable[[Random], bytes]] = {
    "1-D": lambda random: _stack(random, _plain_layer, 1),
    "2-D": lambda random: _stack(random, _plain_layer, 2),
    "depthwise": lambda random: _stack(random, _separable_layer, random.choice([1, 2])),
    "residual": lambda random: _stack(random, _residual_layer, random.choice([1, 2])),
    "dense": _perceptron,
}
"""Families of networks that are drawn here."""

CALIBRATED: Mapping[str, tuple[str, ...]] = {
    "1-D": ("residual 1-D",),
    "2-D": ("pools", "elementwise"),
    "depthwise": ("separable", "squeeze"),
    "residual": ("residual 2-D", "hard swish", "inverted residual"),
    "recurrent": ("GRU", "LSTM", "RNN"),
    "attention": ("attention",),
    "dense": ("dense",),
}
"""The kinds of the calibration in each family."""

FITTED: Mapping[str, tuple[str, ...]] = {
    "dense": ("perceptron", "perceptron, deep", "perceptron, wide"),
    "forests": ("forest", "boosting", "extra trees"),
    "linear": ("logistic regression", "logistic regression, scaled", "ridge", "discriminant", "nearest centroid"),
}
"""The estimators in each family."""

FAMILIES = tuple(dict.fromkeys((*STACKS, *CALIBRATED, *FITTED)))


def unseen(number: int, folder: Path) -> UnseenModel:
    """Model `number`. The family is that of its number, modulo the number of families.

    folder: a folder in which a network is written.
    """
    family = FAMILIES[number % len(FAMILIES)]
    random = Random(f"{family} {number}")
    sources: list[Callable[[], UnseenModel]] = []
    if (kinds := CALIBRATED.get(family)) is not None:
        kind = random.choice(kinds)
        sources.append(lambda: _loaded(kind, network(kind, HELD_BACK + number).content, random, folder))
    if (stack := STACKS.get(family)) is not None:
        sources += 2 * [lambda: _loaded(family, stack(random), random, folder)]
    if (names := FITTED.get(family)) is not None:
        sources.append(lambda: _estimator(random.choice(names), HELD_BACK + number))
    return random.choice(sources)()


def _estimator(kind: str, seed: int) -> UnseenModel:
    x, y = drawn(seed, TRAINED + SAMPLES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = load(ESTIMATORS[kind](seed).fit(x[:TRAINED], y[:TRAINED])).module
    return UnseenModel(kind, module, x[TRAINED:], y[TRAINED:])
