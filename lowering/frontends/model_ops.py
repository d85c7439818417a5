"""Ops in model files that other packages import, such as ops of a custom domain: ops of ONNX and operators of
TensorFlow Lite that tinyml does not support.

A package adds an op of ONNX by an entry point of the group `tinyml.onnx_ops`. The entry point has the name of the op,
preceded by the domain and a dot unless the domain is ONNX's. A package adds an operator of TensorFlow Lite by an entry
point of the group `tinyml.tflite_ops`. The entry point has the name of the custom operator's code. The value is an
`ImportOp` in both groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tinyml.dialects.plugins import ONNX_OPS as ONNX_GROUP
from tinyml.dialects.plugins import TFLITE_OPS as TFLITE_GROUP
from tinyml.dialects.plugins import Row
from tinyml.dialects.tables import Table
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder, Parameter


@dataclass(frozen=True, kw_only=True)
class ModelOp:
    """An op of a model file that a package imports.

    * name: for ONNX the op, preceded by its domain and a dot unless the domain is ONNX's; for TensorFlow Lite the code
      of a custom operator.
    * inputs: a value for a computed tensor, with axes in the order of the file; a `Parameter` for a constant; None for
      an omitted input.
    * attributes: the attributes of an ONNX node.
    * options: the options of a custom operator of TensorFlow Lite, as its bytes in the file.
    * types: the declared types of the outputs in TensorFlow Lite; empty for ONNX, whose files need not declare them.
    """

    name: str
    inputs: Sequence[SSAValue | Parameter | None]
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    options: bytes = b""
    types: Sequence[TensorType] = ()


ImportOp: TypeAlias = Callable[[ModelBuilder, ModelOp], Sequence[SSAValue]]
"""A function that appends the ops of a model's op to a builder and returns its outputs.

Raises `builder.error(...)` for an op that it cannot import.
"""


def _loaded(row: Row) -> ImportOp:
    append = row.load_function("imports an op")

    def checked(to: ModelBuilder, op: ModelOp) -> Sequence[SSAValue]:
        outputs = cast("Sequence[object]", row.expect(append(to, op), list, tuple))
        return [row.expect(output, SSAValue) for output in outputs]

    return checked


ONNX_OPS = Table(ONNX_GROUP, "op of ONNX", _loaded)
"""The ops of ONNX that packages import."""

TFLITE_OPS = Table(TFLITE_GROUP, "operator of TensorFlow Lite", _loaded)
"""The operators of TensorFlow Lite that packages import."""
