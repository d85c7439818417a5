"""The table of frontends: which importer reads a model's file, by the file's suffix.

A package adds frontends of its own by entry points of the group `tinyml.frontends`: the suffix without its dot is the
name, an `Importer` the value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import entry_points

from xdsl.dialects.builtin import ModuleOp

Importer = Callable[[bytes, str], ModuleOp]
"""From a file's content and its name to a program on reals.

Raises `InputError` for what is wrong with the model, and `UnicodeDecodeError` for a text that is not UTF-8.
"""

GROUP = "tinyml.frontends"

FRONTENDS = {
    "sd": "tinyml.lowering.frontends.seedot.importer:read_seedot",
}
"""Our own importers, imported when a file needs them."""


def importers() -> dict[str, Callable[[], Importer]]:
    """How to load the importer of every suffix, plug-ins included."""
    plugins = {plugin.name: plugin.load for plugin in entry_points(group=GROUP)}
    return plugins | {suffix: partial(_load, place) for suffix, place in FRONTENDS.items()}


def _load(place: str) -> Importer:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
