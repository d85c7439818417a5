"""The registry of runners, which exports all names that building and running a model takes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported, is_installed
from tinyml.dialects.plugins import expected
from tinyml.runtime.devices.device import Build, DeviceError, RunResult, TimeProfile
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.model.interface import Interface
from tinyml.targets.board import Board
from tinyml.targets.registry import HOST, blamed, board, boards, chip_of

__all__ = [
    "CIRCT",
    "LLVM",
    "UPSTREAM",
    "Build",
    "DeviceError",
    "Interface",
    "RunResult",
    "Runner",
    "TimeProfile",
    "device_board",
    "device_name",
    "is_available",
    "runner_for",
]


LLVM = "llvm"
"""The device that runs what LLVM makes of a program in upstream dialects, on this computer."""

CIRCT = "circt"
"""The device that simulates what CIRCT prints of a hardware module in its dialects."""

UPSTREAM = {LLVM: "tinyml.runtime.devices.llvm:LlvmRunner", CIRCT: "tinyml.runtime.devices.circt:CirctRunner"}
"""Devices of programs in upstream dialects, with the classes of their runners, which build on the runners here."""


def _upstream(device: str) -> Any:
    """The module of a device of `UPSTREAM`."""
    return imported(UPSTREAM[device].partition(":")[0])


def device_board(device: str) -> Board:
    """The board that a device is; raises `InputError` for an unknown name."""
    if device == CIRCT:
        return next(one for one in boards() if one.fabric is not None)
    return board(HOST if device == LLVM else device)


def device_name(device: str) -> str:
    """The name of a device in messages and for `runner_for`; raises `InputError` for an unknown one."""
    return device if device in UPSTREAM else board(device).name


def runner_for(target: str) -> Runner:
    """The runner of a board, or of a device of `UPSTREAM`.

    Raises `InputError` for an unknown name, for a board that is not run here, or if a plug-in's class is not a
    `Runner`.
    """
    if target in UPSTREAM:
        return imported(UPSTREAM[target])(device_board(target).name)
    chip = chip_of(target)
    if not chip.runner:
        raise InputError(f"{target} is not run here: {chip.not_run}")
    module, _, name = chip.runner.partition(":")
    with blamed(chip):
        made = getattr(import_module(module), name)
        return expected(made(target), Runner, made)


def is_available(target: str) -> bool:
    """True if the compiler and the simulator of a board, or the tools of a device of `UPSTREAM`, are installed."""
    if target in UPSTREAM:
        return is_installed(UPSTREAM[target]) and _upstream(target).is_installed()
    chip = chip_of(target)
    with blamed(chip):
        return (
            bool(chip.runner)
            and all(package.is_installed() for package in chip.packages)
            and all(map(find_spec, chip.modules))
        )
