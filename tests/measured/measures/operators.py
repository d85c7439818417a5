"""The operators of one kind in a file of TensorFlow Lite on a board."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

from tinyml.dialects import tdsl
from tinyml.dialects.locations import layers_of
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.tools.main import main as tinyml


def of_operators(model: Path, kind: str, options: list[str]) -> dict[str, Any]:
    """The products and instructions of all operators of a kind in an inference, as `tinyml open --text` counts them.

    kind: the name of the operators in TensorFlow Lite.
    options: options of `tinyml compile`.
    """
    printed, within = io.StringIO(), f"({kind},"
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
            assert tinyml(["compile", str(model), *options, "-o", folder, "--force"]) == 0, said.getvalue()
            with contextlib.redirect_stdout(printed):
                assert tinyml(["open", folder, "--json"]) == 0, said.getvalue()
        stream = json.loads((Path(folder) / "report.json").read_text())["stream"]
    operations = json.loads(printed.getvalue())["operations"]
    ops = (op for op in read_tflite(model.read_bytes(), model.name).walk() if isinstance(op, tdsl.TensorOp))
    products = sum(op.macs for op in ops if any(within in layer for layer in layers_of(op)))
    return {
        "macs": products * (stream["steps"] if stream else 1),
        "time": sum(each["instructions"] for each in operations if within in (each["layer"] or "")),
    }
