"""The memories of the boards with a Cortex-M55: sizes and, where they are published, wait states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tinyml.targets.memories.rows import Memory, MemoryKind

_M55_TCM = "Arm Cortex-M55 Technical Reference Manual (TCM without wait states)"

ROWS: Mapping[str, Sequence[Memory]] = {
    "cortex-m55": (
        Memory("dtcm", 448 << 10, MemoryKind.TCM, 0, 0, source=f"Arm AN547, memory map; {_M55_TCM}"),
        Memory("sram", 2 << 20, MemoryKind.SRAM, section="", source="Arm AN547, memory map"),
    ),
    "alif-ensemble-e7": (
        Memory("dtcm", 1 << 20, MemoryKind.TCM, 0, 0, section="", source=f"Zephyr, ensemble_rtss_hp.dtsi; {_M55_TCM}"),
        Memory("sram0", 4 << 20, MemoryKind.SRAM, source="Alif Ensemble E7 data sheet"),
    ),
    "stm32n6570-dk": (
        Memory("dtcm", 128 << 10, MemoryKind.TCM, 0, 0, source=f"ST RM0486, memory map; {_M55_TCM}"),
        Memory("sram", 4 << 20, MemoryKind.SRAM, section="", source="Zephyr, boards/st/stm32n6570_dk"),
    ),
}
