"""Random trained models of small size, as a user has them: estimators, and ONNX networks of several families."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper
from oracles.onnx_models import FLOAT, model, node

from programs.estimators import sk

Array = NDArray[Any]

SAMPLES = 60
"""The samples of a model's data."""


@dataclass(frozen=True)
class RandomModel:
    """A model and data for it.

    family: one of `FAMILIES`.
    source: an estimator, or an ONNX model.
    x: the inputs (samples, ...), or one such array for each of several inputs by its name.
    y: the labels (samples,) of a classifier that was trained, otherwise None.
    """

    family: str
    source: Any
    x: Any
    y: Array | None = None

    def save(self, folder: Any) -> Any:
        """The source as `tinyml.compile` accepts it: an estimator, or the path of a file written to `folder`."""
        if not isinstance(self.source, onnx.ModelProto):
            return self.source
        path = folder / "network.onnx"
        path.write_bytes(self.source.SerializeToString())
        return path


@dataclass
class Chain:
    """A chain of ONNX nodes under construction.

    shape: the shape of the last tensor.
    """

    random: Random
    shape: tuple[int, ...]
    last: str = "x"
    nodes: list[onnx.NodeProto] = field(default_factory=list[onnx.NodeProto])
    constants: dict[str, Array] = field(default_factory=dict[str, Array])

    def __post_init__(self) -> None:
        self.numbers = np.random.default_rng(self.random.randrange(1 << 30))

    def constant(self, *shape: int, scale: float = 1.0) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = (scale * self.numbers.normal(size=shape)).astype(np.float32)
        return name

    def value(self, array: Array) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = array
        return name

    def add(self, op: str, operands: str = "", shape: tuple[int, ...] | None = None, **attributes: Any) -> str:
        """Add a node that reads the last tensor and the given operands, and return the name of its result."""
        name = f"t{len(self.nodes)}"
        self.nodes.append(node(op, f"{self.last} {operands}".strip(), name, **attributes))
        self.last, self.shape = name, self.shape if shape is None else shape
        return name

    def dense(self, outputs: int) -> str:
        """Multiply the last axis by a random matrix."""
        inputs = self.shape[-1]
        weights = self.constant(inputs, outputs, scale=inputs**-0.5)
        self.add("MatMul", weights, (*self.shape[:-1], outputs))
        return self.add("Add", self.constant(outputs, scale=0.1))

    def activation(self) -> str:
        return self.add(self.random.choice(["Relu", "Tanh", "Sigmoid", "LeakyRelu"]))

    def flatten(self) -> str:
        return self.add("Flatten", shape=(1, int(np.prod(self.shape))))

    def answer(self) -> None:
        """End with scores, with probabilities, or with the result that there is."""
        self.flatten()
        if self.random.random() < 0.8:
            self.dense(self.random.randint(2, 5))
        if self.random.random() < 0.4:
            self.add("Softmax", axis=1)

    def finish(self, shape: tuple[int, ...], others: Mapping[str, tuple[int, ...]] | None = None) -> onnx.ModelProto:
        """The finished model.

        shape: the shape of the input x.
        others: the shapes of further inputs.
        """
        made = model(self.nodes, shape, self.constants, outputs=[self.last])
        for name, each in (others or {}).items():
            made.graph.input.append(helper.make_tensor_value_info(name, FLOAT, each))
        return made


def _inputs(random: Random, *shape: int) -> Array:
    numbers = np.random.default_rng(random.randrange(1 << 30))
    return numbers.normal(size=(SAMPLES, *shape)).astype(np.float32)


def cnn(random: Random) -> RandomModel:
    """Convolutions over images, depthwise ones among them, with pools, activations and a residual connection."""
    return _convolutions(random, "cnn", axes=2)


def series(random: Random) -> RandomModel:
    """The layers of `cnn` over time series."""
    return _convolutions(random, "series", axes=1)


def _convolutions(random: Random, family: str, axes: int) -> RandomModel:
    """Layers over a grid of one or two axes."""
    first = random.randint(1, 3), *(random.randint(4, 10) for _ in range(axes))
    chain = Chain(random, (1, *first))
    for _ in range(random.randint(1, 3)):
        _, channels, *extents = chain.shape
        size = random.choice([1, min(3, *extents)])
        pads = random.choice([0, size // 2])
        stride = random.choice([1, 1, 2])
        groups = random.choice([1, 1, channels])
        filters = groups * random.randint(1, 4)
        before, around = chain.last, chain.shape
        weights = chain.constant(
            filters, channels // groups, *[size] * axes, scale=(size**axes * channels / groups) ** -0.5
        )
        extents = [(extent + 2 * pads - size) // stride + 1 for extent in extents]
        chain.add(
            *("Conv", f"{weights} {chain.constant(filters, scale=0.1)}", (1, filters, *extents)),
            kernel_shape=[size] * axes, strides=[stride] * axes, pads=[pads] * 2 * axes, group=groups,
        )  # fmt: skip
        chain.activation()
        if chain.shape == around and random.random() < 0.5:
            chain.add("Add", before)
        if min(chain.shape[2:]) > 3 and random.random() < 0.4:
            pooled = (*chain.shape[:2], *((extent - 2) // 2 + 1 for extent in chain.shape[2:]))
            pool = random.choice(["MaxPool", "AveragePool"])
            chain.add(pool, "", pooled, kernel_shape=[2] * axes, strides=[2] * axes)
    if random.random() < 0.3:
        chain.add("GlobalAveragePool", "", (1, chain.shape[1], *[1] * axes))
    chain.answer()
    return RandomModel(family, chain.finish((1, *first)), _inputs(random, *first))


def recurrent(random: Random) -> RandomModel:
    """A recurrent layer over a sequence, then a dense layer on its last state or on all of its outputs."""
    steps, inputs, units = random.randint(2, 8), random.randint(1, 5), random.randint(1, 6)
    op, gates = random.choice([("RNN", 1), ("GRU", 3), ("LSTM", 4)])
    direction = random.choice(["forward", "forward", "reverse", "bidirectional"])
    count = 2 if direction == "bidirectional" else 1
    chain = Chain(random, (steps, 1, inputs))
    rows = gates * units
    operands = [chain.constant(count, rows, inputs, scale=0.7), chain.constant(count, rows, units, scale=0.5)]
    if random.random() < 0.7:
        operands.append(chain.constant(count, 2 * rows, scale=0.3))
    attributes: dict[str, Any] = {"hidden_size": units, "direction": direction}
    if op == "GRU":
        attributes["linear_before_reset"] = random.randint(0, 1)
    last = random.random() < 0.5
    chain.nodes.append(node(op, " ".join(["x", *operands]), "- h" if last else "h", **attributes))
    chain.last, chain.shape = "h", (count, 1, units) if last else (steps, count, 1, units)
    flat = chain.value(np.array([1, -1], np.int64))
    chain.add("Reshape", flat, (1, int(np.prod(chain.shape))))
    chain.dense(random.randint(2, 4))
    x = _inputs(random, steps, 1, inputs)
    return RandomModel("recurrent", chain.finish((steps, 1, inputs)), x.reshape(SAMPLES, -1))


def attention(random: Random) -> RandomModel:
    """Attention of a single head over a short sequence, with a residual connection and a normalisation."""
    length, features, size = random.randint(2, 6), random.randint(2, 8), random.choice([2, 4, 8])
    chain = Chain(random, (1, length, features))
    names = list[str]()
    for _ in range(3):
        chain.last, chain.shape = "x", (1, length, features)
        names.append(chain.dense(size))
    queries, keys, values = names
    chain.last = keys
    turned = chain.add("Transpose", "", (1, size, length), perm=[0, 2, 1])
    chain.last = queries
    chain.add("MatMul", turned, (1, length, length))
    chain.add("Mul", chain.value(np.array([size**-0.5], np.float32)))
    chain.add("Softmax", axis=-1)
    chain.add("MatMul", values, (1, length, size))
    chain.dense(features)
    if random.random() < 0.6:
        chain.add("Add", "x")
    if random.random() < 0.5:
        ones, zeros = (chain.value(np.full(features, value, np.float32)) for value in (1, 0))
        chain.add("LayerNormalization", f"{ones} {zeros}", axis=-1)
    chain.answer()
    x = _inputs(random, length, features)
    return RandomModel("attention", chain.finish((1, length, features)), x)


def several_inputs(random: Random) -> RandomModel:
    """Two or three inputs, each through a dense layer, which are joined, added or multiplied."""
    sizes = [random.randint(1, 6) for _ in range(random.randint(2, 3))]
    names = ["x", "second", "third"][: len(sizes)]
    chain = Chain(random, (1, sizes[0]))
    outputs, branches = random.randint(2, 5), list[str]()
    for name, size in zip(names, sizes, strict=True):
        chain.last, chain.shape = name, (1, size)
        chain.dense(outputs)
        branches.append(chain.activation() if random.random() < 0.6 else chain.last)
    joined = random.choice(["Concat", "Add", "Mul"])
    chain.last = branches[0]
    for branch in branches[1:]:
        if joined == "Concat":
            chain.add("Concat", branch, (1, chain.shape[1] + outputs), axis=1)
        else:
            chain.add(joined, branch)
    chain.answer()
    x = {name: _inputs(random, size) for name, size in zip(names, sizes, strict=True)}
    others = {name: (1, size) for name, size in zip(names[1:], sizes[1:], strict=True)}
    return RandomModel("several inputs", chain.finish((1, sizes[0]), others), x)


ESTIMATORS: Mapping[str, Callable[[int], Any]] = {
    "forest": lambda seed: sk.RandomForestClassifier(3, max_leaf_nodes=8, random_state=seed),
    "tree": lambda seed: sk.DecisionTreeClassifier(max_depth=4, random_state=seed),
    "trees of regression": lambda seed: sk.ExtraTreesRegressor(3, max_depth=4, random_state=seed),
    "boosting": lambda seed: sk.GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=seed),
    "boosted regression": lambda seed: sk.GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=seed),
    "logistic": lambda seed: sk.LogisticRegression(max_iter=50),
    "ridge": lambda seed: sk.Ridge(),
    "vectors": lambda seed: sk.SVC(),
    "linear vectors": lambda seed: sk.LinearSVC(max_iter=200),
    "neighbours": lambda seed: sk.KNeighborsClassifier(3),
    "bayes": lambda seed: sk.GaussianNB(),
    "perceptron": lambda seed: sk.MLPClassifier((5,), max_iter=40, random_state=seed),
    "scaled": lambda seed: sk.make_pipeline(sk.StandardScaler(), sk.LogisticRegression(max_iter=50)),
    "components": lambda seed: sk.make_pipeline(sk.PCA(2), sk.SVC()),
    "means": lambda seed: sk.KMeans(3, n_init=1, random_state=seed),
}


def estimator(random: Random, names: tuple[str, ...] = tuple(ESTIMATORS)) -> RandomModel:
    """An estimator of scikit-learn, fitted to two to four classes or to a sum of the features.

    names: the keys of `ESTIMATORS` to choose from.
    """
    name, seed, features = random.choice(names), random.randrange(1 << 30), random.randint(2, 8)
    x = _inputs(random, features) * random.choice([0.1, 1, 20])
    made = ESTIMATORS[name](seed)
    classes = random.randint(2, 4)
    total = x @ np.random.default_rng(seed).normal(size=features)
    labels = np.searchsorted(np.quantile(total, np.arange(1, classes) / classes), total)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.fit(x, labels if hasattr(made, "predict_proba") or "lassif" in repr(made) or "SV" in repr(made) else total)
    labelled = hasattr(made, "classes_")
    return RandomModel(f"estimator {name}", made, x, labels if labelled else None)


def residual(random: Random) -> RandomModel:
    """Blocks of a depthwise and a pointwise convolution, to whose result the block's input is added."""
    axes, channels = random.choice([1, 2]), random.randint(2, 6)
    first = channels, *(random.randint(4, 8) for _ in range(axes))
    chain = Chain(random, (1, *first))
    for _ in range(random.randint(1, 2)):
        before = chain.last
        for size, groups in ((3, channels), (1, 1)):
            weights = chain.constant(
                channels, channels // groups, *[size] * axes, scale=(size**axes * channels / groups) ** -0.5
            )
            bias = chain.constant(channels, scale=0.1)
            pads = [size // 2] * 2 * axes
            chain.add("Conv", f"{weights} {bias}", group=groups, kernel_shape=[size] * axes, pads=pads)
            chain.activation()
        chain.add("Add", before)
    chain.answer()
    return RandomModel("residual", chain.finish((1, *first)), _inputs(random, *first))


FAMILIES: Mapping[str, Callable[[Random], RandomModel]] = {
    "cnn": cnn,
    "series": series,
    "residual": residual,
    "recurrent": recurrent,
    "attention": attention,
    "several inputs": several_inputs,
    "estimator": estimator,
}
