"""The ARM Cortex-M chips. Programs read constants from flash. gcc generates the instruction SMLABB from plain C,
without an intrinsic.
"""

from pathlib import Path

from tinyml.targets.board import emulated_memories
from tinyml.targets.chip import Chip
from tinyml.targets.cortex_m.boards import BOARDS
from tinyml.targets.cortex_m.kernels import KERNEL_TABLE, PACKED_READS
from tinyml.targets.package import Package

CHIP = Chip(
    "cortex-m",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.cortex_m:CortexMRunner",
    figures="tinyml.tools.calibration.cortex_m:print_costs",
    boards=BOARDS,
    memory_flags=emulated_memories,
    makers=KERNEL_TABLE,
    packed_reads=PACKED_READS,
    prefix="arm-none-eabi-",
    macros=("__ARM_", "__thumb"),
    triple="thumb-none-eabi",
    flags=("-mthumb", "--specs=nano.specs", "--specs=nosys.specs"),
    harness_flags=("-nostartfiles",),
    packages=(
        Package("gcc-arm-none-eabi", command="arm-none-eabi-gcc"),
        Package(
            "libnewlib-arm-none-eabi",
            header="string.h",
            compiler=("arm-none-eabi-gcc", "-mcpu=cortex-m0"),
        ),
    ),
    modules=("unicorn",),
    alignment=4,
    constant_alignment=4,
)
