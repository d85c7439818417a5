"""The ARM Cortex-M chips with the vector extension Helium. The kernels of the Cortex-M4 are also available."""

from pathlib import Path

from tinyml.targets.board import emulated_memories
from tinyml.targets.chip import Chip
from tinyml.targets.cortex_m.chip import CHIP as CORTEX_M
from tinyml.targets.helium.boards import BOARDS
from tinyml.targets.helium.kernels import KERNEL_TABLE, PACKED_READS
from tinyml.targets.package import Package

CHIP = Chip(
    "helium",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.helium:HeliumRunner",
    extends=CORTEX_M,
    boards=BOARDS,
    memory_flags=emulated_memories,
    makers=KERNEL_TABLE,
    packed_reads=PACKED_READS,
    prefix=CORTEX_M.prefix,
    macros=CORTEX_M.macros,
    flags=CORTEX_M.flags,
    harness_flags=CORTEX_M.harness_flags,
    packages=(*CORTEX_M.packages, Package("qemu-system-arm", command="qemu-system-arm")),
    alignment=CORTEX_M.alignment,
    constant_alignment=CORTEX_M.constant_alignment,
    replaces=("tinyml/copy.h",),
)
