"""Compare the outputs of integer networks with the outputs that are stored beside them, as in Deeploy's repository.

`stored.py FILE ...` reads two files from the folder of each ONNX file: `inputs.npz`, with an array for each input, and
`outputs.npz`. It prints a line for each file and the numbers of equal, different and rejected networks.
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, in_reals

onnx: Any = import_module("onnx")


def compared(file: Path) -> tuple[str, str]:
    """Compare the outputs of a network with its stored outputs; return a verdict and a line of text about it.

    The verdict is `equal`, `different`, or `rejected` for a network that cannot be imported.
    """
    try:
        module = read_onnx(file.read_bytes(), str(file))
    except InputError as error:
        return "rejected", error.message
    graph = onnx.load(file).graph
    count = len({each.name for each in graph.input} - {each.name for each in graph.initializer})
    given, stored = (np.load(file.parent / name) for name in ("inputs.npz", "outputs.npz"))
    x = np.concatenate([given[name].ravel() for name in given.files[:count]]).astype(np.float64)[None]
    scores = in_reals(module, evaluate(module, encode_inputs(module, x))).scores
    assert scores is not None
    y = stored[stored.files[0]].ravel()
    wrong = int((scores.ravel() != y).sum())
    return "different" if wrong else "equal", f"{wrong} of {y.size} outputs differ"


def main(files: list[str]) -> int:
    results: Counter[str] = Counter()
    for file in files:
        result, line = compared(Path(file))
        results[result] += 1
        print(f"{file}: {line}", flush=True)
    print(", ".join(f"{number} {result}" for result, number in results.items()))
    return int(results["different"] > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
