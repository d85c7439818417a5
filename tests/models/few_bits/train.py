"""Train a small network for digits with Brevitas, for several widths of weights and of activations.

`make quantised` runs this script in a separate environment. Each `wWaA.onnx` is the QONNX file of the network with W
bits of weights and A bits of activations, and `floats.onnx` the network before the fine-tuning in few bits.
`digits.npz` has the digits `x` that were not trained on, their classes `y`, and for each network the classes that
PyTorch computes.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

# These packages are in no other environment.
torch: Any = import_module("torch")
datasets: Any = import_module("sklearn.datasets")
quantised: Any = import_module("brevitas.nn")
quantisers: Any = import_module("brevitas.quant")
export: Any = import_module("brevitas.export")
onnx: Any = import_module("onnx")
nn: Any = torch.nn

WEIGHTS, ACTIVATIONS = (1, 2, 4, 6, 8), (2, 4, 6, 8)
FLOATS = 32
"""Bits that stand for a network in floating point."""

TRAINED, BATCH = 1500, 100
EPOCHS, RATE = 20, 5e-3
"""The epochs and the rate of the training in floating point, and of the fine-tuning that follows it."""


def network(weights: int, activations: int) -> Any:
    """Two convolutions with batch normalisation, relu and maximum pools, and a dense layer.

    The input has 8 bits and a power-of-two scale. Weights of one bit are signs with one scale, other weights have a
    scale for each channel. The scales of activations are trained.
    """
    if weights == FLOATS:
        given, activation = {}, nn.ReLU
        convolution, dense, first = nn.Conv2d, nn.Linear, nn.Identity()
    else:
        given = {"weight_quant": quantisers.Int8WeightPerChannelFloat, "weight_bit_width": weights}
        if weights == 1:
            given = {"weight_quant": quantisers.SignedBinaryWeightPerTensorConst}
        convolution, dense = quantised.QuantConv2d, quantised.QuantLinear
        first = quantised.QuantIdentity(act_quant=quantisers.Int8ActPerTensorFixedPoint, return_quant_tensor=False)

        def activation() -> Any:
            return quantised.QuantReLU(bit_width=activations)

    layers = [first]
    for before, after in ((1, 8), (8, 16)):
        layers += [convolution(before, after, 3, padding=1, bias=False, **given), nn.BatchNorm2d(after)]
        layers += [activation(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), dense(64, 10, bias=False, **given))


def fit(module: Any, x: Any, y: Any) -> None:
    torch.manual_seed(0)
    optimiser = torch.optim.Adam(module.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS)
    module.train()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(BATCH):
            optimiser.zero_grad()
            nn.functional.cross_entropy(module(x[rows]), y[rows]).backward()
            optimiser.step()
        schedule.step()
    module.eval()


def classes_of(module: Any, x: Any) -> Any:
    with torch.no_grad():
        return module(x).argmax(1).numpy().astype(np.uint8)


def bare(model: Any) -> bytes:
    """The bytes of an ONNX model whose constants are not inputs, without the metadata about its Python source."""
    del model.graph.value_info[:], model.graph.metadata_props[:], model.graph.input[1:]
    for node in model.graph.node:
        del node.metadata_props[:]
        node.ClearField("doc_string")
    for value in (*model.graph.initializer, *model.graph.input, *model.graph.output):
        del value.metadata_props[:]
    return model.SerializeToString()


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    images, labels = datasets.load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    rows, others = np.split(np.random.default_rng(0).permutation(len(images)), [TRAINED])
    x, y, unseen = torch.tensor(images[rows]), torch.tensor(labels[rows]), torch.tensor(images[others])
    torch.manual_seed(0)
    floats = network(FLOATS, FLOATS)
    fit(floats, x, y)
    stored = {"x": images[others], "y": labels[others].astype(np.uint8), "floats": classes_of(floats, unseen)}
    (folder / "floats.onnx").write_bytes(bare(torch.onnx.export(floats, (x[:1],), dynamo=True).model_proto))
    for weights in WEIGHTS:
        for activations in ACTIVATIONS:
            name, module = f"w{weights}a{activations}", network(weights, activations)
            module.load_state_dict(floats.state_dict(), strict=False)
            fit(module, x, y)
            stored[name] = classes_of(module, unseen)
            with tempfile.TemporaryDirectory() as work:
                file = f"{work}/network.onnx"
                export.export_qonnx(module, args=x[:1], export_path=file, dynamo=False)
                (folder / f"{name}.onnx").write_bytes(bare(onnx.load(file)))
            print(f"{name}: {np.mean(stored[name] == stored['y']):.1%} of the unseen digits", flush=True)
            np.savez_compressed(folder / "digits.npz", **stored)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
