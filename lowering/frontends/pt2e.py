"""Import of networks that PyTorch quantised by PT2E (`prepare_pt2e` and `convert_pt2e` of torchao).

`torch.onnx.export` has no translation for the ops of `torch.ops.quantized_decomposed`. This module translates them to
QuantizeLinear and DequantizeLinear. PyTorch rounds halves to even, which the metadata of the ONNX model records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.formats import EVEN, ROUNDING

QUANTISED = "quantized_decomposed"
"""The namespace of PT2E's ops."""

OPSET = 21

_ELEMENTS = {3: (-128, 127), 2: (0, 255), 5: (-(1 << 15), (1 << 15) - 1), 6: (-(1 << 31), (1 << 31) - 1)}
"""The least and the greatest raw of each type, which ONNX numbers."""


def is_graph(source: Any) -> bool:
    """Whether `source` is an exported program, or a module with a graph of ops, such as a result of `convert_pt2e`."""
    return is_program(source) or _has_class(source, "GraphModule")


def is_program(source: Any) -> bool:
    """Whether `source` is an exported program, the result of `torch.export.export`."""
    return _has_class(source, "ExportedProgram")


def _has_class(source: Any, name: str) -> bool:
    return any(kind.__name__ == name for kind in type(source).__mro__)


def check_static(source: Any, name: str) -> None:
    """Raise `InputError` for a network `source` with dynamic quantisation, whose scales are computed at run time."""
    if dynamic := next((op for op in _ops(source) if "choose_qparams" in op), None):
        raise InputError(f"{dynamic} computes scales at run time: only static quantisation is supported", file=name)


def quantised_onnx(source: Any, arguments: tuple[Any, ...], name: str) -> bytes:
    """The ONNX model of `source`, an exported program or a module with a graph, with PT2E's ops as QuantizeLinear and
    DequantizeLinear.

    Raises `InputError` as `check_static` does.
    """
    torch = import_module("torch")
    check_static(source, name)
    program = source if is_program(source) else torch.export.export(source, arguments)
    exported = torch.onnx.export(
        program, arguments, dynamo=True, verbose=False, custom_translation_table=_table(torch), opset_version=OPSET
    )
    model = exported.model_proto
    if any(op.startswith(QUANTISED) for op in _ops(source)):
        model.metadata_props.add(key=ROUNDING, value=EVEN)
    return model.SerializeToString()


def _ops(source: Any) -> Sequence[str]:
    return [str(node.target) for node in source.graph.nodes if node.op == "call_function"]


def _table(torch: Any) -> dict[Any, Callable[..., Any]]:
    """For each op of PT2E, the function by which `torch.onnx.export` translates it."""
    op = getattr(import_module("onnxscript"), f"opset{OPSET}")

    def constant(number: float) -> Any:
        return op.Constant(value_float=number)

    def raw(zero_point: int, low: int, high: int) -> Any:
        return op.Cast(op.Constant(value_int=zero_point), to=_element(low, high))

    def quantize(x: Any, scale: float, zero_point: int, low: int, high: int, dtype: Any = None) -> Any:
        if not _is_whole(low, high):
            x = op.Clip(x, constant((low - zero_point) * scale), constant((high - zero_point) * scale))
        return op.QuantizeLinear(x, constant(scale), raw(zero_point, low, high))

    def dequantize(x: Any, scale: float, zero_point: int, low: int, high: int, dtype: Any = None, **_: Any) -> Any:
        return op.DequantizeLinear(x, constant(scale), raw(zero_point, low, high))

    def rows(x: Any, scales: Any, zeros: Any, axis: int, low: int, high: int, dtype: Any = None, **_: Any) -> Any:
        return op.DequantizeLinear(x, op.Cast(scales, to=1), op.Cast(zeros, to=_element(low, high)), axis=axis)

    ops = getattr(torch.ops, QUANTISED)
    return {
        ops.quantize_per_tensor.default: quantize,
        ops.dequantize_per_tensor.default: dequantize,
        ops.dequantize_per_channel.default: rows,
    }


def _element(low: int, high: int) -> int:
    return next(number for number, (first, last) in _ELEMENTS.items() if first <= low and high <= last)


def _is_whole(low: int, high: int) -> bool:
    return (low, high) in _ELEMENTS.values()
