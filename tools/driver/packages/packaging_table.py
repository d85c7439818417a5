"""The table of packagings, and the choice among them for a board.

Names are known without importing the files, so that tools start quickly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, cast

from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.plugins import PACKAGES as GROUP
from tinyml.dialects.plugins import Plugin, PluginError, plugins_by_name

if TYPE_CHECKING:
    from tinyml.targets.board import Board
    from tinyml.tools.driver.packages.packaging import Packaging

PLAIN = "c"
"""The name for `NAME.c` and `NAME.h` in the output folder, which are always there."""

BUILT_IN = {
    "arduino": "arduino:ARDUINO",
    "cmake": "cmake:CMAKE",
    "platformio": "platformio:PLATFORMIO",
    "header": "header:HEADER",
    "bitstream": "bitstream:BITSTREAM",
    "mlir": "mlir:MLIR",
    "circt": "circt:CIRCT",
    "mlperf": "mlperf:MLPERF",
}
"""Module and name of each built-in packaging."""

USUAL = ("arduino", "cmake", "bitstream")
"""The default packagings, each for the boards that lack nothing for it."""


OTHER_TOOLS = ("zephyr", "esp-idf", "pico-sdk", "stm32cube", "stm32cubeide", "keil", "iar", "mbed", "nrf-connect")
"""Tools that people ask for, whose projects are not written."""


def packaging_names() -> tuple[str, ...]:
    """The values of `--package`, those of other packages last."""
    return (PLAIN, *BUILT_IN, *_others())


def packagings_for(
    board: Board, names: Sequence[str] | None, *, zipped: bool, loaded: bool = False
) -> Sequence[Packaging]:
    """The packagings of a model for a board. names: those that the user wants, None for the usual ones.

    zipped: true if the user wants an archive, too. loaded: true if the model keeps its weights in RAM.

    Raises `InputError` for an unknown name, for a packaging whose tool does not know the board, and if none of them
    makes an archive that is wanted.
    """
    if names is None:
        chosen = [one for one in map(_named, USUAL) if one.lacks(board) is None and one.loads >= loaded]
    else:
        chosen = [_named(name) for name in dict.fromkeys(names) if name != PLAIN]
        for packaging in chosen:
            if (lack := packaging.lacks(board)) is not None:
                raise InputError(f"--package {packaging.name}: {board.name} {lack}; {_instead(board)}")
            if loaded and not packaging.loads:
                why = "its example does not receive the weights of --load-weights, the sketch of --package arduino does"
                raise InputError(f"--package {packaging.name}: {why}")
    if zipped and not any(packaging.archive for packaging in chosen):
        reason = _named(USUAL[0]).lacks(board)
        also = f", and {board.name} {reason}" if reason else f": give --package {USUAL[0]}, too"
        raise InputError(f"--zip packs the folder of --package {USUAL[0]}{also}")
    return chosen


def _instead(board: Board) -> str:
    """The packagings that take a board, for a message about one that does not."""
    taking = [name for name in (*USUAL, *BUILT_IN) if _named(name).lacks(board) is None]
    names = ", ".join(dict.fromkeys(taking)) or PLAIN
    return f"--package takes {names} for it, and {PLAIN} writes the C files alone"


def _named(name: str) -> Packaging:
    if (row := BUILT_IN.get(name)) is not None:
        module, _, member = row.partition(":")
        return getattr(import_module(f"tinyml.tools.driver.packages.{module}"), member)
    if (plugin := _others().get(name)) is not None:
        return _of_plugin(plugin)
    if name in OTHER_TOOLS:
        raise InputError(f"--package {name}: there is none; a project of {name} takes the C files of --package {PLAIN}")
    raise unknown("package", name, packaging_names())


def _of_plugin(plugin: Plugin) -> Packaging:
    """The packaging of a plug-in; what its functions do wrong is a `PluginError`."""
    from tinyml.tools.driver.output_folder import is_inside
    from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging

    packaging = plugin.load(Packaging)
    plugin.expect_fields(packaging)
    if packaging.name != plugin.name:
        raise PluginError(f"{plugin}: expected a Packaging of the same name, got {packaging.name!r}")

    def files(model: PackagedModel) -> Mapping[str, str]:
        found = cast("Mapping[object, object]", plugin.expect(plugin.call(packaging.files, model), Mapping))
        for path, text in found.items():
            if not isinstance(path, str) or not isinstance(text, str):
                kinds = f"{type(path).__name__} and {type(text).__name__}"
                raise PluginError(f"{plugin}: expected files as paths and texts, both of type str, got {kinds}")
            if not is_inside(path):
                raise PluginError(f"{plugin}: {path!r} is no file inside of its folder")
        return cast("Mapping[str, str]", found)

    def lacks(board: Board) -> str | None:
        lack = plugin.call(packaging.lacks, board)
        return None if lack is None else plugin.expect(lack, str)

    def archive(model: PackagedModel) -> str:
        assert packaging.archive is not None
        name = plugin.expect(plugin.call(packaging.archive, model), str)
        if _NAME.fullmatch(name) is None:
            raise PluginError(f"{plugin}: expected the name of a folder to pack, got {name!r}")
        return name

    return replace(packaging, files=files, lacks=lacks, archive=None if packaging.archive is None else archive)


_NAME = re.compile("[A-Za-z0-9_-]+")

_OWN_FOLDERS = ("ir", "pictures")
"""Folders of the output folder that are no packages."""


def _others() -> dict[str, Plugin]:
    """The entry points of other packages by name, except names that are taken or that are no name of a folder."""
    found: dict[str, Plugin] = {}
    for name, plugin in plugins_by_name(GROUP, (PLAIN, *BUILT_IN)).items():
        with plugin.left_out():
            if _NAME.fullmatch(name) is None:
                raise PluginError(f"{plugin}: expected a name of letters, digits, _ and -, as that of its folder")
            if name in _OWN_FOLDERS:
                raise PluginError(f"{plugin}: the output folder has a folder '{name}' of its own")
            found[name] = plugin
    return found
