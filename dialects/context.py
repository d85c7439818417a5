"""The registry of dialects, passes and targets, and an xDSL context for passes that run other passes or parse IR."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from importlib import import_module
from typing import Any, cast

from xdsl.context import Context
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from tinyml.dialects.plugins import UNIVERSES, XDSL, PluginError, Row, built_in, each, plugins


@cache
def registry() -> Universe:
    """All dialects, passes and targets of the Python environment, including those that plug-ins define.

    An object that a plug-in defines is checked when it is first used. A plug-in that redefines an existing name is
    skipped.
    """
    whole = Universe()
    for plugin in built_in(UNIVERSES):
        _add(whole, plugin.load(Universe))
    for part in each(plugins(UNIVERSES), lambda plugin: _guarded(plugin, plugin.load(Universe), whole)):
        _add(whole, part)
    whole.all_dialects |= {name: partial(_completed, name) for name in _COMPLETED if name in whole.all_dialects}
    return whole


_COMPLETED = {"hw": "circt", "seq": "circt", "tosa": "tosa"}
"""For dialects of xDSL, the file of `dialects/xdsl_additions/` that adds ops to it. xDSL's own tools are unaffected."""


def _completed(name: str) -> Dialect:
    return getattr(import_module(f"tinyml.dialects.xdsl_additions.{_COMPLETED[name]}"), name.upper())


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


def _guarded(plugin: Row, part: Universe, known: Universe) -> Universe:
    """The dialects, passes and targets of a plug-in with checked factories: each factory raises an error if it creates
    an object of the wrong kind.

    part: the universe of the plug-in.
    known: the universe of tinyml and of the plug-ins that are already loaded.

    Raises `PluginError` if the plug-in uses a name that `known` contains.
    """

    def checked(kind: str, made: Any, taken: Any, check: Callable[[Row, object], Any]) -> dict[str, Any]:
        offered = cast("dict[Any, Any]", plugin.expect(made, dict))
        for name, factory in offered.items():
            if not isinstance(name, str) or not callable(factory):
                raise PluginError(f"{plugin}: expected the name of a {kind} and a function that makes it, got {name!r}")
            # This argument distinguishes xDSL's two kinds of targets.
            inspect.signature(factory)
            if name in taken:
                raise PluginError(f"{plugin}: a {kind} '{name}' already exists")
        return {name: _checked(plugin, factory, check) for name, factory in offered.items()}

    return Universe(
        all_dialects=checked("dialect", part.all_dialects, known.all_dialects, _dialect),
        all_passes=checked("pass", part.all_passes, known.all_passes, _pass),
        all_targets=checked("target", part.all_targets, known.all_targets, _target),
    )


def _checked(plugin: Row, factory: Callable[..., object], check: Callable[[Row, object], Any]) -> Any:
    """A function that calls `factory` and returns the created object after checking it.

    xDSL has two interfaces for targets. It calls the factory of a target that has the older interface with arguments.
    In this case, the returned function passes the arguments to `factory`, checks nothing and returns None.
    """

    @wraps(factory)
    def made(*arguments: Any) -> Any:
        thing = plugin.call(factory, *arguments)
        return None if arguments else check(plugin, thing)

    return made


def _dialect(plugin: Row, thing: object) -> Dialect:
    dialect = plugin.expect(thing, Dialect)
    for operation in dialect.operations:
        _complete(plugin, plugin.expect_class(operation, Operation))
    for attribute in dialect.attributes:
        _complete(plugin, plugin.expect_class(attribute, Attribute))
    return dialect


def _complete(plugin: Row, made: type) -> None:
    if missing := ", ".join(sorted(getattr(made, "__abstractmethods__", ()))):
        raise PluginError(f"{plugin}: the class {made.__name__} does not define {missing}")


def _pass(plugin: Row, thing: object) -> type[ModulePass]:
    made = plugin.expect_class(thing, ModulePass)
    plugin.expect(getattr(made, "name", None), str)
    _complete(plugin, made)
    return made


def _target(plugin: Row, thing: object) -> type[Target]:
    return plugin.expect_class(thing, Target)
