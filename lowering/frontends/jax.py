"""Import of a JAX function in memory, through JAX's lowering to StableHLO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.importer import read_tensors

LAMBDA = "<lambda>"
"""The name that Python assigns to anonymous functions."""


def import_jax(function: Any, example: object) -> ModuleOp:
    """Import a function on arrays with a leading sample axis. The imported function maps one sample, 1 x N
    features, to 1 x M scores.

    Arrays of the function's enclosing scope, such as weights, become constants. Raises `InputError` without an
    example, without JAX, for a function that JAX cannot trace, and as `read_tensors` does.

    example: an input array with a sample axis, or a tuple of arrays for several inputs. Only the first sample is
        used.
    """
    name = str(getattr(function, "__name__", type(function).__name__))
    name = "model" if name == LAMBDA else name
    if example is None:
        raise InputError("a function of JAX needs an input of the right shape: load(function, example=x)", file=name)
    try:
        traced = _jitted(function, name).lower(*_arguments(example))
        text = traced.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"JAX cannot trace the function: {_first_line(error)}", file=name) from error
    return read_tensors(text, name)


def _jitted(function: Callable[..., Any], name: str) -> Any:
    if callable(getattr(function, "lower", None)):
        return function
    try:
        return import_module("jax").jit(function)
    except ImportError as error:
        raise InputError("functions are traced by JAX: pip install jax", file=name) from error


def _arguments(example: object) -> tuple[Any, ...]:
    inputs = cast("Sequence[Any]", example) if isinstance(example, tuple) else (example,)
    return tuple(np.asarray(array)[:1].astype(np.float32) for array in inputs)


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
