"""Merging of quantisers: each quantiser that a file stores as several nodes becomes one node. The nodes in the file are
QuantizeLinear, Clip and DequantizeLinear (QCDQ), or Round and Clip, as in files of DeepQuant.

QuantizeLinear and DequantizeLinear have 8 bits; Clip limits the integers to fewer bits. An integer constant has no
QuantizeLinear, and often no Clip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.reader import constant_node
from tinyml.lowering.frontends.qonnx.node_rewriter import NodeRewriter

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUANTISED, INTEGERS = "QCDQ", "Integers"
"""Ops that replace a quantiser of computed numbers and a constant of integers.

Their inputs are the numbers and the scales. The attributes `low` and `high` are the range of the integers, from which
`zero` is subtracted; scales apply along `axis`.
"""


class QuantiserNodes(NodeRewriter):
    """Replaces the nodes of each quantiser by one node."""

    def rewrite(self, node: OnnxNode) -> Sequence[OnnxNode]:
        if node.op == "Clip" and not node.domain and (rounded := self.producers.get(node.inputs[0])) is not None:
            low, high = (self.limit(node, position, end) for position, end in ((1, -np.inf), (2, np.inf)))
            if rounded.op == "Round" and np.isfinite((low, high)).all():
                scale = constant_node(node, f"{node.outputs[0]}:scale", np.ones((), np.float32))
                attributes = {"low": math.ceil(low), "high": math.floor(high), "axis": 0}
                inputs = rounded.inputs[0], scale.outputs[0]
                return scale, replace(node, op=QUANTISED, domain=self.domain, inputs=inputs, attributes=attributes)
        return [self.dequantised(node)]

    def dequantised(self, node: OnnxNode) -> OnnxNode:
        if node.op != "DequantizeLinear" or node.domain or len(node.inputs) < 2:
            return node
        source, low, high = node.inputs[0], -np.inf, np.inf
        if (clip := self.producers.get(source)) is not None and clip.op == "Clip":
            source = clip.inputs[0]
            low, high = (self.limit(clip, position, end) for position, end in ((1, low), (2, high)))
        quantise = self.producers.get(source)
        if quantise is not None and quantise.op == "QuantizeLinear":
            self.check_equal(node, quantise)
            zero = self.number(quantise, 2)
            kind = np.uint8 if zero is None else zero.dtype
            source, op = quantise.inputs[0], QUANTISED
        elif (raws := self.constants.get(source)) is not None and raws.dtype.kind in "iu":
            kind, op = raws.dtype, INTEGERS
        else:
            return node
        zero = self.number(node, 2)
        if np.dtype(kind).kind not in "iu" or (zero is not None and not zero.size):
            raise node.error("its zero point must be an integer")
        limits = np.iinfo(kind)
        point = 0 if zero is None else int(zero.flat[0])
        if zero is not None and (zero != point).any():
            raise node.error("several zero points are not supported")
        attributes = {
            "low": int(max(low, limits.min)) - point,
            "high": int(min(high, limits.max)) - point,
            "zero": point,
            "axis": node.integer("axis", 1),
        }
        return replace(node, op=op, domain=self.domain, inputs=(source, node.inputs[1]), attributes=attributes)

    def number(self, node: OnnxNode, position: int) -> NDArray[Any] | None:
        name = node.inputs[position] if position < len(node.inputs) else ""
        while name not in self.constants and (cast := self.producers.get(name)) is not None and cast.op == "Cast":
            name = cast.inputs[0]
        if name and name not in self.constants:
            raise node.error(f"its input '{name}' must be a constant")
        return self.constants[name] if name else None

    def limit(self, clip: OnnxNode, position: int, otherwise: float) -> float:
        number = self.number(clip, position)
        if number is not None and (number.size != 1 or np.isnan(number).any()):
            raise clip.error("its limits must be numbers")
        return otherwise if number is None else float(number.item())

    def check_equal(self, node: OnnxNode, quantise: OnnxNode) -> None:
        for position in (1, 2):
            a, b = self.number(quantise, position), self.number(node, position)
            if (a is None) != (b is None) or (a is not None and b is not None and not np.array_equal(a, b)):
                raise node.error("its scale or zero point differs from that of its QuantizeLinear")
