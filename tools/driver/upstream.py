"""A program in upstream dialects of MLIR, from its buffers (L2), and the C that it calls."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tinyml.dialects.context import context
from tinyml.dialects.functions import defined_functions
from tinyml.lowering import pipelines
from tinyml.runtime.model.upstream_functions import upstream_functions
from tinyml.tools.cli.ir_printer import IRPrinter
from tinyml.transforms.search.costs.pipelines_below import BUFFERS_TO_UPSTREAM

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


def upstream_files(buffers: ModuleOp, options: Mapping[str, Any] | None = None) -> Mapping[str, str]:
    """`NAME.mlir`, in the generic form, and `NAME_runtime.c` of a program at L2, whose module is left as it is.

    options: of the pipeline. Raises `InputError` for a program that has no such form.
    """
    module = buffers.clone()
    [function] = defined_functions(module)
    name = function.sym_name.data
    pipelines.run(module, context(), pipelines.flatten(BUFFERS_TO_UPSTREAM, options or {}))
    text = io.StringIO()
    IRPrinter(text, print_generic_format=True).print_op(module)
    return {f"{name}.mlir": f"{text.getvalue()}\n", f"{name}_runtime.c": upstream_functions(module, name)}
