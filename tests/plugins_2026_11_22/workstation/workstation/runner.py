"""The runner: the harness of the package, compiled with the model."""

from dataclasses import dataclass

from tinyml.runtime.devices.device import raw_inputs, result_of_records
from tinyml.runtime.devices.runner import Runner
from tinyml.runtime.devices.toolchain import execute, symbols


@dataclass(frozen=True)
class WorkstationRunner(Runner):
    def run(self, build, interface, inputs):
        assert f"{interface.name}_predict" in symbols(self.prefix, build.elf)
        command = [build.elf, str(len(inputs))]
        return result_of_records(interface, execute(command, raw_inputs(interface, inputs), "workstation"))
