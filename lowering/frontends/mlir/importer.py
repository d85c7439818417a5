"""Import of tensor modules from other tools (`linalg`, `stablehlo` and `tosa`) as functions of `tdsl` ops.

PyTorch models are exported by torch-mlir, JAX functions by JAX's own lowering or IREE. The module is converted to a
model graph, which the ONNX importer converts to a program.
"""

from __future__ import annotations

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import ModuleOp

from tinyml.lowering.frontends.mlir.reader import Reader
from tinyml.lowering.frontends.mlir.text import parse_generic
from tinyml.lowering.frontends.onnx.importer import import_graph


def read_tensors(text: str, file: str) -> ModuleOp:
    """Parse an MLIR module on tensors and import it as a module with one function on reals, which is named after the
    file.

    The text is MLIR's generic form. The module's function `main`, or its only public function, accepts one sample.
    Raises `InputError`, with file, line and column, for an op that is invalid or not supported, and `ParseError` for
    malformed text.
    """
    return import_tensors(*parse_generic(text, file), file)


def import_tensors(module: ModuleOp, blobs: OpAsmDialectInterface, file: str) -> ModuleOp:
    """Import a parsed module, as `read_tensors` does.

    blobs: the resources that follow the module in the text.
    """
    return import_graph(Reader(module, blobs, file).graph(), file)
