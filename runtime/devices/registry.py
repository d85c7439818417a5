"""The registry of runners, which exports all names that building and running a model takes."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from tinyml.dialects.plugins import expected
from tinyml.runtime.devices.device import Build, DeviceError, RunResult, TimeProfile
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.model.interface import Interface
from tinyml.targets.registry import blamed, chip_of

__all__ = ["Build", "DeviceError", "Interface", "RunResult", "Runner", "TimeProfile", "is_available", "runner_for"]


def runner_for(target: str) -> Runner:
    """The runner of a board; raises InputError for an unknown name, or if a plug-in's class is not a `Runner`."""
    chip = chip_of(target)
    module, _, name = chip.runner.partition(":")
    with blamed(chip):
        made = getattr(import_module(module), name)
        return expected(made(target), Runner, made)


def is_available(target: str) -> bool:
    """True if the compiler and the simulator of a board are installed."""
    chip = chip_of(target)
    with blamed(chip):
        return all(package.is_installed() for package in chip.packages) and all(map(find_spec, chip.modules))
