"""Single layers of quantised networks on emulated cores, compared with TensorFlow Lite Micro."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from programs.lowered import lowered
from programs.tflite_models import NONE, SAME, VALID, TfliteModel, computed_by_tflm, inputs_of, weighted

from tinyml.dialects.context import context
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c

SAMPLES = 2

_IMAGE = re.compile(
    r"(?P<kind>convolution|depthwise) (?P<filter>\d+)x\d+, (?P<channels>\d+)(?: to (?P<rows>\d+))?, (?P<size>\d+)x\d+"
    r"(?:, stride (?P<stride>\d))?(?P<valid>, valid)?"
)
_DENSE = re.compile(r"dense, (?P<columns>\d+) to (?P<rows>\d+)")


def model_of(layer: str) -> tuple[bytes, int]:
    """A model with one layer and random weights, and its products.

    layer: `dense, 64 to 10`, `convolution 3x3, 16 to 32, 16x16` or `depthwise 3x3, 64, 16x16`, images perhaps with
    `, stride 2` and, instead of zeros around them, `, valid`.
    """
    random, model = np.random.default_rng(5), TfliteModel()
    if (dense := _DENSE.fullmatch(layer)) is not None:
        columns, rows = int(dense["columns"]), int(dense["rows"])
        x, y = model.tensor((1, columns), "int8", 0.05, -9), model.tensor((1, rows), "int8", 0.9, 6)
        weighted(model, "FULLY_CONNECTED", x, (rows, columns), y, random)
        return model.finish([x], [y]), rows * columns
    image = _IMAGE.fullmatch(layer)
    assert image is not None, layer
    filter, channels, size, stride = (int(image[name] or 1) for name in ("filter", "channels", "size", "stride"))
    depthwise = image["kind"] == "depthwise"
    rows = channels if depthwise else int(image["rows"])
    extent = -(-(size - filter + 1 if image["valid"] else size) // stride)
    x = model.tensor((1, size, size, channels), "int8", 0.05, -9)
    y = model.tensor((1, extent, extent, rows), "int8", 0.9, 6)
    options: dict[str, Any] = {
        "Padding": VALID if image["valid"] else SAME,
        "StrideH": stride,
        "StrideW": stride,
        "FusedActivationFunction": NONE,
    }
    taps = filter * filter
    if depthwise:
        weighted(model, "DEPTHWISE_CONV_2D", x, (1, filter, filter, rows), y, random, DepthMultiplier=1, **options)
        return model.finish([x], [y]), extent * extent * rows * taps
    weighted(model, "CONV_2D", x, (rows, filter, filter, channels), y, random, **options)
    return model.finish([x], [y]), extent * extent * rows * taps * channels


def layer(name: str, target: str) -> dict[str, Any]:
    """The figures of a layer on a board's core; `differ` counts the bytes that are not TFLM's."""
    content, products = model_of(name)
    module, ctx, x = read_tflite(content, "network.tflite"), context(), inputs_of(content, SAMPLES)
    [expected] = computed_by_tflm(content, x, 1)
    interface = interface_of(module)
    lowered(module, ctx, start="refine-formats", target=target)
    with tempfile.TemporaryDirectory() as folder:
        write_c(module, ctx, target, Path(folder))
        runner = runner_for(target)
        build = runner.build(Path(folder), interface, Path(folder, "build"), "-O2")
        result = runner.run(build, interface, x.reshape(SAMPLES, -1))
    assert result.scores is not None
    assert result.cycles is not None
    assert result.core_cycles is not None
    return {
        "macs": products,
        "time": float(result.cycles.mean()),
        "core_cycles": float(result.core_cycles.mean()),
        "differ": int((result.scores != expected.reshape(SAMPLES, -1)).sum()),
    }
