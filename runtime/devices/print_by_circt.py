"""A script that prints a hardware module of CIRCT's dialects as SystemVerilog: `python FILE NAME.mlir NAME.sv`.

The script runs in a separate process because `circt` may crash on a module. It imports only PyPI's `circt`.
"""

from __future__ import annotations

import io
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PASSES = (
    "canonicalize",
    "lower-seq-firmem",
    "lower-seq-to-sv{disable-reg-randomization=1}",
    "hw-memory-sim{disable-mem-randomization=1 disable-reg-randomization=1}",
    "hw.module(hw-legalize-modules)",
)
"""CIRCT's passes to `sv`; tables become case statements, which every synthesis tool reads."""

OPTIONS = "disallowPackedArrays,disallowLocalVariables,locationInfoStyle=none"
"""The printing options of the SystemVerilog."""


def main(source: str, file: str) -> None:
    """Print the module in the file `source` as SystemVerilog to `file`. Raises CIRCT's error for a module that CIRCT
    rejects.
    """
    circt: Any = import_module("circt")
    ir: Any = import_module("circt.ir")
    passmanager: Any = import_module("circt.passmanager")
    with ir.Context() as context:
        circt.register_dialects(context)
        module = ir.Module.parse(Path(source).read_text("utf-8"))
        module.operation.attributes["circt.loweringOptions"] = ir.StringAttr.get(OPTIONS)
        passmanager.PassManager.parse(f"builtin.module({','.join(PASSES)})").run(module.operation)
        text = io.StringIO()
        circt.export_verilog(module, text)
    Path(file).write_text(text.getvalue(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
