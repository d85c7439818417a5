"""The memories of the Cortex-M boards: sizes and, where they are published, wait states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tinyml.targets.memories.rows import Memory, MemoryKind

_M7_TCM = "Arm Cortex-M7 Technical Reference Manual (TCM without wait states)"
_RT1062 = "NXP IMXRT1060RM, memory map; Teensyduino, imxrt1062_t41.ld"
_MISSES = "a user's measurement of a byte that misses the cache, at 600 MHz, forum.pjrc.com, thread 73428"
_STORES = "stores are assumed to wait as long as loads"

ROWS: Mapping[str, Sequence[Memory]] = {
    "teensy41": (
        Memory(
            "dtcm", 512 << 10, MemoryKind.TCM, 0, 0, section="", source=f"{_RT1062}, less the program's code; {_M7_TCM}"
        ),
        Memory("ocram", 512 << 10, MemoryKind.SRAM, section=".dmabuffers", source=_RT1062),
        Memory(
            "psram",
            8 << 20,
            MemoryKind.PSRAM,
            300,
            300,
            section=".externalram",
            source=f"PJRC, Teensy 4.1; {_MISSES}; {_STORES}",
        ),
        Memory("flash", 8126464, MemoryKind.CACHED_FLASH, 240, source=_MISSES),
    ),
    "portenta-h7": (
        Memory("dtcm", 128 << 10, MemoryKind.TCM, 0, 0, source=f"ST RM0399, embedded SRAM; {_M7_TCM}"),
        Memory("sram", 523624, MemoryKind.SRAM, section="", source="ST RM0399, embedded SRAM (AXI SRAM)"),
        Memory("sdram", 8 << 20, MemoryKind.PSRAM, source="Arduino, Portenta H7 data sheet"),
    ),
    "pico2": (
        Memory("sram", 512 << 10, MemoryKind.SRAM, 0, 0, section="", source="RP2350 data sheet, SRAM (one cycle)"),
        Memory(
            "scratch",
            4 << 10,
            MemoryKind.SRAM,
            0,
            0,
            section=".scratch_x.tinyml",
            source="RP2350 data sheet, SRAM (one cycle)",
        ),
    ),
}
