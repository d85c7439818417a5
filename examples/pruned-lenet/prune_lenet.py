"""LeNet in less memory: prune it for a plan, train the remaining weights in numpy, and compile it.

    python examples/pruned-lenet/prune_lenet.py --ram 850 --out out/pruned-lenet

The training loop uses no framework. It loads the weights by name from the ONNX file that `tinyml prune` writes, and
stores the trained weights under the same names.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from tinyml.extend.tools import run_tinyml

HERE = Path(__file__).parent
LENET, DIGITS = HERE / "lenet.onnx", HERE / "digits.npz"
TRAINED = 1000
"""The first digits are for training, the others for the test."""

Weights = dict[str, np.ndarray]


def images() -> tuple[np.ndarray, np.ndarray]:
    """Return the digits as images N x 1 x 28 x 28 of numbers from 0 to 1, and their classes."""
    data = np.load(DIGITS)
    return data["x"].reshape(-1, 1, 28, 28).astype(np.float32) / 255, data["y"].astype(int)


def read_weights(file: Path) -> Weights:
    return {each.name: numpy_helper.to_array(each).copy() for each in onnx.load(file).graph.initializer}


def write_weights(file: Path, weights: Weights, out: Path) -> None:
    """Write a copy of the model in `file` to `out`, with the given weights."""
    model = onnx.load(file)
    for each in model.graph.initializer:
        each.CopyFrom(numpy_helper.from_array(weights[each.name].astype(np.float32), each.name))
    onnx.save(model, out)


def patches(x: np.ndarray, size: int) -> np.ndarray:
    """All windows of size x size pixels of images: N x rows x columns x (C * size * size)."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(*windows.shape[:1], *windows.shape[2:4], -1)


class Layer:
    """A convolution, a ReLU and a 2 x 2 max pool; `forward` stores what `backward` needs.

    filter: weights (filters, C, size, size).
    bias: (filters,).
    """

    def __init__(self, filter: np.ndarray, bias: np.ndarray) -> None:
        self.filter, self.bias = filter, bias

    def forward(self, x: np.ndarray) -> np.ndarray:
        self.shape = x.shape
        self.windows = patches(x, self.filter.shape[2])
        sums = (self.windows @ self.filter.reshape(len(self.filter), -1).T + self.bias).transpose(0, 3, 1, 2)
        n, channels, rows, columns = sums.shape
        cells = sums.reshape(n, channels, rows // 2, 2, columns // 2, 2).transpose(0, 1, 2, 4, 3, 5)
        cells = cells.reshape(*cells.shape[:4], 4)
        self.greatest = cells.argmax(-1)
        pooled = cells.max(-1)
        self.alive = pooled > 0
        return pooled * self.alive

    def backward(self, slope: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the gradients of input, filter and bias.

        slope: the gradient of the result.
        """
        slope = (slope * self.alive)[..., None] * (np.arange(4) == self.greatest[..., None])
        n, channels, rows, columns, _ = slope.shape
        slope = slope.reshape(n, channels, rows, columns, 2, 2).transpose(0, 1, 2, 4, 3, 5)
        slope = slope.reshape(n, channels, 2 * rows, 2 * columns)
        by_filter = np.einsum("noyx,nyxk->ok", slope, self.windows, optimize=True).reshape(self.filter.shape)
        by_input = np.zeros(self.shape, np.float32)
        for i in range(self.filter.shape[2]):
            for j in range(self.filter.shape[3]):
                part = np.einsum("noyx,oc->ncyx", slope, self.filter[:, :, i, j], optimize=True)
                by_input[:, :, i : i + 2 * rows, j : j + 2 * columns] += part
        return by_input, by_filter, slope.sum((0, 2, 3))


def forward(weights: Weights, x: np.ndarray) -> tuple[list[Layer], np.ndarray, np.ndarray]:
    """Return the layers, the input of the dense layer, and the scores."""
    layers = [Layer(weights[f"conv{k}_W"], weights[f"conv{k}_b"]) for k in (1, 2)]
    for layer in layers:
        x = layer.forward(x)
    flat = x.reshape(len(x), -1)
    return layers, flat, flat @ weights["fc_W"].T + weights["fc_b"]


def slopes(weights: Weights, x: np.ndarray, y: np.ndarray) -> Weights:
    """The gradient of the cross entropy with respect to each weight array, by name."""
    layers, flat, scores = forward(weights, x)
    likely = np.exp(scores - scores.max(1, keepdims=True))
    likely /= likely.sum(1, keepdims=True)
    likely[np.arange(len(y)), y] -= 1
    likely /= len(y)
    slope = {"fc_W": likely.T @ flat, "fc_b": likely.sum(0)}
    back = (likely @ weights["fc_W"]).reshape(len(x), layers[1].filter.shape[0], 4, 4)
    for k in (2, 1):
        back, slope[f"conv{k}_W"], slope[f"conv{k}_b"] = layers[k - 1].backward(back)
    return slope


def train(weights: Weights, x: np.ndarray, y: np.ndarray, epochs: int, rate: float = 0.01, batch: int = 20) -> None:
    """Train the weights in place by gradient descent with momentum on batches; the step size falls linearly to 0."""
    random = np.random.default_rng(0)
    momentum = {name: np.zeros_like(value) for name, value in weights.items()}
    steps = epochs * (len(x) // batch)
    for step in range(steps):
        if step % (len(x) // batch) == 0:
            order = random.permutation(len(x))
        chosen = order[step % (len(x) // batch) * batch :][:batch]
        for name, slope in slopes(weights, x[chosen], y[chosen]).items():
            momentum[name] = 0.9 * momentum[name] - rate * (1 - step / steps) * slope
            weights[name] += momentum[name]


def accuracy(weights: Weights, x: np.ndarray, y: np.ndarray) -> float:
    """The percentage of images for which the score of the right class is the greatest."""
    return 100 * float((forward(weights, x)[2].argmax(1) == y).mean())


def run(*arguments: object) -> None:
    if run_tinyml([str(argument) for argument in arguments]) != 0:
        raise SystemExit(1)


def prune_lenet(out: Path, ram: int, epochs: int, images_used: int, target: str) -> dict[str, object]:
    """Prune, train and compile LeNet in the folder `out`, and return the results to be printed.

    ram: the limit for the pruned network's memory, in bytes.
    epochs: the number of passes over the training images.
    images_used: the number of images that determine the number formats.
    target: the name of the board.
    """
    out.mkdir(parents=True, exist_ok=True)
    x, y = images()
    tested = slice(TRAINED, None)
    for name, part in (("val", slice(images_used)), ("test", tested)):
        np.savez(out / f"{name}.npz", x=x[part].reshape(-1, 784), y=y[part])
    run("prune", LENET, "--mode", "pixels", "--bits", 8, "--ram", ram, "-o", out / "pruned.onnx")
    weights = read_weights(out / "pruned.onnx")
    figures: dict[str, object] = {
        "accuracy before": accuracy(read_weights(LENET), x[tested], y[tested]),
        "accuracy pruned": accuracy(weights, x[tested], y[tested]),
    }
    train(weights, x[:images_used], y[:images_used], epochs)
    figures["accuracy trained"] = accuracy(weights, x[tested], y[tested])
    write_weights(out / "pruned.onnx", weights, out / "trained.onnx")
    for name, model in (("before", LENET), ("trained", out / "trained.onnx")):
        data = ["--val", out / "val.npz", "--test", out / "test.npz"]
        kind = ["--width", 8, "--plan", "pixels", "--reuse-input", "--target", target]
        run("compile", model, *data, *kind, "-o", out / name)
        report = json.loads((out / name / "report.json").read_text())
        figures[f"compiled {name}"] = {
            **{key: report[key] for key in ("accuracy", "flash_bytes", "ram_bytes", "macs")},
            **{key: value for key, value in report.items() if key.endswith("_per_inference")},
        }
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ram", type=int, default=850, help="bytes of the plan")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--images", type=int, default=TRAINED, help="images to train with")
    parser.add_argument("--target", default="uno")
    parser.add_argument("--out", type=Path, default=Path("out/pruned-lenet"))
    asked = parser.parse_args()
    print(json.dumps(prune_lenet(asked.out, asked.ram, asked.epochs, asked.images, asked.target), indent=2))


if __name__ == "__main__":
    main()
