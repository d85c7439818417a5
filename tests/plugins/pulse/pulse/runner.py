"""The runner of the chip `pulse`: the emulator unicorn executes its core and counts instructions."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from tinyml.extend.runners import Core, EmulatorRunner


@dataclass(frozen=True)
class PulseRunner(EmulatorRunner):
    """A runner for an emulated 32-bit RISC-V core."""

    def core(self, unicorn: Any) -> Core:
        riscv: Any = importlib.import_module("unicorn.riscv_const")
        return Core(
            unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32),
            pc=riscv.UC_RISCV_REG_PC,
            back=riscv.UC_RISCV_REG_RA,
            sp=riscv.UC_RISCV_REG_SP,
            arguments=(riscv.UC_RISCV_REG_A0, riscv.UC_RISCV_REG_A1),
            size_of=lambda halfword: 4,
        )
