"""Import of modules on tensors that other tools write, in `linalg`, `stablehlo` and `tosa`, as functions of tdsl ops.

PyTorch's modules come by torch-mlir, JAX's functions by their own lowering or by IREE. A module is read as the graph of
a model, of which the importer of ONNX makes the program.
"""

from __future__ import annotations

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import ModuleOp

from tinyml.lowering.frontends.mlir.reader import Reader
from tinyml.lowering.frontends.mlir.text import parse_generic
from tinyml.lowering.frontends.onnx.importer import import_graph


def read_tensors(text: str, file: str) -> ModuleOp:
    """The module in a text as a module with one function on reals, named after the file.

    The text is MLIR's generic form. Its function `main`, or its only public one, takes one sample. Raises `InputError`
    with file, line and column of an op that is invalid or not supported, and `ParseError`.
    """
    return import_tensors(*parse_generic(text, file), file)


def import_tensors(module: ModuleOp, blobs: OpAsmDialectInterface, file: str) -> ModuleOp:
    """As `read_tensors`, of a parsed module. blobs: the constants that stand behind it."""
    return import_graph(Reader(module, blobs, file).graph(), file)
