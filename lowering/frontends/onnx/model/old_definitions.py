"""Nodes of older opsets, rewritten to the newest definitions of their ops.

The importer knows only the newest definition of an op; older ones are translated here. Opsets 7 (numpy's broadcasting)
and newer are covered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.model.graph import Attribute, OnnxNode

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[Any]

Rewrite: TypeAlias = Callable[[OnnxNode], Sequence[OnnxNode]]

MOVED: Mapping[str, Mapping[str, int]] = {
    "Clip": {"min": 1, "max": 2},
    "Pad": {"pads": 1, "value": 2},
    "Slice": {"starts": 1, "ends": 2, "axes": 3},
    "Split": {"split": 1},
    "Squeeze": {"axes": 1},
    "TopK": {"k": 1},
    "Unsqueeze": {"axes": 1},
    "Upsample": {"scales": 1},
    **{
        f"Reduce{kind}": {"axes": 1}
        for kind in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    },
}
"""Attributes that became inputs, with the positions of the inputs."""

_REALS = frozenset(("min", "max", "value", "scales"))


def modernised(node: OnnxNode) -> Sequence[OnnxNode]:
    """The nodes of the newest opset that compute what a node of its own opset does.

    Raises `InputError` for an older definition that no newer node expresses.
    """
    if node.domain:
        return [node]
    moved = _inputs_for_attributes(node)
    last = moved[-1]
    rewrite = _REWRITES.get(last.op)
    return moved if rewrite is None else [*moved[:-1], *rewrite(last)]


def _constant(node: OnnxNode, name: str, value: Array) -> OnnxNode:
    """A constant that belongs to a node, named after the node's first output and what it holds."""
    output = f"{next(filter(None, node.outputs), node.name)}:{name}"
    return OnnxNode("Constant", "", node.version, output, (), (output,), {"value": value}, node.file)


def _inputs_for_attributes(node: OnnxNode) -> list[OnnxNode]:
    """A node that reads constants in place of attributes that the newest definition has as inputs."""
    moved = {name: at for name, at in MOVED.get(node.op, {}).items() if name in node.attributes}
    if not moved:
        return [node]
    constants = [_constant(node, name, _array(node, name, node.attributes[name])) for name in moved]
    inputs = [*node.inputs, *[""] * (max(moved.values()) + 1 - len(node.inputs))]
    for constant, at in zip(constants, moved.values(), strict=True):
        if inputs[at]:
            raise node.error(f"attribute '{constant.name.rpartition(':')[2]}' is given as an input, too")
        inputs[at] = constant.name
    kept = {name: value for name, value in node.attributes.items() if name not in moved}
    return [*constants, replace(node, inputs=tuple(inputs), attributes=kept)]


def _array(node: OnnxNode, name: str, value: Attribute) -> Array:
    """The attribute as the input it became: 64-bit integers or 32-bit floats."""
    if not isinstance(value, int | float | tuple):
        raise node.error(f"attribute '{name}' is not a number or a list")
    return np.array(value, np.float32 if name in _REALS else np.int64)


def _softmax(node: OnnxNode) -> Sequence[OnnxNode]:
    """Softmax before opset 13 takes all axes from `axis` (1 by default) on as one vector."""
    if node.version >= 13 or not node.inputs or not node.outputs or node.attributes.get("axis", 1) == -1:
        return [node]
    shape, flat, result = (f"{node.outputs[0]}:{name}" for name in ("shape", "flat", "softmax"))
    axis = {"axis": node.integer("axis", 1)}
    return [
        replace(node, op="Shape", outputs=(shape,), attributes={}),
        replace(node, op="Flatten", outputs=(flat,), attributes=axis),
        replace(node, inputs=(flat,), outputs=(result,), attributes={"axis": -1}),
        replace(node, op="Reshape", inputs=(result, shape), attributes={}),
    ]


def _resize(node: OnnxNode) -> Sequence[OnnxNode]:
    """Resize before opset 11, and Upsample, take the pixel `floor(y / scale)`."""
    if node.op == "Resize" and node.version >= 11:
        return [node]
    if len(node.inputs) != 2:
        raise node.error(f"expected an image and its scales, got {len(node.inputs)} inputs")
    modes = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    image, scales = node.inputs
    return [replace(node, op="Resize", inputs=(image, "", scales), attributes={**modes, **node.attributes})]


def _batch_normalization(node: OnnxNode) -> Sequence[OnnxNode]:
    """BatchNormalization before opset 9 could have a mean for each element, which nothing exports."""
    node.only("spatial", 1)
    return [node]


def _scan(node: OnnxNode) -> Sequence[OnnxNode]:
    """Scan of opset 8 has an axis of samples and lengths of sequences."""
    if node.version < 9:
        raise node.error("the Scan of opset 8 is not supported: export the model with opset 9 or newer")
    return [node]


_REWRITES: Mapping[str, Rewrite] = {
    "BatchNormalization": _batch_normalization,
    "LogSoftmax": _softmax,
    "Resize": _resize,
    "Scan": _scan,
    "Softmax": _softmax,
    "Upsample": _resize,
}
"""The functions that rewrite older definitions which differ in more than `MOVED`."""
