"""The functions of a module that passes work on."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp


def defined_functions(module: ModuleOp) -> list[func.FuncOp]:
    """All functions with a body, in order; those that are only declared are functions of the runtime."""
    return [op for op in module.walk() if isinstance(op, func.FuncOp) and not op.is_declaration]
