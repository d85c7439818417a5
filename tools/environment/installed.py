"""The state of this computer: tools of each board, and optional dependencies of tinyml."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from importlib.util import find_spec

from tinyml.dialects.distribution import DISTRIBUTION, install_command
from tinyml.targets.board import TimeSource
from tinyml.tools.environment.namesake import namesake

DEVELOPMENT = ("test", "docs")
"""Extras for development of tinyml, which users do not need."""

MODULES_OF = {"pyelftools": "elftools"}
"""The modules of distributions that have another name."""


@dataclass(frozen=True, kw_only=True)
class BoardState:
    """A board. runs: whether programs can be built and run here. measures: what a run counts, None if it cannot run.

    title, aliases, core, clock (Hz), flash, ram (bytes), source: as in `Board`; time_source: how its times in
    milliseconds are known (`TimeSource`), None if its clock is not known. missing: the commands that install what is
    missing. Programs for a board can always be compiled to C.
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
    measures: str | None
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ExtraState:
    """An extra of the distribution, the packages of it that are missing, and the command that installs them."""

    extra: str
    missing: tuple[str, ...]
    command: str | None


@dataclass(frozen=True, kw_only=True)
class Environment:
    """The state of this computer. namesake: a line about another package `tinyml`; None if there is none."""

    tinyml: str
    python: str
    boards: tuple[BoardState, ...]
    extras: tuple[ExtraState, ...]
    namesake: str | None

    @property
    def commands(self) -> list[str]:
        """The commands that install what is missing, each once."""
        of_boards = [command for board in self.boards for command in board.missing]
        of_extras = [extra.command for extra in self.extras if extra.command is not None]
        return [*dict.fromkeys([*of_boards, *of_extras])]


def examine() -> Environment:
    """Examine this computer. Loads all chips; nothing is run but compilers that look for headers."""
    return Environment(
        tinyml=version(DISTRIBUTION),
        python=platform.python_version(),
        boards=tuple(_boards()),
        extras=tuple(map(_extra, (one for one in _extras() if one not in DEVELOPMENT))),
        namesake=namesake(),
    )


def _boards() -> Iterable[BoardState]:
    from tinyml.targets.registry import chips

    for chip in chips():
        packages = [package.name for package in chip.packages if not package.is_installed()]
        modules = [module for module in chip.modules if find_spec(module) is None]
        missing = [f"sudo apt-get install {' '.join(packages)}"] if packages else []
        if modules:
            missing.append(_command_for(modules))
        for board in chip.boards:
            yield BoardState(
                board=board.name,
                aliases=board.aliases,
                title=board.title,
                part=board.part,
                core=board.core,
                clock=board.clock,
                flash=board.flash,
                ram=board.ram,
                source=board.source,
                time_source=board.time_source,
                runs=not missing,
                measures=None if missing else board.unit,
                missing=tuple(missing),
            )


def _command_for(modules: Sequence[str]) -> str:
    """The command that installs modules: an extra of ours that has them all, else their own names."""
    for extra in _extras():
        if set(modules) <= {MODULES_OF.get(name, name) for name in _packages_of(extra)}:
            return install_command(extra)
    return f"pip install {' '.join(modules)}"


def _extra(extra: str) -> ExtraState:
    missing = tuple(name for name in _packages_of(extra) if not _is_installed(name))
    return ExtraState(extra=extra, missing=missing, command=install_command(extra) if missing else None)


def _extras() -> list[str]:
    """The extras that the distribution declares."""
    return metadata(DISTRIBUTION).get_all("Provides-Extra") or []


def _packages_of(extra: str) -> list[str]:
    """The names of the distributions that an extra asks for."""
    asked = [line for line in requires(DISTRIBUTION) or () if re.search(rf"extra == ['\"]{extra}['\"]", line)]
    return [match[0] for line in asked if (match := re.match(r"[\w.-]+", line)) is not None]


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
