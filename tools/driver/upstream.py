"""Programs in upstream dialects.

A program on buffers (L2) becomes a module in MLIR's dialects, with the C functions that the module calls. A hardware
module becomes a module in CIRCT's dialects.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tinyml.dialects.context import context
from tinyml.dialects.functions import defined_functions
from tinyml.lowering import pipelines
from tinyml.lowering.rtl_to_circt import LowerRtlToCirctPass
from tinyml.runtime.model.upstream_functions import upstream_functions
from tinyml.tools.cli.ir_printer import IRPrinter
from tinyml.transforms.ir.pipeline_names import BUFFERS_TO_UPSTREAM

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.tools.driver.program_in_folder import ProgramInFolder


def upstream_files(buffers: ModuleOp, options: Mapping[str, Any] | None = None) -> Mapping[str, str]:
    """Generate the files `NAME.mlir`, in the generic form, and `NAME_runtime.c` of a program at L2. Return their texts
    by name.

    buffers: the program, which is unchanged.
    options: the options of the pipeline.

    Raises `InputError` for a program that upstream dialects cannot represent.
    """
    module = buffers.clone()
    [function] = defined_functions(module)
    name = function.sym_name.data
    pipelines.run(module, context(), pipelines.flatten(BUFFERS_TO_UPSTREAM, options or {}))
    text = io.StringIO()
    IRPrinter(text, print_generic_format=True).print_op(module)
    return {f"{name}.mlir": f"{text.getvalue()}\n", f"{name}_runtime.c": upstream_functions(module, name)}


def llvm_files(program: ProgramInFolder) -> Mapping[str, bytes]:
    """The contents of the files that `--device llvm` builds, by name. A module in MLIR replaces the C file."""
    files = {name: content for name, content in program.files.items() if name != f"{program.name}.c"}
    return files | {name: text.encode() for name, text in upstream_files(program.buffers).items()}


def circt_files(program: ProgramInFolder) -> Mapping[str, bytes]:
    """The contents of the files that `--device circt` builds, by name: the usual files and the hardware module."""
    if program.hardware is None:
        return program.files
    return {**program.files, f"{program.name}.mlir": circt_text(program.hardware).encode()}


def circt_text(hardware: ModuleOp) -> str:
    """The text of hardware modules in CIRCT's dialects, in the generic form that CIRCT accepts; the module is
    unchanged.
    """
    module = hardware.clone()
    pipelines.run(module, context(), [LowerRtlToCirctPass()])
    text = io.StringIO()
    printer = IRPrinter(text, print_generic_format=True, print_properties_as_attributes=True, print_debuginfo=True)
    printer.print_op(module)
    return f"{text.getvalue()}\n"
