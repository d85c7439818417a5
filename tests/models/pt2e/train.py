"""Train the networks of this folder with PyTorch's quantisation-aware training (PT2E), and store their results.

`make quantised` runs this script in a separate environment. Each NAME.onnx is the converted module, as
`tinyml.compile(exported_program, x)` imports it, and NAME-float.onnx the network before it was fine-tuned in 8 bits.
NAME.npz has test inputs, labels, and the outputs of the converted module.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.lowering.frontends.pt2e import quantised_onnx

# These packages are in no other environment.
torch: Any = import_module("torch")
datasets: Any = import_module("sklearn.datasets")
pt2e: Any = import_module("torchao.quantization.pt2e")
steps: Any = import_module("torchao.quantization.pt2e.quantize_pt2e")
quantizers: Any = import_module("torchao.testing.pt2e._xnnpack_quantizer")
onnx: Any = import_module("onnx")
nn: Any = torch.nn

BATCH, EPOCHS, FINE_EPOCHS, TESTED = 50, 20, 5, 200


def block(before: int, after: int, size: int = 3, groups: int = 1, relu: Any = nn.ReLU) -> Any:
    convolution = nn.Conv2d(before, after, size, padding=size // 2, groups=groups)
    return nn.Sequential(convolution, nn.BatchNorm2d(after), relu())


def cnn() -> Any:
    """A network of two convolutions with maximum pools, and a dense layer."""
    body = (block(1, 8), nn.MaxPool2d(2), block(8, 16), nn.MaxPool2d(2))
    return nn.Sequential(*body, nn.Flatten(), nn.Linear(64, 10))


def depthwise() -> Any:
    """A network of depthwise and pointwise convolutions with relu6, an average pool, and a dense layer."""
    layers = [block(1, 8, relu=nn.ReLU6)]
    for before, after in ((8, 16), (16, 24)):
        layers += [block(before, before, groups=before, relu=nn.ReLU6), block(before, after, 1, relu=nn.ReLU6)]
    return nn.Sequential(*layers, nn.AvgPool2d(4), nn.Flatten(), nn.Linear(96, 10))


class Shortcut(nn.Module):  # pyright: ignore[reportUntypedBaseClass]
    """A module that adds its input to the result of its layers."""

    def __init__(self, *layers: Any):
        nn.Module.__init__(self)
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Any) -> Any:
        return x + self.layers(x)


def residual() -> Any:
    """A network of two residual blocks, one with a depthwise convolution, and average pools."""
    one = Shortcut(block(8, 8), nn.Conv2d(8, 8, 3, padding=1))
    two = Shortcut(block(8, 8, groups=8), nn.Conv2d(8, 8, 1))
    pooled = [part for each in (one, two) for part in (each, nn.ReLU(), nn.AvgPool2d(2))]
    return nn.Sequential(block(1, 8), *pooled, nn.Flatten(), nn.Linear(32, 10))


NETWORKS: dict[str, tuple[Callable[[], Any], bool]] = {
    "cnn": (cnn, True),
    "depthwise": (depthwise, True),
    "residual": (residual, False),
}
"""Each network, and whether its filters have a scale for each channel."""


def fit(module: Any, x: Any, y: Any, epochs: int, rate: float) -> None:
    optimiser = torch.optim.Adam(module.parameters(), rate)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(BATCH):
            if len(rows) == BATCH:
                optimiser.zero_grad()
                nn.functional.cross_entropy(module(x[rows]), y[rows]).backward()
                optimiser.step()


def bare(content: bytes) -> bytes:
    """The bytes of a model without the metadata of its nodes and values, such as the Python source from which PyTorch
    exported a node.
    """
    model = onnx.load_from_string(content)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.ClearField("doc_string")
    for value in (*model.graph.value_info, *model.graph.initializer, *model.graph.input, *model.graph.output):
        del value.metadata_props[:]
    return model.SerializeToString()


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    digits = datasets.load_digits()
    x, y = torch.tensor(digits.images[:, None] / 16, dtype=torch.float32), torch.tensor(digits.target)
    x, tests, y, labels = x[:-300], x[-300:], y[:-300], y[-300:]
    results: dict[str, Any] = {}
    for name, (network, per_channel) in NETWORKS.items():
        torch.manual_seed(0)
        module = network()
        fit(module, x, y, EPOCHS, 2e-3)
        module.eval()
        real = float((module(tests).argmax(1) == labels).float().mean())
        module.train()
        batch = {0: torch.export.Dim("batch", min=1, max=1024)}
        exported = torch.export.export(module, (x[:BATCH],), dynamic_shapes=(batch,)).module()
        config = quantizers.get_symmetric_quantization_config(is_per_channel=per_channel, is_qat=True)
        prepared = steps.prepare_qat_pt2e(exported, quantizers.XNNPACKQuantizer().set_global(config))
        fit(prepared, x, y, FINE_EPOCHS, 2e-4)
        pt2e.move_exported_model_to_eval(prepared)
        converted = steps.convert_pt2e(prepared)
        pt2e.move_exported_model_to_eval(converted)
        with torch.no_grad():
            outputs = converted(tests).numpy()
        (folder / f"{name}.onnx").write_bytes(bare(quantised_onnx(converted, (tests[:1],), name)))
        stored = {"x": tests[:TESTED].numpy(), "y": labels[:TESTED].numpy().astype(np.int8)}
        np.savez_compressed(folder / f"{name}.npz", **stored, outputs=outputs[:TESTED])
        results[name] = {"float": real, "quantised": float((outputs.argmax(1) == labels.numpy()).mean())}
        real_model = torch.onnx.export(module.eval(), (tests[:1],), dynamo=True, verbose=False).model_proto
        (folder / f"{name}-float.onnx").write_bytes(bare(real_model.SerializeToString()))
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
