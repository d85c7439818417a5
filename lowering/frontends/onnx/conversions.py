"""Inlining of the local functions of ONNX files by onnx's C++ code. The code does not validate its input, and therefore
runs in a child process.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError, squeeze
from tinyml.lowering.frontends.child_process import converted

if TYPE_CHECKING:
    from onnx import ModelProto

SECONDS = 120
"""The time limit in seconds for a file."""


def with_inlined_functions(content: bytes, file: str) -> bytes:
    """The bytes of a model with its local functions inlined. Raises `InputError` if onnx cannot inline them."""
    return converted(inline, content, library="onnx.inliner", seconds=SECONDS, file=file)


def inline(content: bytes) -> bytes:
    """Inline the local functions of a model. Return the bytes of the new file. Runs in a child process."""
    try:
        inlined: ModelProto = import_module("onnx.inliner").inline_local_functions(_parsed(content))
        return inlined.SerializeToString()
    # C++ code raises exceptions of several types.
    except Exception as error:
        raise InputError(f"its functions cannot be inlined: {squeeze(str(error))}") from error


def _parsed(content: bytes) -> ModelProto:
    model: Any = import_module("onnx").ModelProto()
    model.ParseFromString(content)
    return model
