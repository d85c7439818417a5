"""Ops on features and labels: scaling, norms, parts, and what makes maps of probabilities."""

from __future__ import annotations

from dataclasses import replace

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, handles, needed
from tinyml.lowering.frontends.onnx.building.values import Constant, Label, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary
from tinyml.lowering.frontends.onnx.ops.ml import ML


@handles("Scaler", domain=ML)
def scaler(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """`(x - offset) * scale`, with one number of each for all features or for each of them."""
    x = needed(to, inputs, 0)
    for make, name, neutral in ((tdsl.SubOp, "offset", 0.0), (tdsl.MulOp, "scale", 1.0)):
        numbers = node.numbers(name)
        if numbers.size and (numbers != neutral).any():
            x = binary(to, make, x, Constant(numbers.reshape(1, -1)))
    return x


@handles("Normalizer", domain=ML)
def normalizer(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    x = to.stored(needed(to, inputs, 0))
    if isinstance(x.value.owner, tdsl.SoftmaxOp) and node.text("norm", "MAX") == "L1":
        return x
    node.only("norm", "L2")
    return OrderedTensor(to.op(tdsl.NormaliseOp, x.value, to.element), x.order)


@handles("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The labels of classes by an index, or features at constant indices."""
    values, at = needed(to, inputs, 0), needed(to, inputs, 1)
    if isinstance(at, Label):
        if not isinstance(values, Constant) or values.array.dtype.kind not in "iuU":
            raise node.error("expected constant labels of classes, integers or strings")
        return replace(at, classes=tuple(values.array.ravel().tolist()))
    if not isinstance(at, Constant) or at.array.dtype.kind not in "iu" or not at.array.size:
        raise node.error("expected constant indices")
    indices, shape = at.array.ravel().tolist(), values.shape
    if not shape or not all(0 <= index < shape[-1] for index in indices):
        raise node.error(f"indices {indices} do not lie in shape {list(shape)}")
    if isinstance(values, Constant):
        return Constant(np.take(values.array, indices, -1))
    x = to.tensor(values)
    first = [0] * (len(shape) - 1)
    parts = [to.part(x, (*first, index), (*shape[:-1], 1)) for index in indices]
    return OrderedTensor.plain(parts[0] if len(parts) == 1 else to.op(tdsl.ConcatOp, parts, len(shape) - 1))


@handles("ZipMap", domain=ML)
def zip_map(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The scores themselves: which class each belongs to is an attribute of the module."""
    to.classes = to.classes or node.labels("classlabels_int64s", "classlabels_strings")
    return needed(to, inputs, 0)
