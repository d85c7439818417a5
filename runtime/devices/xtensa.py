"""The runner of Xtensa cores, in QEMU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tinyml.runtime.devices.qemu import QemuRunner


@dataclass(frozen=True)
class XtensaRunner(QemuRunner):
    """The runner of an Xtensa LX106, emulated by QEMU's machine `sim`."""

    emulator: ClassVar[Sequence[str]] = ("qemu-system-xtensa", "-M", "sim", "-cpu", "lx106")
