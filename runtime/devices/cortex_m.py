"""The runner of ARM Cortex-M chips, on the emulator."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tinyml.runtime.devices.emulation.thumb_cycles import ThumbCycles
from tinyml.runtime.devices.emulator import Core, EmulatorRunner


@dataclass(frozen=True)
class CortexMRunner(EmulatorRunner):
    """Runs on an emulated Cortex-M0+, M3 or M4 (with its FPU).

    An instruction in an IT block whose condition fails counts, too, because it occupies the pipeline.
    """

    def code_cycles(self, elf: Path) -> ThumbCycles | None:
        return ThumbCycles(self.board.timing, self.chip, elf) if self.board.timing else None

    def core(self, unicorn: Any) -> Core:
        arm: Any = importlib.import_module("unicorn.arm_const")
        model = f"UC_CPU_ARM_{self.board.part.upper().replace('-', '_')}"
        return Core(
            unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS, getattr(arm, model)),
            pc=arm.UC_ARM_REG_PC,
            back=arm.UC_ARM_REG_LR,
            sp=arm.UC_ARM_REG_SP,
            arguments=(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1),
            size_of=_size_of,
            code=1,
            # System registers, CPACR among them.
            devices={0xE000E000: 1 << 12},
        )


def _size_of(halfword: int) -> int:
    """Size of an instruction in bytes: 4 if its first halfword starts with 11101, 11110 or 11111, else 2."""
    return 4 if halfword >> 11 >= 0b11101 else 2
