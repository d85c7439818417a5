"""Runners: execution of programs on simulators, boards or by other means.

A runner for a core that unicorn emulates derives from `EmulatorRunner`, a runner for a core that QEMU emulates from
`qemu.QemuRunner`, a runner for a simulator that is a separate program from `SimulatorRunner`, and any other runner from
`Runner`. `Chip.runner` names the class, which is imported when a program is built. Another way to run the programs of a
board, such as the code of another compiler, is a `Device`.
"""

from tinyml.dialects.errors import InputError, TooLargeError
from tinyml.runtime.devices.device import Build, DeviceError, RunResult, TimeProfile, raw_inputs, result_of_records
from tinyml.runtime.devices.emulator import Core, EmulatorRunner
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.runner import Device, Runner
from tinyml.runtime.devices.simulator import SimulatorRunner
from tinyml.runtime.devices.toolchain import call_tool, compiled_tool, execute, symbols
from tinyml.runtime.model.interface import Interface
from tinyml.targets.registry import board, chip_of

__all__ = [
    "Build",
    "Core",
    "Device",
    "DeviceError",
    "EmulatorRunner",
    "InputError",
    "Interface",
    "RunResult",
    "Runner",
    "SimulatorRunner",
    "TimeProfile",
    "TooLargeError",
    "board",
    "call_tool",
    "chip_of",
    "compiled_tool",
    "execute",
    "raw_inputs",
    "result_of_records",
    "runner_for",
    "symbols",
]
