"""Comparison of the integers at the quantisers of an imported network with those of another program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import identifier
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, in_reals


def differences(file: str, expected: Mapping[str, NDArray[Any]]) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each quantiser, the number of its integers that differ, and the number of all its integers.

    The name `y` stands for the outputs. These are reals and count as different if they are not close.

    expected: inputs `x`, the integers by the names of the quantisers' results, and the outputs `y`.
    """
    module = read_onnx(Path(file).read_bytes(), file)
    hints = {name: identifier(name) or f"levels{name}" for name in expected if name not in ("x", "y")}
    names = {SSAValue.extract_valid_name(hint): name for name, hint in hints.items()}
    assert len(names) == len(hints)
    found: dict[str, list[NDArray[Any]]] = {}

    def observe(value: SSAValue, raws: Any) -> None:
        if (name := names.get(value.name_hint or "")) is not None:
            shape = shape_of(value)
            numbers = np.asarray(raws).reshape(-1, *shape)
            if shape != expected[name].shape[1:]:
                # Programs store images with their channels last.
                numbers = np.moveaxis(numbers, -1, 2)
            found.setdefault(name, []).append(numbers)

    x = expected["x"]
    raws = encode_inputs(module, np.ascontiguousarray(x.reshape(len(x), -1)))
    outputs = in_reals(module, evaluate(module, raws, observe=observe))
    for name in names.values():
        # The first quantiser determines the format of the argument.
        found.setdefault(name, [raws])
        integers = np.concatenate(found[name]).reshape(expected[name].shape)
        yield name, int((integers != expected[name]).sum()), integers.size
    y = expected["y"].reshape(len(x), -1)
    assert outputs.scores is not None
    yield "y", int((~np.isclose(outputs.scores.reshape(y.shape), y, rtol=1e-5, atol=1e-5)).sum()), y.size
