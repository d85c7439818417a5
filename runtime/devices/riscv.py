"""The runner of RISC-V chips on the emulator."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from tinyml.runtime.devices.emulator import Core, EmulatorRunner


@dataclass(frozen=True)
class RiscvRunner(EmulatorRunner):
    """The runner of an emulated 32-bit RISC-V. Code for rv32imc does not use the floating-point registers."""

    def core(self, unicorn: Any) -> Core:
        riscv: Any = importlib.import_module("unicorn.riscv_const")
        return Core(
            unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32),
            pc=riscv.UC_RISCV_REG_PC,
            back=riscv.UC_RISCV_REG_RA,
            sp=riscv.UC_RISCV_REG_SP,
            arguments=(riscv.UC_RISCV_REG_A0, riscv.UC_RISCV_REG_A1),
            size_of=_size_of,
        )


def _size_of(halfword: int) -> int:
    """The size of an instruction in bytes: 4 if the two lowest bits of its first halfword are set, otherwise 2.

    An instruction of 2 bytes is compressed.
    """
    return 4 if halfword & 3 == 3 else 2
