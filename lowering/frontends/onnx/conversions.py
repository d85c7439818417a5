"""Conversions of ONNX files by onnx's own C++ code, in a child process, since it trusts its input."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError, squeeze
from tinyml.lowering.frontends.child_process import converted

if TYPE_CHECKING:
    from onnx import ModelProto

SECONDS = 120
"""Time limit in s for a file."""


def with_inlined_functions(content: bytes, file: str) -> bytes:
    """A model without local functions; raises `InputError` if onnx cannot inline them."""
    return converted(inline, content, library="onnx.inliner", seconds=SECONDS, file=file)


def with_opset(content: bytes, file: str, opset: int) -> bytes:
    """A model of another opset; raises `InputError` if onnx cannot convert it."""
    return converted(convert, content, str(opset), library="onnx.version_converter", seconds=SECONDS, file=file)


def inline(content: bytes) -> bytes:
    """The content of a file whose functions are inlined; called in a child process."""
    try:
        return _message(import_module("onnx.inliner").inline_local_functions(_parsed(content)))
    # C++ code raises exceptions of several types.
    except Exception as error:
        raise InputError(f"its functions cannot be inlined: {squeeze(str(error))}") from error


def convert(content: bytes, opset: str) -> bytes:
    """The content of a file converted to another opset; called in a child process."""
    try:
        return _message(import_module("onnx.version_converter").convert_version(_parsed(content), int(opset)))
    except Exception as error:
        raise InputError(f"onnx cannot convert it to opset {opset}: {squeeze(str(error))}") from error


def _parsed(content: bytes) -> ModelProto:
    model: Any = import_module("onnx").ModelProto()
    model.ParseFromString(content)
    return model


def _message(model: ModelProto) -> bytes:
    return model.SerializeToString()
