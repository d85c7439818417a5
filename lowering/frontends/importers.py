"""The table of frontends: an importer for each suffix of a model's file.

A package adds its own frontends by entry points of the group `tinyml.frontends`: the suffix without its dot is the
name, an `Importer` the value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points

from xdsl.dialects.builtin import ModuleOp

Importer = Callable[[bytes, str], ModuleOp]
"""A function from a file's content and name to a program on reals.

Raises `InputError` for an invalid model, and `UnicodeDecodeError` for a text that is not UTF-8.
"""

GROUP = "tinyml.frontends"

FRONTENDS = {
    "sd": "tinyml.lowering.frontends.seedot.importer:read_seedot",
    "tflite": "tinyml.lowering.frontends.tflite.importer:read_tflite",
    "onnx": "tinyml.lowering.frontends.onnx.importer:read_onnx",
}
"""The built-in importers, imported on demand: of several programs in a folder, the first suffix is taken."""


def importers() -> dict[str, Callable[[], Importer]]:
    """A loader for the importer of each suffix: the built-in ones, then those of plug-ins for other suffixes."""
    own = {suffix: partial(_load, place) for suffix, place in FRONTENDS.items()}
    return own | {plugin.name: plugin.load for plugin in entry_points(group=GROUP) if plugin.name not in own}


def _load(place: str) -> Importer:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
