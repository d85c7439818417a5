"""The ARM Cortex-M chips: const data stays in flash, and gcc selects SMLABB unaided."""

from pathlib import Path

from tinyml.targets.board import Board
from tinyml.targets.c.composer.compose import compose
from tinyml.targets.chip import Chip
from tinyml.targets.cortex_m.kernels import CODER, KERNELS, PACKED_READS, TILE_CODERS, TILES
from tinyml.targets.cortex_m.timing import CORTEX_M4_TIMING
from tinyml.targets.package import Package

CORTEX_M4 = ("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")

CHIP = Chip(
    "cortex-m",
    folder=Path(__file__).parent,
    runner="tinyml.runtime.devices.cortex_m:CortexMRunner",
    figures="tinyml.tools.calibration.cortex_m:print_costs",
    boards=(
        # BBC micro:bit (nRF51822).
        Board(
            "cortex-m0",
            "cortex-m0",
            262144,
            16384,
            flags=("-mcpu=cortex-m0plus",),
            costs="cortex-m0",
            features=("armv6-m",),
        ),
        # Nucleo-F103RB (STM32F103RB).
        Board("cortex-m3", "cortex-m3", 131072, 20480, flags=("-mcpu=cortex-m3",)),
        # Arduino Nano 33 BLE (nRF52840).
        Board(
            "cortex-m4",
            "cortex-m4",
            1048576,
            262144,
            flags=CORTEX_M4,
            costs="cortex-m4",
            features=("dsp",),
            larger="cortex-m4-xip",
            timing=CORTEX_M4_TIMING,
        ),
        # A bare part with the same RAM that executes from 8 MiB of external flash.
        Board("cortex-m4-xip", "cortex-m4", 8388608, 262144, flags=CORTEX_M4, costs="cortex-m4", features=("dsp",)),
    ),
    kernels=KERNELS,
    compose=compose,
    tiles=TILES,
    coder=CODER,
    tile_coders=TILE_CODERS,
    packed_reads=PACKED_READS,
    prefix="arm-none-eabi-",
    flags=("-mthumb", "-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs"),
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
