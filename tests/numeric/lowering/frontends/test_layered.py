"""Layers that frontends share, used by the frontend of a test package: values, bits on host and a chip, and errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.on_boards import difference, printed
from programs.paths import ROOT
from programs.plugins import installed
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import FRONTENDS
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.tools.driver.stages import load_program
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.reals.analysis.profiles import record_profiles

CHANNELS, SIDE, CLASSES = 3, 7, 4
SHAPES = {
    "convolution": (6, 3, 3, CHANNELS),
    "depthwise": (6, 3, 3, 1),
    "larger": (6, 2, 2, 5),
    "dense": (CLASSES, 5),
}
"""Shapes of weights: filters OHWI, of the transposed convolution IHWO."""


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    folder = str(ROOT / "tests" / "plugins" / "layered")
    with (
        patch.object(sys, "path", [folder, *sys.path]),
        installed(EntryPoint("layered", "layered:read_layered", FRONTENDS)),
    ):
        yield


def model(folder: Path, *, quantised: bool, image: str = "NHWC", **changed: Any) -> Path:
    """The file of a network with a layer of each kind.

    quantised: whether weights are 8-bit integers with scales; otherwise, they are floats.
    image: the order of the axes of the image.
    changed: entries of the first layer that are added or replaced.
    """
    random = np.random.default_rng(5)
    arrays: dict[str, NDArray[Any]] = {}
    for name, shape in SHAPES.items():
        rows = shape[-1] if name == "larger" else shape[0]
        scales = random.uniform(0.004, 0.006, rows)
        raws = random.integers(-127, 128, shape)
        if quantised:
            arrays |= {name: raws.astype(np.int8), f"{name}_scales": scales}
        else:
            arrays[name] = (raws * 0.005).astype(np.float32)
        arrays[f"{name}_bias"] = random.normal(size=rows).astype(np.float32)
    if image == "NCHW":
        arrays["convolution"] = arrays["convolution"].transpose(0, 3, 1, 2)
    statistics = ["scale", "offset", "mean", "variance"]
    arrays |= {name: random.uniform(0.5, 2, 6).astype(np.float32) for name in statistics}
    output: dict[str, Any] = {"output": [0.05, -3]} if quantised else {}

    def weighted(kind: str, name: str, **more: Any) -> dict[str, Any]:
        scales = {"scales": f"{name}_scales"} if quantised else {}
        return {"kind": kind, "weights": name, "bias": f"{name}_bias", **scales, **output, **more}

    order = "OIHW" if image == "NCHW" else "OHWI"
    layers = [
        weighted("convolution", "convolution", axes=order, padding="same", strides=[2, 2], activation="relu6"),
        *([] if quantised else [{"kind": "batch_normalisation", "arrays": statistics}]),
        {"kind": "max_pool", "kernel": [2, 2], "name": "kept"},
        weighted("convolution", "depthwise", axes="OHWI", padding="same", groups=6, activation="relu"),
        {"kind": "add", "other": "kept", **output},
        weighted("transposed_convolution", "larger", axes="IHWO", strides=[2, 2], crop=[1, 0, 0, -1]),
        {"kind": "average_pool", "kernel": [2, 2], "padding": "same", **output},
        {"kind": "global_average_pool", **output},
        weighted("dense", "dense"),
    ]
    layers[0] |= changed
    shape = [{"N": 1, "C": CHANNELS}.get(axis, SIDE) for axis in image]
    text = {"axes": image, "shape": shape, "layers": layers, **({"input": [0.04, 5]} if quantised else {})}
    (folder / "net.layered").write_text(json.dumps(text))
    np.savez(folder / "net.npz", allow_pickle=False, **arrays)
    return folder / "net.layered"


def images(samples: int = 3) -> NDArray[np.float32]:
    return np.random.default_rng(1).normal(size=(samples, SIDE, SIDE, CHANNELS)).astype(np.float32)


def scores(module: ModuleOp, x: NDArray[np.float32], *, quantised: bool) -> NDArray[Any]:
    module.verify()
    flat = x.reshape(len(x), -1)
    computed = evaluate(module, encode_inputs(module, flat)) if quantised else evaluate_reals(module, flat)
    assert computed.scores is not None
    return computed.scores


@pytest.mark.parametrize("quantised", [False, True])
def test_the_order_of_axes_does_not_change_results(quantised: bool, tmp_path: Path):
    found = load_program(model(tmp_path, quantised=quantised), context())
    other = load_program(model(tmp_path, quantised=quantised, image="NCHW"), context())
    x = images()
    expected = scores(found, x, quantised=quantised)
    got = scores(other, x.transpose(0, 3, 1, 2), quantised=quantised)
    np.testing.assert_array_equal(got, expected)
    assert len(np.unique(expected)) > CLASSES


@pytest.mark.long
@pytest.mark.parametrize("quantised", [False, True])
@pytest.mark.parametrize("device", ["host", "cortex-m4"])
def test_a_network_has_equal_bits_on_host_and_chip(device: str, quantised: bool, tmp_path: Path):
    module = load_program(model(tmp_path, quantised=quantised, image="NCHW"), context())
    inputs = images(2).reshape(2, -1)
    if not quantised:
        record_profiles(module, inputs)
        AssignFormatPass("fixed", 16).apply(context(), module)
    pipelines.run(module, context(), pipelines.flatten("refine-formats", {"target": device}))
    source = printed(module, device, tmp_path / "source")
    assert difference(module, encode_inputs(module, inputs), source, runner_for(device), tmp_path / "build") is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "gather"}, r"layer 0 \(gather\): the kind 'gather' is not supported"),
        ({"axes": "OHI"}, r"layer 0 \(convolution\): a filter has the axes OHWI or OLI in some order, got OHI"),
        ({"strides": [0, 1]}, r"layer 0 \(convolution\): windows .* must be at least 1"),
        ({"groups": 2}, r"layer 0 \(convolution\): 3 channels do not match 2 groups"),
        ({"weights": "nothing"}, "not a list of layers: KeyError 'nothing'"),
    ],
)
def test_errors_name_the_layer(changed: dict[str, Any], message: str, tmp_path: Path):
    with pytest.raises(InputError, match=f"net.layered: {message}"):
        load_program(model(tmp_path, quantised=False, **changed), context())
