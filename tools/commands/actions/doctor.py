"""The targets that this computer can compile for, run and measure, and the commands that install missing tools."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from importlib.util import find_spec
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from rich.table import Table

from tinyml.dialects.context import registry
from tinyml.dialects.package_metadata import DISTRIBUTION, install_command
from tinyml.dialects.plugins import GROUPS, Row, each, plugins, problems
from tinyml.lowering.added_steps import steps_of
from tinyml.lowering.exporters import EXPORTERS
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.lowering.pipeline_steps import PIPELINES
from tinyml.runtime.devices.registry import DEVICES
from tinyml.targets.registry import board, boards, chip_of, chips
from tinyml.tools.cli.guard import namesake
from tinyml.tools.driver.choice.alternatives import considered
from tinyml.tools.driver.packages.packaging_table import PACKAGINGS
from tinyml.tools.main import COMMANDS
from tinyml.tools.reports.report_parts import PARTS
from tinyml.tools.reports.tables import print_table
from tinyml.transforms.buffers.packing.modes import PACKERS
from tinyml.transforms.schedules.table import SCHEDULES

if TYPE_CHECKING:
    from tinyml.targets.board import Board, TimeSource
    from tinyml.targets.package import Package

DEVELOPMENT = ("test", "docs")
"""Extras for the development of tinyml, which users do not need."""

PACKAGE_OF = {"elftools": "pyelftools", "sklearn": "scikit-learn", "z3": "z3-solver"}
"""The packages of modules on PyPI, if the names differ."""

SPELLED_SOURCES: Mapping[TimeSource, str] = {
    "simulated": "simulated",
    "published": "estimated",
    "modelled": "modelled",
    "least": "lower bound",
}
"""The origin of a board's times, as one word."""


def report_computer(*, as_json: bool) -> None:
    """Print the installed parts and, for missing parts, the commands that install them. Nothing is installed or
    changed.
    """
    environment = examine()
    if as_json:
        print(json.dumps(asdict(environment), indent=2))
    else:
        _print(environment)


def _print(environment: Environment) -> None:
    print(f"{DISTRIBUTION} {environment.tinyml} on Python {environment.python}")
    boards, extras = Table(), Table()
    for heading in ("board", "part", "compile to C", "build and run", "measures", "milliseconds"):
        boards.add_column(heading, no_wrap=True)
    for state in environment.boards:
        runs = "yes" if state.runs else "NO"
        times = "-" if state.time_source is None or not state.runs else SPELLED_SOURCES[state.time_source]
        boards.add_row(", ".join((state.board, *state.aliases)), state.part, "yes", runs, state.measures or "-", times)
    for heading in ("extra", "installed"):
        extras.add_column(heading, no_wrap=True)
    for extra in environment.extras:
        extras.add_row(extra.extra, f"without {', '.join(extra.missing)}" if extra.missing else "yes")
    for device in environment.devices:
        runs, measures = ("NO", "-") if device.missing else ("yes", device.measures)
        boards.add_row(device.device, "this computer", "-", runs, measures, "-")
    print_table(boards)
    print_table(extras)
    if environment.plugins:
        others = Table("package", "group", "name", "", "left out")
        for one in environment.plugins:
            others.add_row(one.package, one.group, one.name, one.help, one.left_out or "no")
        print_table(others)
    for why, states in groupby((state for state in environment.boards if state.not_run), attrgetter("not_run")):
        print(f"{', '.join(state.board for state in states)} are not run here: {why}")
    if environment.commands:
        print("What is missing is installed by:")
    for command in environment.commands:
        print(f"  {command}")


@dataclass(frozen=True, kw_only=True)
class BoardState:
    """The state of a board. Programs for every board can be compiled to C.

    title, aliases, part, core, clock, flash, ram, source: as in `Board`; the clock is in Hz, the memories are in bytes.
    time_source: the source of the board's times in milliseconds (`TimeSource`); None if the clock is unknown.
    runs: whether this computer can build and run programs for the board.
    not_run: the reason why no tool can run programs for the board; empty for most boards.
    measures: the unit that a run counts; None if programs cannot run.
    missing: the commands that install missing tools.
    """

    board: str
    aliases: tuple[str, ...]
    title: str
    part: str
    core: str
    clock: int | None
    flash: int | None
    ram: int | None
    source: str
    time_source: TimeSource | None
    runs: bool
    not_run: str
    measures: str | None
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ExtraState:
    """An extra of the distribution, with its missing packages and the command that installs them."""

    extra: str
    missing: tuple[str, ...]
    command: str | None


@dataclass(frozen=True, kw_only=True)
class DeviceState:
    """A device other than a board, with the unit that it counts and the commands that install missing tools."""

    device: str
    measures: str
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PluginState:
    """An entry point of another package.

    package, group, name: the name of the package, the group of the entry point, and its name.
    help: a one-line description.
    left_out: the reason why the entry point is skipped; None if it is used.
    """

    package: str
    group: str
    name: str
    help: str
    left_out: str | None


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The installed parts of tinyml, and its tools on this computer.

    tinyml, python: the versions of tinyml and of Python.
    boards, extras, devices, plugins: the state of each board, extra, device and entry point.
    namesake: a line that warns of another package `tinyml`; None if there is none.
    """

    tinyml: str
    python: str
    boards: tuple[BoardState, ...]
    extras: tuple[ExtraState, ...]
    devices: tuple[DeviceState, ...]
    plugins: tuple[PluginState, ...]
    namesake: str | None

    @property
    def commands(self) -> list[str]:
        """The commands that install missing parts, without duplicates."""
        of_boards = [command for board in self.boards for command in board.missing]
        of_extras = [extra.command for extra in self.extras if extra.command is not None]
        of_devices = [command for device in self.devices for command in device.missing]
        return [*dict.fromkeys([*of_boards, *of_extras, *of_devices])]


def examine() -> Environment:
    """Examine this computer: load all chips and plug-ins, and search for the compilers, simulators and packages that
    they need. Compilers are run only to find headers.
    """
    return Environment(
        tinyml=version(DISTRIBUTION),
        python=platform.python_version(),
        boards=tuple(_boards()),
        extras=tuple(map(_extra, (one for one in _extras() if one not in DEVELOPMENT))),
        devices=tuple(_devices()),
        plugins=tuple(_plugins()),
        namesake=namesake(),
    )


def _boards() -> Iterable[BoardState]:
    for chip in chips():
        packages = [package for package in chip.packages if not package.is_installed()]
        modules = [module for module in chip.modules if find_spec(module) is None]
        missing = [_installing(packages)] if packages else []
        if modules:
            missing.append(_command_for(modules))
        runs = bool(chip.runner) and not missing
        for variant in chip.boards:
            yield BoardState(
                board=variant.name,
                aliases=variant.aliases,
                title=variant.title,
                part=variant.part,
                core=variant.core,
                clock=variant.clock,
                flash=variant.flash,
                ram=variant.ram,
                source=variant.source,
                time_source=variant.time_source if chip.runner else None,
                runs=runs,
                not_run=chip.not_run,
                measures=variant.unit if runs else None,
                missing=tuple(missing),
            )


def _devices() -> Iterable[DeviceState]:
    def state(row: Row) -> DeviceState:
        device = DEVICES.load(row)
        return DeviceState(device=row.name, measures=board(device.board).unit, missing=tuple(device.missing()))

    return each(DEVICES.rows().values(), state)


def _plugins() -> Iterable[PluginState]:
    for load in (registry, chips, considered, *(partial(steps_of, name) for name in PIPELINES)):
        load()
    for table in (FRONTENDS, EXPORTERS, SCHEDULES, PACKERS, PACKAGINGS, COMMANDS, DEVICES, PARTS):
        for _ in each(table.others(), table.load):
            pass
    reasons = list(problems())
    for row in (row for group in GROUPS for row in plugins(group)):
        prefix = f"{row}: "
        reason = next((one.removeprefix(prefix) for one in reasons if one.startswith(prefix)), None)
        yield PluginState(package=row.package, group=row.group, name=row.name, help=row.summary, left_out=reason)


def _installing(packages: Sequence[Package]) -> str:
    return f"sudo apt-get install {' '.join(package.name for package in packages)}"


def _command_for(modules: Sequence[str]) -> str:
    """The command that installs the packages of modules: it installs the extra of tinyml that contains all of these
    packages, or else the packages themselves. A module that `PACKAGE_OF` does not name has the name of its package.
    """
    packages = [PACKAGE_OF.get(module, module) for module in modules]
    extra = next((one for one in _extras() if {*packages} <= {*_packages_of(one)}), None)
    return f"pip install {' '.join(packages)}" if extra is None else install_command(extra)


def _extra(extra: str) -> ExtraState:
    missing = tuple(name for name in _packages_of(extra) if not _is_installed(name))
    return ExtraState(extra=extra, missing=missing, command=install_command(extra) if missing else None)


def _extras() -> list[str]:
    return metadata(DISTRIBUTION).get_all("Provides-Extra") or []


def _packages_of(extra: str) -> list[str]:
    asked = [line for line in requires(DISTRIBUTION) or () if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    return [match[0] for line in asked if (match := re.match(r"[\w.-]+", line)) is not None]


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def board_table() -> str:
    """The table of docs/boards.md: a row for each board with declared memories; cores without a clock come last.

    The columns of the memories directly follow the target, so that they are visible on the narrow screen of a
    telephone.
    """
    heads = "target", "flash, bytes", "RAM, bytes", "MHz", "board", "core", "times"
    return _table(heads, map(_row, sorted(_with_memories(), key=lambda board: board.clock is None)))


def source_table() -> str:
    """A table with a row for each board with a known clock: the memories whose waits its times exclude, and the
    source of its figures.
    """
    rows = ((f"`{board.name}`", board.waits or "-", board.source or "-") for board in _with_memories() if board.clock)
    return _table(("target", "not included (slower on hardware)", "source of the figures"), rows)


def _with_memories() -> list[Board]:
    return [board for board in boards() if board.flash is not None]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ("---",) * len(heads), *rows))


def _row(board: Board) -> tuple[str, ...]:
    source = board.time_source if chip_of(board.name).runner else None
    return (
        ", ".join(f"`{name}`" for name in board.names),
        f"{board.flash:,}",
        f"{board.ram:,}",
        "-" if board.clock is None else f"{board.clock / 1e6:g}",
        board.title,
        board.core,
        "-" if source is None else SPELLED_SOURCES[source],
    )
