"""The table of packagings, and the selection of packagings for a board.

The table contains the names, so that tools start without importing the packagings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import PACKAGES as GROUP
from tinyml.dialects.plugins import PluginError, Row
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table
from tinyml.tools.cli.atomic_output import is_inside

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

PLAIN = "c"
"""The name for `NAME.c` and `NAME.h`, which every output folder contains."""

DEFAULT_PACKAGINGS = ("arduino", "cmake", "bitstream")
"""The default packagings, each for the boards that it supports."""


OTHER_TOOLS = ("pico-sdk", "stm32cube", "stm32cubeide", "keil", "iar", "mbed", "nrf-connect")
"""Tools that users request, but for which no project is written."""


def packagings_for(
    board: Board, names: Sequence[str] | None, *, zipped: bool, loaded: bool = False, bound: bool = False
) -> Sequence[Packaging]:
    """The packagings of a model for a board.

    names: the requested packagings; None for the default ones.
    zipped: true if an archive is also requested.
    loaded: true if the model stores its weights in RAM.
    bound: true if its weights are in a blob, for which no packaging has an example.

    Raises `InputError` for an unknown name, for a packaging whose tool does not support the board or whose example does
    not support the weights, and if none of the packagings creates a requested archive.
    """
    if bound:
        if others := [name for name in names or () if name != PLAIN]:
            raise InputError(f"--package {others[0]}: its example binds no blob of --weights-at: give {PLAIN}")
        chosen = []
    elif names is None:
        chosen = [one for one in _usual() if one.lacks(board) is None and one.loads >= loaded]
    else:
        chosen = [_named(name) for name in dict.fromkeys(names) if name != PLAIN]
        for packaging in chosen:
            if (lack := packaging.lacks(board)) is not None:
                raise InputError(f"--package {packaging.name}: {board.name} {lack}; {_instead(board)}")
            if loaded and not packaging.loads:
                why = "its example does not receive the weights of --load-weights, the sketch of --package arduino does"
                raise InputError(f"--package {packaging.name}: {why}")
    if zipped and not any(packaging.archive for packaging in chosen):
        reason = _named(DEFAULT_PACKAGINGS[0]).lacks(board)
        also = f", and {board.name} {reason}" if reason else f": give --package {DEFAULT_PACKAGINGS[0]}, too"
        raise InputError(f"--zip packs the folder of --package {DEFAULT_PACKAGINGS[0]}{also}")
    return chosen


def _instead(board: Board) -> str:
    taking = [one.name for one in (*_usual(), *PACKAGINGS.each()) if one.lacks(board) is None]
    names = ", ".join(dict.fromkeys(taking)) or PLAIN
    return f"--package takes {names} for it, and {PLAIN} writes the C files alone"


def _usual() -> Iterator[Packaging]:
    return (PACKAGINGS.get(name) for name in DEFAULT_PACKAGINGS if PACKAGINGS.built_in[name].is_installed)


def _named(name: str) -> Packaging:
    if name in OTHER_TOOLS and name not in PACKAGINGS.rows():
        raise InputError(f"--package {name}: unknown package; projects of {name} use the C files of --package {PLAIN}")
    return PACKAGINGS.get(name)


def _loaded(row: Row) -> Packaging:
    """The packaging of a table row. Raises `PluginError` if a plug-in's row does not name a `Packaging` of the same
    name; the functions of the result raise it for errors of the plug-in's functions.
    """
    # The names of the packagings, which help texts list, need no packaging.
    from tinyml.tools.driver.packages.packaging import Packaging

    packaging = row.load(Packaging)
    row.expect_fields(packaging)
    if packaging.name != row.name:
        raise PluginError(f"{row}: expected a Packaging of the same name, got {packaging.name!r}")

    def files(model: PackagedModel) -> Mapping[str, str]:
        found = cast("Mapping[object, object]", row.expect(row.call(packaging.files, model), Mapping))
        for path, text in found.items():
            if not isinstance(path, str) or not isinstance(text, str):
                kinds = f"{type(path).__name__} and {type(text).__name__}"
                raise PluginError(f"{row}: expected files as paths and texts, both of type str, got {kinds}")
            if not is_inside(path):
                raise PluginError(f"{row}: {path!r} is not a file inside its folder")
        return cast("Mapping[str, str]", found)

    def lacks(board: Board) -> str | None:
        lack = row.call(packaging.lacks, board)
        return None if lack is None else row.expect(lack, str)

    def archive(model: PackagedModel) -> str:
        assert packaging.archive is not None
        name = row.expect(row.call(packaging.archive, model), str)
        if _NAME.fullmatch(name) is None:
            raise PluginError(f"{row}: expected the name of a folder to pack, got {name!r}")
        return name

    return replace(packaging, files=files, lacks=lacks, archive=None if packaging.archive is None else archive)


_NAME = re.compile("[A-Za-z0-9_-]+")

_RESERVED_NAMES = (PLAIN, "ir", "pictures")
"""Subfolders of the output folder that are not packages, and the files that it always contains."""


def _check(row: Row) -> None:
    if _NAME.fullmatch(row.name) is None:
        raise PluginError(f"{row}: expected a name of letters, digits, _ and -, as that of its folder")
    if row.name in _RESERVED_NAMES:
        raise PluginError(f"{row}: the output folder has a folder '{row.name}' of its own")


PACKAGINGS = Table(
    GROUP,
    "package",
    _loaded,
    home="tinyml.tools.driver.packages",
    built_in=rows_of("packages"),
    check=_check,
)


def packaging_names() -> tuple[str, ...]:
    """The values of `--package`; the packagings of other packages come last."""
    return (PLAIN, *PACKAGINGS.names())
