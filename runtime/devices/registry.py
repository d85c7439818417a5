"""The registry of runners. The module also exports all names that are needed to build and run a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.plugins import RUNNERS as GROUP
from tinyml.dialects.plugins import PluginError, Row, expected
from tinyml.dialects.rows import rows_of
from tinyml.dialects.tables import Table
from tinyml.runtime.devices.device import Build, DeviceError, RunResult, TimeProfile
from tinyml.runtime.devices.runner import Device, Runner
from tinyml.runtime.model.interface import Interface
from tinyml.targets.board import Board
from tinyml.targets.registry import blamed, board, chip_of, targets

__all__ = [
    "CIRCT",
    "DEVICES",
    "LLVM",
    "Build",
    "Device",
    "DeviceError",
    "Interface",
    "RunResult",
    "Runner",
    "TimeProfile",
    "device_board",
    "device_name",
    "files_of_device",
    "is_available",
    "runner_for",
]


LLVM, CIRCT = "llvm", "circt"
"""The devices that run programs in upstream dialects through LLVM and CIRCT."""


def _loaded(row: Row) -> Device:
    device = row.load(Device)
    row.expect_fields(device)

    def runner(board: str) -> Runner:
        return row.expect(row.call(device.runner, board), Runner)

    def missing() -> Sequence[str]:
        return cast("Sequence[str]", row.expect(row.call(device.missing), Sequence))

    return replace(device, runner=runner, missing=missing)


def _check(row: Row) -> None:
    if row.name in targets():
        raise PluginError(f"{row}: a board '{row.name}' already exists")


DEVICES = Table(
    GROUP,
    "device",
    _loaded,
    home="tinyml.runtime.devices",
    built_in=rows_of("devices"),
    check=_check,
)
"""The devices that are not boards. A package adds a device by an entry point of the group `tinyml.runners`."""


def _device(name: str) -> Device | None:
    return DEVICES.get(name) if name in DEVICES else None


def device_board(device: str) -> Board:
    """The board of a device. A device that is a board is its own board; any other device specifies the board whose
    programs it runs.

    Raises `InputError` for an unknown name.
    """
    if (known := _device(device)) is not None:
        return board(known.board)
    try:
        return board(device)
    except InputError as error:
        if near := did_you_mean(device, DEVICES.names()):
            raise InputError(f"unknown device '{device}'{near}") from error
        raise


def device_name(device: str) -> str:
    """The canonical name of a device, for messages and for `runner_for`. Raises `InputError` for an unknown device."""
    return device_board(device).name if _device(device) is None else device


def files_of_device(device: str, program: Any, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The files of a program that the runner of a device builds, by name.

    device: the name of the device.
    program: the program in its folder.
    files: the C files for a board.
    """
    if (known := _device(device)) is None or not known.files:
        return files
    row = replace(DEVICES.row(device), value=known.files)
    built = row.load_function("gives the files of a program")(program)
    return cast("Mapping[str, bytes]", row.expect(built, Mapping))


def runner_for(target: str) -> Runner:
    """The runner of the board or other device `target`.

    Raises `InputError` for an unknown name, for a board whose programs cannot be run on this computer, and if a
    plug-in's class is not a `Runner`.
    """
    if (device := _device(target)) is not None:
        return device.runner(board(device.board).name)
    chip = chip_of(target)
    if not chip.runner:
        raise InputError(f"{target} cannot run here: {chip.not_run}")
    module, _, name = chip.runner.partition(":")
    with blamed(chip):
        create = getattr(import_module(module), name)
        return expected(create(target), Runner, create)


def is_available(target: str) -> bool:
    """True if the compiler and the simulator of the board `target`, or the tools of another device, are installed."""
    if (device := _device(target)) is not None:
        return not device.missing()
    chip = chip_of(target)
    with blamed(chip):
        return (
            bool(chip.runner)
            and all(package.is_installed() for package in chip.packages)
            and all(map(find_spec, chip.modules))
        )
