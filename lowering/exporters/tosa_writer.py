"""Export of programs on 8-bit integers with scales and zero points as modules in TOSA 1.0."""

from __future__ import annotations

from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from tinyml.dialects.context import context
from tinyml.lowering.tdsl_to_tosa import LowerTdslToTosaPass


def write_tosa(module: ModuleOp) -> bytes:
    """Write a program as TOSA in MLIR's generic text. Raises `InputError` for ops that `lower-tdsl-to-tosa` rejects."""
    module = module.clone()
    LowerTdslToTosaPass().apply(context(), module)
    module.verify()
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return f"{stream.getvalue()}\n".encode()
