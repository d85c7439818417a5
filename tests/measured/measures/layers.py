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
    r"(?P<kind>convolution|depthwise) (?P<taps>\d+)x(?P<across>\d+), (?P<channels>\d+)(?: to (?P<rows>\d+))?, "
    r"(?P<height>\d+)x(?P<width>\d+)(?:, stride (?P<stride>\d))?(?P<valid>, valid)?"
)
_DENSE = re.compile(r"dense, (?P<columns>\d+) to (?P<rows>\d+)(?:, (?P<vectors>\d+) rows)?")


def model_of(layer: str) -> tuple[bytes, int]:
    """A model with one layer and random weights, and the number of its products.

    layer: `dense, 64 to 10`, optionally followed by `, 16 rows`; `convolution 3x3, 16 to 32, 16x16` or `depthwise 3x3,
    8, 9x9`, optionally followed by `, stride 2` and by `, valid` for no padding.
    """
    random, model = np.random.default_rng(5), TfliteModel()
    if (dense := _DENSE.fullmatch(layer)) is not None:
        columns, rows, vectors = (int(dense[name] or 1) for name in ("columns", "rows", "vectors"))
        x, y = model.tensor((vectors, columns), "int8", 0.05, -9), model.tensor((vectors, rows), "int8", 0.9, 6)
        weighted(model, "FULLY_CONNECTED", x, (rows, columns), y, random)
        return model.finish([x], [y]), vectors * rows * columns
    image = _IMAGE.fullmatch(layer)
    assert image is not None, layer
    taps, across, channels, stride = (int(image[name] or 1) for name in ("taps", "across", "channels", "stride"))
    depthwise = image["kind"] == "depthwise"
    rows = channels if depthwise else int(image["rows"])
    sizes = int(image["height"]), int(image["width"])
    left = [size - filter + 1 if image["valid"] else size for size, filter in zip(sizes, (taps, across), strict=True)]
    height, width = (-(-size // stride) for size in left)
    x = model.tensor((1, *sizes, channels), "int8", 0.05, -9)
    y = model.tensor((1, height, width, rows), "int8", 0.9, 6)
    options: dict[str, Any] = {
        "Padding": VALID if image["valid"] else SAME,
        "StrideH": stride,
        "StrideW": stride,
        "FusedActivationFunction": NONE,
    }
    products = height * width * rows * taps * across
    if depthwise:
        weighted(model, "DEPTHWISE_CONV_2D", x, (1, taps, across, rows), y, random, DepthMultiplier=1, **options)
        return model.finish([x], [y]), products
    weighted(model, "CONV_2D", x, (rows, taps, across, channels), y, random, **options)
    return model.finish([x], [y]), products * channels


def layer(name: str, target: str) -> dict[str, Any]:
    """The figures of a layer on the core of the board `target`, compared with TensorFlow Lite Micro; `differ` counts
    the bytes of output that differ from TFLM's.
    """
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
