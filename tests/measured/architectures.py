"""`python -m measured.architectures DIGITS RESULTS`: random networks for digits, their errors and plans.

This sweep corresponds to figures 8 and 10 of Gural and Murmann (2019). Random stacks of convolutions on digits of 14x14
pixels are trained in floating point, then with weights and activations of 4 bits. The bytes of their activations are
those of a plan with each schedule in `MODES`.

DIGITS is an .npz file with images `x` (samples, 28, 28) and labels `y`. The first four fifths are used for training,
the others only to measure the error. RESULTS is a JSON file with a line for each network; an interrupted run continues
where it stopped.

The published sweep has 1,000 networks, 60,000 images, 5 epochs in floating point and 5 in 4 bits; here options set
these numbers. The command `published` plans as many networks as the paper, which takes a minute, and trains none.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from programs.paths import ROOT

from tinyml.transforms.schedules.plans.graph import Graph, Image, Kind, Node, Read
from tinyml.transforms.schedules.table import schedule_named

np: Any = numpy
"""numpy, of whose types this file makes no use."""

Reals: TypeAlias = Any
"""An array of `np.float32`."""

MODES = "ordinary", "replace", "single-transpose", "herringbone", "optimal-turns", "rows", "pixels"
BITS, SIDE, CLASSES, BATCH = 4, 14, 10, 100


@dataclass(frozen=True)
class Network:
    """Convolutions without padding, as (kernel, channels) pairs, followed by a dense layer.

    pool: whether a 2x2 pool precedes the dense layer.
    """

    layers: tuple[tuple[int, int], ...]
    pool: bool

    @property
    def images(self) -> list[Image]:
        """The image that is the network's input, followed by the image that each layer computes."""
        found = [Image(SIDE, SIDE, 1, BITS)]
        for kernel, channels in self.layers:
            found.append(Image(found[-1].height - kernel + 1, found[-1].width - kernel + 1, channels, BITS))
        if self.pool:
            found.append(Image(found[-1].height // 2, found[-1].width // 2, found[-1].channels, BITS))
        return found

    @property
    def parameters(self) -> int:
        """The number of weights and biases."""
        sizes = [image.channels for image in self.images]
        filters = sum((k * k * a + 1) * b for (k, b), a in zip(self.layers, sizes, strict=False))
        return filters + (self.images[-1].size // BITS + 1) * CLASSES

    def graph(self) -> Graph:
        """The graph from which plans are made."""
        tensors = {f"t{number}": image for number, image in enumerate(self.images)}
        nodes: list[Node] = []
        for number, (kernel, _) in enumerate(self.layers):
            read = Read(f"t{number}", (kernel, kernel))
            nodes.append(Node(f"t{number + 1}", Kind.CONTRACTION, (read,)))
        if self.pool:
            nodes.append(Node(f"t{len(nodes) + 1}", Kind.CHANNELWISE, (Read(f"t{len(nodes)}", (2, 2), (2, 2)),)))
        return Graph(tensors, ("t0",), tuple(nodes), (f"t{len(nodes)}",))


def drawn(draw: random.Random) -> Network:
    """A random network whose images have at least 2x2 pixels."""
    while True:
        layers = tuple((draw.choice([1, 3, 3, 3, 5]), draw.randint(2, 16)) for _ in range(draw.randint(1, 3)))
        network = Network(layers, draw.random() < 0.7)
        if min(min(image[:2]) for image in network.images) >= 2:
            return network


def planned(network: Network) -> dict[str, float]:
    """For each schedule, the bytes of activations at the peak of the network's plan."""
    graph = network.graph()
    return {mode: schedule_named(mode).plan(graph).bits / 8 for mode in MODES}


class Trained:
    """A network with weights that Adam trains.

    bits: the width to which weights and activations are quantised, with straight-through gradients (Courbariaux 2016);
        0, the initial value, for floating point.
    orthogonal: True for orthogonal initial weights (Saxe et al. 2013), False for independent normal ones.
    """

    def __init__(self, network: Network, seed: int, orthogonal: bool = False) -> None:
        self.network, self.random = network, np.random.default_rng(seed)
        sizes, self.bits = [image.channels for image in network.images], 0
        shapes = [(k * k * a, b) for (k, b), a in zip(network.layers, sizes, strict=False)]
        shapes.append((network.images[-1].size // BITS, CLASSES))
        drawn = [self.random.standard_normal(shape) for shape in shapes]
        scaled = map(_orthogonal, drawn) if orthogonal else (each / each.shape[0] ** 0.5 for each in drawn)
        self.weights: list[Any] = [(2**0.5 * each).astype("f4") for each in scaled]
        self.weights += [np.zeros(shape[1], "f4") for shape in shapes]
        self.means = [np.zeros_like(each) for each in self.weights]
        self.squares = [np.zeros_like(each) for each in self.weights]
        self.steps, self.ranges = 0, [0.0] * len(network.layers)

    def weight(self, number: int) -> Reals:
        """The matrix of weights of layer `number` after quantisation."""
        weight = self.weights[number]
        if not self.bits:
            return weight
        step = 2.0 ** np.ceil(np.log2(np.abs(weight).max() + 1e-9)) / 2 ** (self.bits - 1)
        return (np.clip(np.round(weight / step), -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1) * step).astype("f4")

    def forward(self, x: Reals) -> tuple[Reals, list[Any]]:
        """The scores of inputs, and the intermediate values that the derivatives need."""
        kept: list[Any] = []
        for number, (kernel, _) in enumerate(self.network.layers):
            windows = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), (1, 2))
            shape = windows.shape[:3]
            columns = windows.reshape(-1, windows[0, 0, 0].size)
            y = columns @ self.weight(number) + self.weights[len(self.weights) // 2 + number]
            positive = y > 0
            y = np.where(positive, y, 0)
            if self.bits:
                self.ranges[number] = max(0.99 * self.ranges[number], float(np.percentile(y[::7], 99.8)))
                step = 2.0 ** np.round(np.log2(self.ranges[number] + 1e-9)) / 2**self.bits
                positive &= y <= step * (2**self.bits - 1)
                y = (np.clip(np.round(y / step), 0, 2**self.bits - 1) * step).astype("f4")
            kept.append((columns, positive, x.shape))
            x = y.reshape(*shape, -1)
        if self.network.pool:
            n, h, w, c = x.shape
            blocks = x[:, : h // 2 * 2, : w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, c)
            pooled = blocks.max((2, 4))
            kept.append((blocks == pooled[:, :, None, :, None], x.shape))
            x = pooled
        kept.append(x)
        last = len(self.network.layers)
        return x.reshape(len(x), -1) @ self.weight(last) + self.weights[-1], kept

    def learn(self, x: Reals, labels: Any, rate: float) -> None:
        """Perform a training step on a batch.

        rate: the learning rate.
        """
        scores, kept = self.forward(x)
        scores = np.exp(scores - scores.max(1, keepdims=True))
        slope = scores / scores.sum(1, keepdims=True)
        slope[range(len(labels)), labels] -= 1
        slope = (slope / len(labels)).astype("f4")
        last, half = len(self.network.layers), len(self.weights) // 2
        slopes: list[Any] = [None] * len(self.weights)
        image = kept.pop()
        slopes[last], slopes[half + last] = image.reshape(len(image), -1).T @ slope, slope.sum(0)
        slope = (slope @ self.weight(last).T).reshape(image.shape)
        if self.network.pool:
            first, shape = kept.pop()
            spread = (first * slope[:, :, None, :, None]).reshape(len(x), shape[1] // 2 * 2, -1, shape[3])
            slope = np.zeros(shape, "f4")
            slope[:, : spread.shape[1], : spread.shape[2]] = spread
        for number in reversed(range(last)):
            kernel = self.network.layers[number][0]
            columns, positive, shape = kept.pop()
            flat = slope.reshape(positive.shape) * positive
            slopes[number], slopes[half + number] = columns.T @ flat, flat.sum(0)
            if number:
                part = (flat @ self.weight(number).T).reshape(*slope.shape[:3], shape[3], kernel, kernel)
                slope = np.zeros(shape, "f4")
                for i in range(kernel):
                    for j in range(kernel):
                        slope[:, i : i + part.shape[1], j : j + part.shape[2]] += part[..., i, j]
        self.steps += 1
        for weight, mean, square, each in zip(self.weights, self.means, self.squares, slopes, strict=True):
            mean += 0.1 * (each - mean)
            square += 0.001 * (each * each - square)
            estimate = mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            weight -= (rate * estimate).astype("f4")

    def epochs(self, x: Reals, labels: Any, count: int, rate: float) -> None:
        """Train for `count` epochs on shuffled batches, with a learning rate that decreases to a tenth of `rate`."""
        for epoch in range(count):
            order = self.random.permutation(len(x))
            for start in range(0, len(x), BATCH):
                part = order[start : start + BATCH]
                self.learn(x[part], labels[part], rate * 0.1 ** (epoch / max(count - 1, 1)))

    def error(self, x: Reals, labels: Any) -> float:
        """The percentage of samples whose predicted label is wrong."""
        found = [self.forward(x[at : at + 500])[0].argmax(1) for at in range(0, len(x), 500)]
        return 100 * float((np.concatenate(found) != labels).mean())


def _orthogonal(matrix: Reals) -> Reals:
    """A random matrix with orthogonalised columns, or with orthogonalised rows if it has fewer rows than columns."""
    return np.linalg.qr(matrix)[0] if len(matrix) >= len(matrix[0]) else np.linalg.qr(matrix.T)[0].T


def result(network: Network, seed: int, x: Reals, labels: Any, epochs: int) -> dict[str, Any]:
    """The line of the file RESULTS for a network: its shape, number of parameters, errors and bytes."""
    cut = len(x) * 4 // 5
    trained = Trained(network, seed)
    trained.epochs(x[:cut], labels[:cut], epochs, 3e-3)
    exact = trained.error(x[cut:], labels[cut:])
    trained.bits = BITS
    trained.epochs(x[:cut], labels[:cut], epochs, 1e-3)
    quantised = trained.error(x[cut:], labels[cut:])
    errors = {"float": round(exact, 2), "4 bits": round(quantised, 2)}
    return {**asdict(network), "parameters": network.parameters, "error": errors, "bytes": planned(network)}


LIMITS = 300, 400, 500, 700
"""Bytes of activations below which the least error is taken."""


def summary(lines: Sequence[Any]) -> dict[str, dict[str, str]]:
    """For each schedule, the geometric mean of its bytes divided by those of the schedule `herringbone`, and the least
    error within each memory limit.
    """
    found: dict[str, dict[str, str]] = {}
    for mode in MODES:
        ratios = [line["bytes"][mode] / line["bytes"]["herringbone"] for line in lines]
        row = {"bytes, relative to herringbone": f"{100 * float(np.exp(np.log(ratios).mean())):.1f} %"}
        for limit in LIMITS:
            least = min((line["error"]["4 bits"] for line in lines if line["bytes"][mode] <= limit), default=None)
            row[f"{limit} B"] = "-" if least is None else f"{least:.2f}"
        found[f"`{mode}`"] = row
    return found


PUBLISHED = 1_000
"""Networks of the paper's sweep."""


def published(_models: Path | None) -> dict[str, float]:
    """The bytes of activations of as many random networks as the paper has (`networks`), relative to the schedule
    `herringbone`.

    The first networks are those of the trained sweep. For each schedule the result contains three figures:

    NAME: the geometric mean, in percent of `herringbone`.
    most_NAME: the maximum, in percent of `herringbone`.
    within_NAME: the number of networks with at most 512 bytes.
    """
    draw = random.Random(0)
    plans = [planned(drawn(draw)) for _ in range(PUBLISHED)]
    found: dict[str, float] = {"networks": len(plans)}
    for mode in MODES:
        name = mode.replace("-", "_")
        ratios = [100 * plan[mode] / plan["herringbone"] for plan in plans]
        found |= {name: round(float(np.exp(np.log(ratios).mean())), 1), f"most_{name}": round(max(ratios), 1)}
        found[f"within_{name}"] = sum(plan[mode] <= WITHIN for plan in plans)
    return found


WITHIN = 512
"""Bytes of activations, a quarter of an Uno's RAM."""


def frontier(_models: Path | None) -> dict[str, float]:
    """For each schedule, the factor by which the error grows if the memory shrinks to a tenth, for networks of at most
    1 KB in the trained sweep; and `networks`, the number of all networks in the sweep.

    The factor is a least-squares fit in logarithms over the Pareto-optimal networks. A network is Pareto-optimal if no
    other network with at most as many bytes has an error as small or smaller.

    `replace_700`, `herringbone_700`: the least error in percent within 700 bytes.
    """
    lines = _sweep()
    found: dict[str, float] = {"networks": len(lines)}
    for mode in MODES:
        best = [(line["bytes"][mode], line["error"]["4 bits"]) for line in _optimal(lines, mode)]
        below = np.log10([point for point in best if point[0] <= 1024])
        found[mode.replace("-", "_")] = round(float(10 ** -np.polyfit(*below.T, 1)[0]), 1)
    for mode in ("replace", "herringbone"):
        found[f"{mode}_700"] = min(line["error"]["4 bits"] for line in lines if line["bytes"][mode] <= 700)
    return found


def on_frontier(_models: Path | None) -> dict[str, float]:
    """The numbers of networks among the Pareto-optimal ones of the trained sweep (`optimal`), and among all of them
    (`networks`), whose channels never decrease (`growing`, `all_growing`), that need fewer bytes by `herringbone` than
    by `replace` (`gaining`, `all_gaining`), and that have a kernel of 3 x 3 (`small`, `all_small`).
    """
    lines = _sweep()
    found: dict[str, float] = {}
    for prefix, count, part in (("", "optimal", _optimal(lines, "herringbone")), ("all_", "networks", lines)):
        channels = [[1, *(after for _, after in line["layers"])] for line in part]
        found |= {
            count: len(part),
            f"{prefix}growing": sum(each == sorted(each) for each in channels),
            f"{prefix}gaining": sum(line["bytes"]["herringbone"] < line["bytes"]["replace"] for line in part),
            f"{prefix}small": sum(any(kernel == 3 for kernel, _ in line["layers"]) for line in part),
        }
    return found


def _sweep() -> list[Any]:
    return json.loads((ROOT / "docs/schedules/sweep.json").read_text())


def _optimal(lines: Sequence[Any], mode: str) -> list[Any]:
    """The networks of the sweep that are Pareto-optimal by a schedule, in the order of their bytes."""
    best: list[Any] = []
    for line in sorted(lines, key=lambda line: (line["bytes"][mode], line["error"]["4 bits"])):
        if all(line["error"]["4 bits"] < other["error"]["4 bits"] for other in best):
            best.append(line)
    return best


def draw_picture(lines: Sequence[Any], file: Path) -> None:
    """Plot error against bytes of activations, with one colour per schedule, as in figure 10, and write the plot to a
    file.
    """
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams |= {"svg.hashsalt": "tinyml", "svg.fonttype": "none"}
    from matplotlib import pyplot

    figure: Any
    axes: Any
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for mode, marker in {"ordinary": "x", "replace": "s", "herringbone": "o", "rows": "^", "pixels": "v"}.items():
        bytes, errors = ([line[key][name] for line in lines] for key, name in (("bytes", mode), ("error", "4 bits")))
        axes.scatter(bytes, errors, marker=marker, s=18, label=mode, alpha=0.8, linewidths=0.8)
    axes.set(xscale="log", yscale="log", xlabel="bytes of activations, 4 bits each", ylabel="error, 4 bits, %")
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def digits(file: Path) -> tuple[Reals, Any]:
    """Images (samples, 14, 14, 1) of 16 grey levels from 0 to 1, and labels."""
    data = np.load(file)
    blocks = data["x"].reshape(-1, SIDE, 2, SIDE, 2).astype(np.int64).sum((2, 4)) >> 6
    return (blocks[..., None] / 16).astype("f4"), data["y"].astype(np.int64)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("digits", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--networks", type=int, default=100)
    parser.add_argument("--picture", type=Path, help="an .svg file to draw")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args(arguments)
    x, labels = digits(options.digits)
    draw = random.Random(0)
    lines: list[Any] = json.loads(options.results.read_text()) if options.results.exists() else []
    for number in range(options.networks):
        network = drawn(draw)
        if number < len(lines):
            continue
        lines.append(result(network, number, x, labels, options.epochs))
        text = ",\n".join(json.dumps(line) for line in lines)
        options.results.write_text(f"[\n{text}\n]\n")
        print(number, lines[-1], flush=True)
    if options.picture:
        draw_picture(lines, options.picture)
    for mode, row in summary(lines).items():
        print(mode, row)


if __name__ == "__main__":
    main()
