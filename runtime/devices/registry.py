"""The registry of devices; everything that a caller needs to build and run a model is named here."""

from __future__ import annotations

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.device import Build, DeviceError, Profile, Runner, RunResult
from tinyml.runtime.model.interface import Interface

__all__ = ["DEVICES", "Build", "DeviceError", "Interface", "Profile", "RunResult", "Runner", "runner_for"]

DEVICES = ("host", "simavr", "cortex-m0", "cortex-m3", "cortex-m4")


def runner_for(device: str, mcu: str | None = None) -> Runner:
    """The runner of one of DEVICES; `mcu` (as in gcc's -mmcu) chooses the chip of simavr, atmega328p unless told.

    Raises InputError for an unknown device and for an mcu on a device that has none.
    """
    if device not in DEVICES:
        raise InputError(f"unknown device '{device}' (one of {', '.join(DEVICES)})")
    if device == "simavr":
        from tinyml.runtime.devices.simavr import SimavrRunner

        return SimavrRunner() if mcu is None else SimavrRunner(mcu)
    if mcu is not None:
        raise InputError(f"device '{device}' has no choice of mcu ('{mcu}'); only simavr has")
    if device == "host":
        from tinyml.runtime.devices.host import HostRunner

        return HostRunner()
    from tinyml.runtime.devices.cortex_m import CortexMRunner

    return CortexMRunner(device)


def is_available(device: str) -> bool:
    """Are the compiler and the simulator of a device installed?"""
    import importlib.util
    import shutil
    from pathlib import Path

    if device == "host":
        return shutil.which("gcc") is not None
    if device == "simavr":
        header = Path("/usr/include/simavr/sim_avr.h")
        return all(shutil.which(tool) for tool in ("avr-gcc", "gcc")) and header.is_file()
    return shutil.which("arm-none-eabi-gcc") is not None and importlib.util.find_spec("unicorn") is not None
