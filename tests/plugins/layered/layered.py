"""A frontend for `.layered` files: a list of layers in JSON, whose weights are arrays in an `.npz` file of the same
name.

The model has `axes` (`NHWC` or `NCHW`), the `shape` of its input and `layers`, each with a `kind` and its attributes.
Weights are floats, or int8 with `scales` for each output. With quantised weights, the model's `input` and each layer
that computes new numbers specify a scale and a zero point in `output`, for example [0.05, -3].
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.extend.frontends import (
    F32_FORMAT,
    TRANSPOSED_FILTER,
    UNLIMITED,
    InputError,
    ModelBuilder,
    OrderedTensor,
    Parameter,
    Windows,
    batch_normalisation,
    binary_op,
    clamp,
    convolution,
    dense,
    filter_in,
    global_pool,
    pool,
    same_windows,
    start_parameter,
    tdsl,
    transposed_convolution,
)
from tinyml.extend.quantised import ZeroSkewType

POOLS: dict[str, type[tdsl.PoolOp]] = {"max_pool": tdsl.MaxPoolOp, "average_pool": tdsl.AveragePoolOp}
ACTIVATIONS = {"relu": (0.0, UNLIMITED), "relu6": (0.0, 6.0)}


def read_layered(content: bytes, file: str) -> ModuleOp:
    """Import a model from the content of a file; raises `InputError` for errors in the file."""
    try:
        model = json.loads(content)
        with np.load(Path(file).with_suffix(".npz"), allow_pickle=False) as arrays:
            return _Model(model, dict(arrays), file).module()
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise InputError(f"not a list of layers: {type(error).__name__} {error}", file=file) from error


class _Model:
    def __init__(self, model: Any, arrays: dict[str, np.ndarray[Any, Any]], file: str):
        self.model, self.arrays, self.to = model, arrays, ModelBuilder(file)
        self.axes: str = model["axes"]
        self.kept: dict[str, OrderedTensor] = {}

    def module(self) -> ModuleOp:
        element = _element(self.model.get("input")) or F32_FORMAT.type
        x = OrderedTensor.plain(self.to.argument(TensorType(element, self.model["shape"]), "x"))
        for number, layer in enumerate(self.model["layers"]):
            with self.to.importing(f"layer {number} ({layer['kind']})"):
                x = self.activated(layer, self.layer(layer, x))
                self.kept[layer.get("name", "")] = x
        scores = self.to.plain(x)
        return self.to.module([self.to.emit(tdsl.ArgmaxOp, scores).result, scores])

    def layer(self, layer: Any, x: OrderedTensor) -> OrderedTensor:
        """The result of a layer for the input `x`, before the activation of the layer."""
        to, axes, element, groups = self.to, self.axes, _element(layer.get("output")), layer.get("groups", 1)
        match layer["kind"]:
            case "convolution":
                filter = filter_in(to, self.weights(layer), layer["axes"])
                windows = self.windows(layer, x, filter.shape[1:3])
                return convolution(to, x, filter, windows, groups, self.start(layer, filter, x), element, axes=axes)
            case "transposed_convolution":
                filter = filter_in(to, self.weights(layer), layer["axes"], TRANSPOSED_FILTER)
                _, height, width, _ = filter.shape
                windows = Windows((height, width), layer["strides"], padding=layer.get("crop", (0, 0, 0, 0)))
                start = self.start(layer, filter, x)
                return transposed_convolution(to, x, filter, windows, groups, start, element, axes=axes)
            case "dense":
                weights = self.weights(layer)
                start, shape = self.start(layer, weights, x), (1, len(weights.raws))
                return OrderedTensor.plain(dense(to, to.plain(x), weights, shape, start, element))
            case "batch_normalisation":
                scale, offset, mean, variance = (self.arrays[name] for name in layer["arrays"])
                return batch_normalisation(to, x, scale, offset, mean, variance, axes=axes)
            case "add":
                return binary_op(to, tdsl.AddOp, x, self.kept[layer["other"]], element)
            case "max_pool" | "average_pool" as kind:
                windows = self.windows(layer, x, layer["kernel"])
                return pool(to, POOLS[kind], x, windows, element, axes=axes)
            case "global_average_pool":
                return global_pool(to, tdsl.AveragePoolOp, x, element, axes=axes)
            case kind:
                raise VerifyException(f"the kind '{kind}' is not supported")

    def activated(self, layer: Any, x: OrderedTensor) -> OrderedTensor:
        if (name := layer.get("activation")) is None:
            return x
        return OrderedTensor(clamp(self.to, x.value, *ACTIVATIONS[name]), x.order)

    def windows(self, layer: Any, x: OrderedTensor, kernel: Any) -> Windows:
        extents = [x.shape[self.axes.index(axis)] for axis in "HW"]
        strides = tuple(layer.get("strides", (1, 1)))
        same = layer.get("padding") == "same"
        return same_windows(extents, tuple(kernel), strides) if same else Windows(tuple(kernel), strides)

    def weights(self, layer: Any) -> Parameter:
        raws, name = self.arrays[layer["weights"]], layer["weights"]
        if "scales" not in layer:
            return Parameter(raws.astype(np.float32), F32_FORMAT, name)
        return Parameter(raws, ZeroSkewType(8, self.arrays[layer["scales"]].tolist()), name)

    def start(self, layer: Any, weights: Parameter, x: OrderedTensor) -> Parameter | None:
        if "bias" not in layer:
            return None
        bias, format = self.arrays[layer["bias"]], tdsl.format_of(x.value)
        if format == F32_FORMAT:
            return Parameter(bias.astype(np.float32), F32_FORMAT, layer["bias"])
        return start_parameter(bias, weights.format, format, layer["bias"])


def _element(quantisation: Any) -> Attribute | None:
    """The element type for a scale and a zero point; None if they are not specified.

    A tensor without a specified element type has that of the input, or reals.
    """
    return None if quantisation is None else ZeroSkewType(8, *quantisation)
