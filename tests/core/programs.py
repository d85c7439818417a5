"""Compile the programs whose C must be equal with and without extensions, by the Python that runs this file.

python programs.py FOLDER        writes NAME.c and NAME.h of every program
python programs.py FOLDER NAME   writes the files of one program
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

TDSL = """
func.func @mixed(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %w = tdsl.const dense<[[0.5, -0.25, 1.0], [0.125, 0.75, -1.5], [-0.5, 0.25, 0.0], [1.25, -1.0, 0.5]]>
      : tensor<4x3xf32> -> tensor<4x3xf32>
  %s = tdsl.matmul %x, %w : tensor<1x4xf32>, tensor<4x3xf32> -> tensor<1x3xf32>
  %r = tdsl.relu %s : tensor<1x3xf32> -> tensor<1x3xf32>
  %e = tdsl.tanh %s : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.add %r, %e : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
"""
"""A module by hand, for `tinyml-opt`."""

BRANCHES = """
func.func @branches(%x: tensor<1x8xf32>) -> tensor<1x4xf32> {
  %v = tdsl.const dense<0.1> : tensor<8x64xf32> -> tensor<8x64xf32>
  %w = tdsl.const dense<0.2> : tensor<64x4xf32> -> tensor<64x4xf32>
  %m = tdsl.relu %x : tensor<1x8xf32> -> tensor<1x8xf32>
  %a = tdsl.matmul %x, %v : tensor<1x8xf32>, tensor<8x64xf32> -> tensor<1x64xf32>
  %b = tdsl.matmul %m, %v : tensor<1x8xf32>, tensor<8x64xf32> -> tensor<1x64xf32>
  %c = tdsl.tanh %a : tensor<1x64xf32> -> tensor<1x64xf32>
  %d = tdsl.sigmoid %b : tensor<1x64xf32> -> tensor<1x64xf32>
  %e = tdsl.matmul %c, %w : tensor<1x64xf32>, tensor<64x4xf32> -> tensor<1x4xf32>
  %f = tdsl.matmul %d, %w : tensor<1x64xf32>, tensor<64x4xf32> -> tensor<1x4xf32>
  %y = tdsl.add %e, %f : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}
"""
"""A module with two branches, which need less memory one after the other."""


def _estimator(kind: str, board: str, folder: Path, **options: Any) -> None:
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    import tinyml

    random = np.random.default_rng(5)
    x = random.normal(size=(120, 6))
    y = (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int) + (x[:, 3] > 1)
    made: Any = LogisticRegression() if kind == "linear" else RandomForestClassifier(5, max_depth=4, random_state=3)
    chosen: dict[str, Any] = {"format": "fixed", "width": 8, **options}
    _keep(tinyml.compile(made.fit(x, y), x, y, board=board, **chosen), folder)


def _file(model: str, board: str, folder: Path, format: str = "fixed") -> None:
    import numpy as np

    import tinyml

    loaded = tinyml.load(ROOT / model)
    x = np.random.default_rng(7).normal(size=(8, loaded.features)).astype("float32")
    _keep(tinyml.compile(loaded, x, board=board, **({"format": format, "width": 8} if format else {})), folder)


def _keep(program: object, folder: Path) -> None:
    """Copy the C files and headers of a compiled program to a folder."""
    made: Path = getattr(program, "folder")  # noqa: B009
    for file in sorted(made.glob("*.[ch]")):
        (folder / file.name).write_bytes(file.read_bytes())


def _by_hand(text: str, features: int, options: str, folder: Path) -> None:
    import numpy as np

    from tinyml.tools.tinyml_opt import main

    module, data = folder / "model.mlir", folder / "val.npz"
    module.write_text(text)
    np.savez(data, x=np.random.default_rng(9).normal(size=(20, features)))
    passes = f"reals-to-c{{data={data} {options}}}"
    sys.argv = ["tinyml-opt", str(module), "-p", passes, "-t", "c", "-o", str(folder / "model.c")]
    main()


PROGRAMS: dict[str, Callable[[Path], None]] = {
    "linear-uno": lambda folder: _estimator("linear", "uno", folder),
    "forest-m4": lambda folder: _estimator("forest", "cortex-m4", folder),
    "onnx-uno": lambda folder: _file("tests/models/pytorch/accelerometer-script.onnx", "uno", folder),
    "onnx-m4": lambda folder: _file("tests/models/pytorch/accelerometer-script.onnx", "cortex-m4", folder),
    "tdsl-m4": lambda folder: _by_hand(TDSL, 4, "target=cortex-m4", folder),
    "branches-uno": lambda folder: _by_hand(BRANCHES, 8, "target=uno width=8", folder),
    "attention-m4": lambda folder: _file("tests/models/attention/block-pytorch.onnx", "cortex-m4", folder),
}

RETURNING: dict[str, tuple[tuple[str, ...], Callable[[Path], None]]] = {
    "tflite-m4": (
        ("TensorFlow Lite",),
        lambda folder: _file("tests/models/keras/gru-of-one-int8.tflite", "cortex-m4", folder, ""),
    ),
    "posit-uno": (
        ("posits and published formats",),
        lambda folder: _estimator("linear", "uno", folder, format="posit"),
    ),
    "codebook-uno": (
        ("small formats",),
        lambda folder: _estimator("linear", "uno", folder, weights="codebook:4"),
    ),
}
"""Programs of extensions that are out, each with the extensions that have to be put back."""


def main(folder: str, *names: str) -> None:
    known = PROGRAMS | {name: make for name, (_, make) in RETURNING.items()}
    for name in names or PROGRAMS:
        (place := Path(folder, name)).mkdir(parents=True)
        known[name](place)


if __name__ == "__main__":
    main(*sys.argv[1:])
