"""The table of schedules.

A schedule is a `Schedule` in a file of this folder and a row of `BUILT_IN`. A separate package adds one through an
entry point of the group `tinyml.schedules` with the schedule's name, such as `columns = "mypackage.columns:COLUMNS"`.
Names are known without importing the files, so that tools start quickly.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from tinyml.dialects.errors import unknown
from tinyml.dialects.plugins import SCHEDULES as GROUP
from tinyml.dialects.plugins import Plugin, PluginError, plugins_by_name

if TYPE_CHECKING:
    from tinyml.transforms.schedules.protocol import Schedule

ORDINARY, AUTO = "ordinary", "auto"

BUILT_IN = {
    ORDINARY: "ordinary:ORDINARY",
    "rows": "streaming:ROWS",
    "pixels": "streaming:PIXELS",
    "partial-32": "channels:PARTIAL_32",
    "partial-16": "channels:PARTIAL_16",
    "partial-8": "channels:PARTIAL_8",
    "replace": "in_place:REPLACE",
    "single-transpose": "in_place:SINGLE_TRANSPOSE",
    "herringbone": "in_place:HERRINGBONE",
    "optimal-turns": "in_place:OPTIMAL_TURNS",
    "patches": "patches:PATCHES",
    AUTO: "auto:AUTO",
}
"""Module and name of each built-in schedule.

The order is that in which `auto` prefers segments of equal bits and work.
"""


def schedule_names() -> tuple[str, ...]:
    """The names of all schedules, those of other packages last."""
    return (*BUILT_IN, *_others())


def schedules() -> Iterator[Schedule]:
    """Yield all schedules in the order of their names, except those of other packages that cannot be loaded."""
    yield from map(_built_in, BUILT_IN)
    for plugin in _others().values():
        loaded: list[Schedule] = []
        with plugin.left_out():
            loaded.append(_loaded(plugin))
        yield from loaded


def schedule_named(name: str) -> Schedule:
    """The schedule of a name; raises `InputError` if there is none, `PluginError` if it cannot be loaded."""
    if name in BUILT_IN:
        return _built_in(name)
    if (plugin := _others().get(name)) is not None:
        return _loaded(plugin)
    raise unknown("mode", name, schedule_names())


def _others() -> dict[str, Plugin]:
    """The entry points of other packages by name, except names of built-in schedules."""
    return plugins_by_name(GROUP, BUILT_IN)


def _built_in(name: str) -> Schedule:
    module, _, member = BUILT_IN[name].partition(":")
    return getattr(import_module(f"tinyml.transforms.schedules.{module}"), member)


def _loaded(plugin: Plugin) -> Schedule:
    from tinyml.transforms.schedules.protocol import Schedule

    loaded = plugin.load(Schedule)
    if loaded.name != plugin.name:
        raise PluginError(f"{plugin}: its schedule has another name, '{loaded.name}'")
    return loaded
