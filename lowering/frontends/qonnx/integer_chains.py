"""Quantisers that a file of integers writes as Mul, Add, Div and Clip, as NEMO and QuantLib export them. Each becomes a
RequantShift.

The file types its tensors as integers, so that the constants are integers and Div drops the remainder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.reader import constant_node
from tinyml.lowering.frontends.onnx.tensors import ELEMENTS
from tinyml.lowering.frontends.qonnx.integer_formats import MAX_BITS
from tinyml.lowering.frontends.qonnx.node_rewriter import NodeRewriter
from tinyml.lowering.frontends.qonnx.shifts import GREATEST_PARAMETER, SHIFT

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDE = ("int32", "int64")
"""The element types to which sums are cast without a change."""


class IntegerChains(NodeRewriter):
    """Replaces each Clip to [0, high] of a quotient of integers by a power of two by a RequantShift."""

    def rewrite(self, node: OnnxNode) -> Sequence[OnnxNode]:
        high = self.limit(node)
        # A quotient that is rounded down and one that is truncated differ below 0 only.
        quotient = None if high is None else self.with_constant(self.before(node.inputs[0], "Floor"), "Div")
        if high is None or quotient is None:
            return [node]
        x, divisors = quotient
        divisor = int(divisors.flat[0])
        if (divisors != divisor).any() or not 0 < divisor <= GREATEST_PARAMETER or divisor & divisor - 1:
            return [node]
        x, addends = self.with_constant(x, "Add") or (x, np.zeros(1, np.int64))
        x, factors = self.with_constant(x, "Mul") or (x, np.ones(1, np.int64))
        # RequantShift adds half of the divisor.
        numbers = {"mul": factors, "add": np.asarray(addends.astype(np.int64) - divisor // 2)}
        constants = [constant_node(node, name, array) for name, array in numbers.items()]
        attributes = {"div": divisor, "n_levels": high + 1, "signed": 0}
        inputs = (x, *(constant.outputs[0] for constant in constants))
        return [*constants, replace(node, op=SHIFT, domain=self.domain, inputs=inputs, attributes=attributes)]

    def limit(self, node: OnnxNode) -> int | None:
        if node.op != "Clip" or node.domain or len(node.inputs) < 3:
            return None
        limits = [self.constants.get(name) for name in node.inputs[1:3]]
        low, high = (float(limit.item()) if limit is not None and limit.size == 1 else np.nan for limit in limits)
        return int(high) if low == 0 and high == np.rint(high) and 1 <= high < 1 << MAX_BITS else None

    def before(self, name: str, *ops: str) -> str:
        while (node := self.producers.get(name)) is not None:
            cast = node.op == "Cast" and ELEMENTS.get(node.integer("to")) in WIDE
            if not cast and node.op not in ops:
                break
            name = node.inputs[0]
        return name

    def with_constant(self, name: str, op: str) -> tuple[str, NDArray[Any]] | None:
        node = self.producers.get(name)
        if node is None or node.op != op:
            return None
        pairs = [node.inputs] if op == "Div" else [node.inputs, node.inputs[::-1]]
        for x, other in pairs:
            array = self.constants.get(other)
            if array is not None and array.dtype.kind in "iu" and array.size and x not in self.constants:
                return self.before(x), array
        return None
