"""Ops on features and labels: scaling, norms, parts, and maps of probabilities."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.layers.picked_elements import picked
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
    if not isinstance(values, Constant):
        return OrderedTensor.plain(picked(to, to.tensor(values), indices))
    if not shape or not all(0 <= index < shape[-1] for index in indices):
        raise node.error(f"indices {indices} do not lie in shape {list(shape)}")
    return Constant(np.take(values.array, indices, -1))


@handles("FeatureVectorizer", domain=ML)
def feature_vectorizer(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The features of all inputs in one row, as models that were exported with an input for each column have it."""
    rows = [to.stored(needed(to, inputs, number)).value for number in range(len(inputs))]
    rows = [to.reshape(row, (1, prod(shape_of(row)))) for row in rows]
    lengths = tuple(shape_of(row)[1] for row in rows)
    if node.integers("inputdimensions", lengths) != lengths:
        raise node.error(f"inputdimensions differ from the lengths of its inputs, {[*lengths]}")
    return OrderedTensor.plain(rows[0] if len(rows) == 1 else to.op(tdsl.ConcatOp, rows, 1))


@handles("ZipMap", domain=ML)
def zip_map(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """The scores themselves: which class each belongs to is an attribute of the module."""
    to.classes = to.classes or node.labels("classlabels_int64s", "classlabels_strings")
    return needed(to, inputs, 0)
