"""The runner of the core in QEMU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinyml.extend.qemu import QemuRunner


@dataclass(frozen=True)
class RvvRunner(QemuRunner):
    """Runs programs on a core with 128-bit vectors in QEMU's machine `virt`. Execution starts at the first byte of the
    program.

    QEMU writes ones to agnostic lanes (tail and masked-off), whose content an instruction need not preserve.
    """

    emulator: ClassVar[Sequence[str]] = (
        *("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-m", "64M"),
        *("-cpu", "rv32,v=true,vlen=128,vext_spec=v1.0,rvv_ta_all_1s=true,rvv_ma_all_1s=true"),
        *("-device", "loader,addr=0x80000000,cpu-num=0"),
    )
