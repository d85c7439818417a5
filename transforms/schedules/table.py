"""The table of schedules.

A schedule is a `Schedule` in a file of this folder and a row of the section `schedules` of `dialects/rows.txt`. A
separate package adds a schedule by an entry point of the group `tinyml.schedules` with the schedule's name, such as
`columns = "mypackage.columns:COLUMNS"`. The names can be listed without importing the files, so that tools start
quickly.
"""

from __future__ import annotations

from typing import NamedTuple

from tinyml.dialects.extensions import needs, part_of
from tinyml.dialects.plugins import SCHEDULES as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table
from tinyml.transforms.schedules.protocol import Schedule

ORDINARY, AUTO = "ordinary", "auto"

TIME_LOOPS = "tinyml.transforms.schedules.streams.time_loops"
"""The module of an extension that finds the ops that read an input step by step."""


def _loaded(row: Row) -> Schedule:
    loaded = row.load(Schedule)
    if loaded.name != row.name:
        raise PluginError(f"{row}: its schedule has another name, '{loaded.name}'")
    return loaded


SCHEDULES = Table(
    GROUP,
    "mode",
    _loaded,
    home="tinyml.transforms.schedules",
    built_in=rows_of("schedules"),
)
"""The schedules by name, in the order in which `auto` prefers their segments at equal bits and work."""

schedule_named, schedules, schedule_names = SCHEDULES.get, SCHEDULES.each, SCHEDULES.names
"""The schedule of a name, all of them, and their names, those of other packages last."""


def missing_schedules() -> str | None:
    """The message that the plan `auto` needs an extension, as a plan must not depend on what is installed. None if all
    schedules of tinyml are installed.
    """
    missing = (row for row in SCHEDULES.built_in.values() if not row.is_installed)
    return next((f"the plan 'auto' {needs(part_of(row.value))}" for row in missing), None)


class Traits(NamedTuple):
    """The properties of a `Schedule` that passes read in every compilation, with the same names and meanings."""

    rounds: bool = False
    sliced: bool = False
    takes_ram: bool = False
    widens: bool = False


_KNOWN = {ORDINARY: Traits(), AUTO: Traits(takes_ram=True)}
"""The traits of the schedules of most programs, which are read before any segment is planned."""


def traits_of(name: str) -> Traits:
    """The properties of the named schedule. Raises `InputError` for an unknown name."""
    if name in _KNOWN:
        return _KNOWN[name]
    schedule = schedule_named(name)
    return Traits(schedule.rounds, schedule.sliced, schedule.takes_ram, schedule.widens)
