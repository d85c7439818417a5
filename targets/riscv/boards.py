"""The RISC-V boards."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.board import Board

M = "m"
"""Board feature: the extension M, instructions that multiply and divide."""

_ABI = "-mabi=ilp32"

# The memory sizes are those of a GD32VF103.
_RISCV = Board(
    "riscv",
    "rv32imc",
    131072,
    32768,
    flags=("-march=rv32imc", _ABI),
    costs="riscv",
    features=(M,),
    title="RV32IMC with the memories of a GD32VF103",
    core="RV32IMC",
)

_ESP32_C3 = replace(
    _RISCV,
    name="esp32-c3",
    flash=1310720,
    ram=327680,
    title="ESP32-C3",
    aliases=("esp32c3", "xiao-esp32c3"),
    core="RV32IMC",
    clock=160_000_000,
    source="arduino-esp32, boards.txt (the default partitions of 4 MiB of flash); ESP32-C3 data sheet",
    waits="external flash (QSPI), behind a cache of 16 KiB",
    arduino=("esp32:esp32:esp32c3",),
    platformio="espressif32:esp32-c3-devkitm-1",
)

_ESP32_C6 = replace(
    _ESP32_C3,
    name="esp32-c6",
    part="rv32imac",
    flags=("-march=rv32imac", _ABI),
    title="ESP32-C6, Seeed Studio XIAO ESP32C6",
    aliases=("esp32c6", "xiao-esp32c6"),
    core="RV32IMAC",
    source="PlatformIO, platform-espressif32, esp32-c6-devkitc-1.json (RAM, clock); its default partitions",
    waits="external flash (QSPI), behind a cache of 32 KiB",
    arduino=("esp32:esp32:esp32c6",),
    platformio="espressif32:esp32-c6-devkitc-1",
)

_RV32EC = replace(
    _RISCV,
    name="rv32ec",
    part="rv32ec",
    flags=("-march=rv32ec", "-mabi=ilp32e"),
    costs="",
    features=(),
    title="RV32EC with the memories of a GD32VF103",
    core="RV32EC",
)
"""A core with 16 registers and without multiplication, for which the C compiler calls functions."""

BOARDS = (
    _RISCV,
    replace(
        _RISCV,
        name="gd32vf103",
        part="rv32imac",
        flags=("-march=rv32imac", _ABI),
        title="Sipeed Longan Nano (GD32VF103CB)",
        aliases=("longan-nano",),
        core="RV32IMAC (Bumblebee)",
        clock=108_000_000,
        source="GigaDevice GD32VF103 data sheet",
        waits="flash",
        platformio="gd32v:sipeed-longan-nano",
    ),
    _ESP32_C3,
    _ESP32_C6,
    replace(
        _ESP32_C6,
        name="esp32-h2",
        title="ESP32-H2",
        aliases=("esp32h2",),
        clock=96_000_000,
        source="PlatformIO, platform-espressif32, esp32-h2-devkitm-1.json (RAM, clock); its default partitions",
        waits="external flash (QSPI), behind a cache of 16 KiB",
        arduino=("esp32:esp32:esp32h2",),
        platformio="espressif32:esp32-h2-devkitm-1",
    ),
    # Only the compiler of its vendor's tools uses the floating-point unit.
    replace(
        _ESP32_C6,
        name="esp32-p4",
        title="ESP32-P4 (a high-performance core)",
        aliases=("esp32p4",),
        core="RV32IMAFC",
        clock=360_000_000,
        source="PlatformIO, platform-espressif32, esp32-p4.json (RAM, clock); its default partitions",
        waits="external flash and SRAM, behind caches of 16 and 64 KiB and a shared one",
        arduino=("esp32:esp32:esp32p4",),
        platformio="espressif32:esp32-p4",
    ),
    _RV32EC,
    replace(
        _RV32EC,
        name="ch32v003",
        flash=16384,
        ram=2048,
        larger="rv32ec",
        title="CH32V003",
        core="RV32EC (QingKe V2A)",
        clock=48_000_000,
        source="WCH CH32V003 data sheet",
        waits="flash, of one wait state",
    ),
)
