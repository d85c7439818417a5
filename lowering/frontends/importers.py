"""The table of frontends: an importer for each suffix of model files.

A package adds its own frontends by entry points of the group `tinyml.frontends`. The name of an entry point is the
suffix without its dot; the value is an `Importer`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.plugins import FRONTENDS as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

Importer: TypeAlias = "Callable[[bytes, str], ModuleOp]"
"""A function from a file's content and name to a program on reals.

Raises `InputError` for an invalid model, and `UnicodeDecodeError` for a text that is not UTF-8.
"""

TRUST_PICKLE: ContextVar[bool] = ContextVar("TRUST_PICKLE", default=False)
"""True if files may be unpickled, which runs the code that they contain; set by `--trust-pickle`."""

_AS_DETECTOR: ContextVar[bool] = ContextVar("_AS_DETECTOR", default=False)


@contextmanager
def reading(*, detector: bool = False, trust_pickle: bool = False) -> Generator[None]:
    """A context that sets options for importing models. An argument that is false leaves the option unchanged.

    detector: whether models are imported as anomaly detectors. For example, a clustering model then returns a score
        that depends on the distance of a sample to its clusters.
    trust_pickle: whether files may be unpickled, which runs the code that they contain.
    """
    before = _AS_DETECTOR.get(), TRUST_PICKLE.get()
    tokens = _AS_DETECTOR.set(detector or before[0]), TRUST_PICKLE.set(trust_pickle or before[1])
    try:
        yield
    finally:
        _AS_DETECTOR.reset(tokens[0])
        TRUST_PICKLE.reset(tokens[1])


def detects() -> bool:
    return _AS_DETECTOR.get()


def is_function(source: object) -> bool:
    """Whether JAX can trace `source`: a Python function, or the result of `jax.jit`."""
    lowers = callable(getattr(source, "lower", None)) and not isinstance(source, str | bytes)
    return lowers or isinstance(source, FunctionType | MethodType | partial)


MLIR = "mlir"
"""The suffix of MLIR modules, which need no importer."""


def _loaded(row: Row) -> Importer:
    read = row.load_function("reads a model")

    def imported(content: bytes, file: str) -> ModuleOp:
        # Help texts and messages list the frontends without xDSL.
        from xdsl.dialects.builtin import ModuleOp

        return row.expect(read(content, file), ModuleOp)

    return imported


def _check(row: Row) -> None:
    if not row.name.isalnum():
        raise PluginError(f"{row}: expected the suffix of a file without its dot as the name")
    if row.name == MLIR:
        raise PluginError(f"{row}: modules, which have the suffix .{MLIR}, need no frontend")


FRONTENDS = Table(
    GROUP,
    "frontend",
    _loaded,
    home="tinyml.lowering.frontends",
    built_in=rows_of("frontends"),
    check=_check,
)
"""The importers by suffix. Of several programs in a folder, the one with the first listed suffix is imported."""

_OF_TORCH = "in Python, tinyml.compile(module, X_val, board=...) accepts the module; torch.onnx.export writes a file"
_OF_KERAS = "tf.lite.TFLiteConverter.from_saved_model(folder) makes a .tflite file of its folder"
_ARRAYS = "arrays have no network: give the model that they belong to"

ADVICE: Mapping[str, str] = {
    **dict.fromkeys(("pt", "pth", "ckpt", "safetensors", "pt2", "bin"), _OF_TORCH),
    **dict.fromkeys(("pb", "index"), _OF_KERAS),
    **dict.fromkeys(("npz", "npy", "csv", "mat"), _ARRAYS),
    "pickle": "rename it to .pkl",
    "model": "save_model('model.json') of XGBoost writes a file that is read",
}
"""Advice for files with other suffixes."""
