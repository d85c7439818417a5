"""The memories of the boards with an ESP32: sizes and, where they are published, wait states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tinyml.targets.memories.rows import Memory, MemoryKind

_ESP32 = "ESP32 data sheet, memory map; arduino-esp32, boards.txt (RAM of a program); wait states are assumed"

ROWS: Mapping[str, Sequence[Memory]] = {
    "esp32": (
        Memory("sram", 327680, MemoryKind.SRAM, 0, 0, section="", source=_ESP32),
        Memory("psram", 4 << 20, MemoryKind.PSRAM, section=".ext_ram.bss", source="ESP32 data sheet, external RAM"),
    ),
}
