"""The registry of runners, which exports all names that building and running a model takes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import expected
from tinyml.runtime.devices.device import Build, DeviceError, RunResult, TimeProfile
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.model.interface import Interface
from tinyml.targets.board import Board
from tinyml.targets.registry import HOST, blamed, board, chip_of

__all__ = [
    "LLVM",
    "Build",
    "DeviceError",
    "Interface",
    "RunResult",
    "Runner",
    "TimeProfile",
    "device_board",
    "is_available",
    "runner_for",
]


LLVM = "llvm"
"""The device that runs what LLVM makes of a program in upstream dialects, on this computer."""

_LLVM = "tinyml.runtime.devices.llvm"
"""The module of its runner, which builds on the runners here."""


def device_board(device: str) -> Board:
    """The board that a device is; raises `InputError` for an unknown name."""
    return board(HOST if device == LLVM else device)


def runner_for(target: str) -> Runner:
    """The runner of a board, or of `LLVM`.

    Raises `InputError` for an unknown name, for a board that is not run here, or if a plug-in's class is not a
    `Runner`.
    """
    if target == LLVM:
        return import_module(_LLVM).LlvmRunner()
    chip = chip_of(target)
    if not chip.runner:
        raise InputError(f"{target} is not run here: {chip.not_run}")
    module, _, name = chip.runner.partition(":")
    with blamed(chip):
        made = getattr(import_module(module), name)
        return expected(made(target), Runner, made)


def is_available(target: str) -> bool:
    """True if the compiler and the simulator of a board, or the tools of `LLVM`, are installed."""
    if target == LLVM:
        return import_module(_LLVM).are_installed()
    chip = chip_of(target)
    with blamed(chip):
        return (
            bool(chip.runner)
            and all(package.is_installed() for package in chip.packages)
            and all(map(find_spec, chip.modules))
        )
