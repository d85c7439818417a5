"""Writers of programs as files that other tools read, and the table of them by the names that `tinyml export` takes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp

Exporter: TypeAlias = Callable[[ModuleOp], bytes]
"""A function from a program to the content of a file. Raises `InputError` for what the file cannot represent."""

EXPORTERS = {"onnx": "exporters.onnx_writer:write_onnx", "tosa": "exporters.tosa_writer:write_tosa"}


def exporter(name: str) -> Exporter:
    """The writer of a name, imported on first use."""
    module, _, function = EXPORTERS[name].partition(":")
    return getattr(import_module(f"tinyml.lowering.{module}"), function)
