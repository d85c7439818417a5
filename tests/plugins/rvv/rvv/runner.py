"""The runner of the core in QEMU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinyml.extend.qemu import QemuRunner


@dataclass(frozen=True)
class RvvRunner(QemuRunner):
    """The runner of a core with vectors of 128 bits in QEMU's machine virt, which starts at a program's first byte.

    QEMU fills lanes that an instruction may leave in any state with ones.
    """

    emulator: ClassVar[Sequence[str]] = (
        *("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-m", "64M"),
        *("-cpu", "rv32,v=true,vlen=128,vext_spec=v1.0,rvv_ta_all_1s=true,rvv_ma_all_1s=true"),
        *("-device", "loader,addr=0x80000000,cpu-num=0"),
    )
