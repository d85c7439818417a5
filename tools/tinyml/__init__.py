"""tinyml compiles trained models of some kilobytes into C for microcontrollers.

    import tinyml

    model = tinyml.load("model.onnx")
    program = tinyml.compile(model, X_val, y_val, board="uno")
    program.save("out")

This module loads its names on first use, so that importing a part of tinyml imports nothing else.
"""

from __future__ import annotations

from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tinyml.tools.api.public import (
        CompileWarning,
        Design,
        DesignedProgram,
        Explanation,
        FunctionReport,
        Heard,
        InputError,
        Measurements,
        Model,
        Program,
        RamBytes,
        Report,
        SweepRow,
        Word,
        __version__,
        compile,
        design,
        finetune,
        load,
        open,
        sweep,
        torch_layer,
    )

__all__ = [
    "CompileWarning",
    "Design",
    "DesignedProgram",
    "Explanation",
    "FunctionReport",
    "Heard",
    "InputError",
    "Measurements",
    "Model",
    "Program",
    "RamBytes",
    "Report",
    "SweepRow",
    "Word",
    "__version__",
    "compile",
    "design",
    "finetune",
    "load",
    "open",
    "sweep",
    "torch_layer",
]

# Other packages may extend the namespace.
__path__ = extend_path(__path__, __name__)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'tinyml' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module("tinyml.tools.api.public"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
