"""Import of operators that copy elements of a tensor: TILE, BROADCAST_TO and MIRROR_PAD."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.lowering.frontends.layers.margins import copied, mirrored
from tinyml.lowering.frontends.tflite.builder import GraphBuilder
from tinyml.lowering.frontends.tflite.model import Operator
from tinyml.lowering.frontends.tflite.operands import input_of, integers_of


def tile(to: GraphBuilder, op: Operator) -> None:
    """Import TILE: copies of a tensor concatenated along each axis."""
    x, counts = input_of(op, 0), integers_of(op, 1, "the number of copies")
    if len(counts) != len(x.shape) or min(counts, default=1) < 1:
        raise VerifyException(f"{counts} copies of a tensor of rank {len(x.shape)}")
    to.define(op.outputs[0], copied(to, to.value(x), counts))


def broadcast_to(to: GraphBuilder, op: Operator) -> None:
    """Import BROADCAST_TO: copies of a tensor along the axes on which it has extent 1."""
    x, output = input_of(op, 0), op.outputs[0]
    if len(x.shape) > len(output.shape):
        raise VerifyException(f"{x.shape} does not broadcast to {output.shape}")
    value = to.reshape(to.value(x), [1] * (len(output.shape) - len(x.shape)) + [*x.shape])
    extents = [*zip(tdsl.shape_of(value), output.shape, strict=True)]
    if any(extent not in (1, count) for extent, count in extents):
        raise VerifyException(f"{x.shape} does not broadcast to {output.shape}")
    to.define(output, copied(to, value, [count // extent for extent, count in extents]))


def mirror_pad(to: GraphBuilder, op: Operator) -> None:
    """Import MIRROR_PAD, whose padding mirrors the adjacent elements. The mode REFLECT excludes the outermost
    element.
    """
    x = input_of(op, 0)
    edges, value = integers_of(op, 1, "the padding"), to.value(x)
    inner = 1 if op.options["mode"] == 0 else 0
    if len(edges) != 2 * len(x.shape):
        raise VerifyException(f"padding {edges} of a tensor of rank {len(x.shape)}")
    for axis, (before, after) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        value = mirrored(to, value, axis, before, after, inner)
    to.define(op.outputs[0], value)
