"""The registry of dialects, passes and targets, and an xDSL context for passes that run other passes or parse IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe

from tinyml.dialects.plugins import UNIVERSES, XDSL, built_in, each, plugins


@cache
def registry() -> Universe:
    """All dialects, passes and targets of the Python environment, including those that plug-ins define.

    An object that a plug-in defines is checked when it is first used. A plug-in that redefines an existing name is
    skipped.
    """
    whole = Universe()
    for plugin in built_in(UNIVERSES):
        _add(whole, plugin.load(Universe))
    if rows := plugins(UNIVERSES):
        from tinyml.dialects.guarded_universe import guarded

        for part in each(rows, lambda plugin: guarded(plugin, plugin.load(Universe), whole)):
            _add(whole, part)
    whole.all_dialects |= {name: partial(_completed, name) for name in _COMPLETED if name in whole.all_dialects}
    return whole


_COMPLETED = {"hw": "circt", "seq": "circt", "tosa": "tosa"}
"""By dialect of xDSL, the file of `dialects/upstream/` that adds operations to it. xDSL's own tools are unaffected."""


def _completed(name: str) -> Dialect:
    return getattr(import_module(f"tinyml.dialects.upstream.{_COMPLETED[name]}"), name.upper())


def own_dialects() -> dict[str, Callable[[], Dialect]]:
    """The registered dialects of tinyml and of plug-ins: for each name, a function that returns the dialect.

    xDSL's dialects are excluded, because loading them takes a second.
    """
    skipped = {name for universe in _of_xdsl() for name in universe.all_dialects}
    return {name: factory for name, factory in registry().all_dialects.items() if name not in skipped}


def own_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """The registered passes of tinyml and of plug-ins: for each name, a function that returns the class of the pass.

    xDSL's passes are excluded.
    """
    skipped = {name for universe in _of_xdsl() for name in universe.all_passes}
    return {name: factory for name, factory in registry().all_passes.items() if name not in skipped}


def _of_xdsl() -> Sequence[Universe]:
    return [row.load(Universe) for row in built_in(UNIVERSES) if row.package == XDSL]


def context() -> Context:
    """A context in which every known dialect is registered."""
    context = Context()
    for name, factory in registry().all_dialects.items():
        context.register_dialect(name, factory)
    return context


def _add(whole: Universe, part: Universe) -> None:
    whole.all_dialects |= part.all_dialects
    whole.all_passes |= part.all_passes
    whole.all_targets |= part.all_targets
