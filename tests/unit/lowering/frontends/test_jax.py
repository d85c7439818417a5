"""The import of JAX functions, tested with text that JAX wrote for a network in `tests/models/mlir`; `make bridges`
tests it with JAX.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tinyml
from tinyml.dialects.errors import InputError

MODELS = Path(__file__).parents[3] / "models" / "mlir"


class Function:
    """A substitute for the result of `jax.jit`, with the methods that the importer calls."""

    __name__ = "digits"

    def __init__(self) -> None:
        self.given: list[Any] = []

    def lower(self, *arguments: Any) -> Any:
        self.given += arguments
        module = SimpleNamespace(operation=SimpleNamespace(get_asm=self.get_asm))
        return SimpleNamespace(compiler_ir={"stablehlo": module}.__getitem__)

    def get_asm(self, *, print_generic_op_form: bool) -> str:
        assert print_generic_op_form
        return (MODELS / "mlp-jax.mlir").read_text()


@pytest.mark.long
def test_a_function_is_lowered_for_one_sample():
    function, expected = Function(), np.load(MODELS / "expected.npz")
    model = tinyml.load(function, example=expected["images"] / 16)
    assert model.name == "digits"
    [given] = function.given
    assert given.shape == (1, 64)
    assert given.dtype == np.float32
    program = tinyml.compile(function, expected["images"] / 16, expected["labels"], board="host", width=16)
    assert program.score(expected["images"] / 16, expected["labels"]) == 0.98


def test_a_function_needs_an_example():
    with pytest.raises(InputError, match=r"digits: a function of JAX needs an input .* load\(function, example=x\)"):
        tinyml.load(Function())


def test_what_jax_cannot_trace_is_one_line():
    function = Function()
    function.lower = lambda *_: (_ for _ in ()).throw(TypeError("dot_general needs equal extents\nof what it sums"))
    with pytest.raises(InputError, match=r"digits: JAX cannot trace the function: dot_general needs equal extents$"):
        tinyml.load(function, example=np.zeros((1, 4)))
