"""The table of frontends: an importer for each suffix of model files.

A package adds its own frontends by entry points of the group `tinyml.frontends`, with the suffix without its dot as the
name and an `Importer` as the value.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from types import FunctionType, MethodType

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.plugins import FRONTENDS as GROUP
from tinyml.dialects.plugins import Plugin, PluginError, plugins

Importer = Callable[[bytes, str], ModuleOp]
"""A function from a file's content and name to a program on reals.

Raises `InputError` for an invalid model, and `UnicodeDecodeError` for a text that is not UTF-8.
"""

TRUST_PICKLE: ContextVar[bool] = ContextVar("TRUST_PICKLE", default=False)
"""True if files may be unpickled, which runs the code that they contain; set by `--trust-pickle`."""

_AS_DETECTOR: ContextVar[bool] = ContextVar("_AS_DETECTOR", default=False)


@contextmanager
def reading(*, detector: bool = False, trust_pickle: bool = False) -> Generator[None]:
    """A context in which models are read as a caller wishes; what is false changes nothing.

    detector: models become detectors of anomalies, a clustering by the distance to its clusters. trust_pickle: as
    `TRUST_PICKLE`.
    """
    before = _AS_DETECTOR.get(), TRUST_PICKLE.get()
    tokens = _AS_DETECTOR.set(detector or before[0]), TRUST_PICKLE.set(trust_pickle or before[1])
    try:
        yield
    finally:
        _AS_DETECTOR.reset(tokens[0])
        TRUST_PICKLE.reset(tokens[1])


def detects() -> bool:
    """True in a context of `reading` with `detector`."""
    return _AS_DETECTOR.get()


def is_function(source: object) -> bool:
    """True for a function that JAX can trace: one of Python's, or what `jax.jit` makes of it."""
    lowers = callable(getattr(source, "lower", None)) and not isinstance(source, str | bytes)
    return lowers or isinstance(source, FunctionType | MethodType | partial)


MLIR = "mlir"
"""The suffix of modules, which need no importer."""

FRONTENDS = {
    "sd": "tinyml.lowering.frontends.seedot.importer:read_seedot",
    "tflite": "tinyml.lowering.frontends.tflite.importer:read_tflite",
    "keras": "tinyml.lowering.frontends.keras:read_keras",
    "h5": "tinyml.lowering.frontends.keras:read_keras",
    "hdf5": "tinyml.lowering.frontends.keras:read_keras",
    "onnx": "tinyml.lowering.frontends.onnx.importer:read_onnx",
    "json": "tinyml.lowering.frontends.boosted.json_files:read_json",
    "ubj": "tinyml.lowering.frontends.boosted.ubjson:read_ubjson",
    "cbm": "tinyml.lowering.frontends.boosted.objects:read_catboost",
    "txt": "tinyml.lowering.frontends.boosted.lightgbm:read_lightgbm",
    "joblib": "tinyml.lowering.frontends.sklearn.importer:read_pickle",
    "pkl": "tinyml.lowering.frontends.sklearn.importer:read_pickle",
}
"""The built-in importers, loaded on demand. Among several programs in a folder, the earliest suffix here wins."""


_OF_TORCH = "in Python, tinyml.compile(module, X_val, board=...) takes the module; torch.onnx.export writes a file"
_OF_KERAS = "tf.lite.TFLiteConverter.from_saved_model(folder) makes a .tflite file of its folder"
_ARRAYS = "arrays have no network: give the model that they belong to"

ADVICE: Mapping[str, str] = {
    **dict.fromkeys(("pt", "pth", "ckpt", "safetensors", "pt2", "bin"), _OF_TORCH),
    **dict.fromkeys(("pb", "index"), _OF_KERAS),
    **dict.fromkeys(("npz", "npy", "csv", "mat"), _ARRAYS),
    "pickle": "rename it to .pkl",
    "model": "save_model('model.json') of XGBoost writes a file that is read",
}
"""What helps with files of other suffixes."""


def importers() -> dict[str, Callable[[], Importer]]:
    """A loader for the importer of each suffix: the built-in ones, then those of plug-ins."""
    known: dict[str, Callable[[], Importer]] = {suffix: partial(_load, where) for suffix, where in FRONTENDS.items()}
    for plugin in plugins(GROUP):
        with plugin.left_out():
            if not plugin.name.isalnum():
                raise PluginError(f"{plugin}: expected the suffix of a file without its dot as the name")
            if plugin.name in (*known, MLIR):
                raise PluginError(f"{plugin}: the suffix .{plugin.name} is taken")
            known[plugin.name] = partial(_load_plugin, plugin)
    return known


def _load_plugin(plugin: Plugin) -> Importer:
    importer = plugin.load(object)
    if not callable(importer):
        raise PluginError(f"{plugin}: expected a function that reads a model, got {type(importer).__name__}")

    def read(content: bytes, file: str) -> ModuleOp:
        return plugin.expect(plugin.call(importer, content, file), ModuleOp)

    return read


def _load(where: str) -> Importer:
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)
