"""the types of a program's input and results, as text."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp


def write_shapes(module: ModuleOp) -> bytes:
    """The content of a file for a program."""
    from tinyml.extend.programs import predict_function

    return f"{predict_function(module).function_type}\n".encode()
