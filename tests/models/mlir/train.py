"""Train the networks of this folder on scikit-learn's digits with PyTorch, and export them by torch-mlir and ONNX.

`make bridges` runs this script first, in an environment with torch, torch-mlir and scikit-learn. It writes `NAME.onnx`,
`NAME-torch-linalg.mlir`, `NAME-torch-tosa.mlir`, the weights for `export_jax.py` and PyTorch's results.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

# These packages are in no other environment.
torch: Any = import_module("torch")
fx: Any = import_module("torch_mlir.fx")
datasets: Any = import_module("sklearn.datasets")
nn: Any = torch.nn

HERE = Path(__file__).parent
TESTED = 200
EXPECTED = 16


def mlp() -> Any:
    """A network of two dense layers with a layer normalisation between them, and a softmax."""
    return nn.Sequential(nn.Linear(64, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 10), nn.Softmax(-1))


def cnn() -> Any:
    """A network of a convolution with batch normalisation, depthwise and pointwise convolutions, pools of both kinds,
    and GELU.
    """
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1, groups=8),
        nn.Conv2d(8, 16, 1),
        nn.GELU(approximate="tanh"),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def recurrent(kind: str) -> Any:
    """A network of a recurrent layer over the rows of an image, and a dense layer that reads its last state.

    kind: the class of the layer in `torch.nn`, such as `GRU`.
    """

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            nn.Module.__init__(self)
            self.layer = getattr(nn, kind)(8, 16, batch_first=True)
            self.out = nn.Linear(16, 10)

        def forward(self, x: Any) -> Any:
            states, _ = self.layer(x)
            return self.out(states[:, -1])

    return Recurrent()


NETWORKS = {
    "mlp": (mlp, (64,)),
    "cnn": (cnn, (1, 8, 8)),
    "rnn": (lambda: recurrent("RNN"), (8, 8)),
    "gru": (lambda: recurrent("GRU"), (8, 8)),
}


def train(module: Any, x: Any, y: Any, probabilities: bool) -> None:
    """Train a module in place on inputs x with labels y.

    probabilities: true if the module returns probabilities, false if it returns scores.
    """
    optimiser = torch.optim.Adam(module.parameters(), 6e-3)
    for _ in range(12):
        for batch in torch.randperm(len(x)).split(32):
            scores = module(x[batch])
            scores = scores.log() if probabilities else scores
            loss = nn.functional.nll_loss(scores if probabilities else scores.log_softmax(-1), y[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    images, labels = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(images))
    x, y = torch.tensor(images[order] / 16, dtype=torch.float32), torch.tensor(labels[order])
    expected = {"images": images[order][-TESTED:].astype(np.uint8), "labels": y[-TESTED:].numpy()}
    for name, (make, shape) in NETWORKS.items():
        module = make()
        inputs = x.reshape(-1, *shape)
        train(module, inputs[:-TESTED], y[:-TESTED], name == "mlp")
        module.eval()
        with torch.no_grad():
            tested = module(inputs[-TESTED:])
            expected[name] = torch.cat([module(each[None]) for each in inputs[-TESTED:][:EXPECTED]]).numpy()
        print(f"{name}: {float((tested.argmax(-1) == y[-TESTED:]).float().mean()):.1%}")
        example = inputs[:1]
        torch.onnx.export(module, (example,), HERE / f"{name}.onnx", dynamo=False, input_names=["x"])
        for suffix, kind in (("linalg", "linalg-on-tensors"), ("tosa", "tosa")):
            text = fx.export_and_import(module, example, output_type=kind).operation.get_asm(print_generic_op_form=True)
            (HERE / f"{name}-torch-{suffix}.mlir").write_text(text)
        np.savez(sys.argv[1] + f"/{name}.npz", **{key: value.numpy() for key, value in module.state_dict().items()})
    np.savez_compressed(HERE / "expected.npz", **expected)


if __name__ == "__main__":
    main()
