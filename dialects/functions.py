"""The functions of a module that passes work on."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp


def defined_functions(module: ModuleOp) -> list[func.FuncOp]:
    """All functions with a body, in order, those of inner modules as well.

    Functions that are only declared are functions of the runtime.
    """
    functions: list[func.FuncOp] = []
    # Bodies hold no functions, and passes ask often.
    for op in module.ops:
        if isinstance(op, func.FuncOp) and not op.is_declaration:
            functions.append(op)
        elif isinstance(op, ModuleOp):
            functions += defined_functions(op)
    return functions
