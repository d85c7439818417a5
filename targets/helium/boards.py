"""The boards with a Cortex-M55 or a Cortex-M85."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.board import Board, Timing

CORTEX_M55_TIMING = Timing(
    "a model of a core that issues one instruction a cycle and executes two beats of a vector instruction a cycle, in"
    " units for memory, products and integers that work side by side, after Arm's Helium optimisation examples"
    " (github.com/Arm-Examples/Helium-Optimization)",
    load=1,
    several=0,
    stall=0,
    refill=2,
    # From the second iteration on, the core skips the end of a low-overhead loop.
    cycles={"le": 0, "letp": 0, "sdiv": 7, "udiv": 7, "vdiv": 14, "vsqrt": 14},
    pipelined=False,
    modelled=True,
)

# The image AN547 for Arm's MPS3 prototyping board, which uses part of its DRAM in place of flash.
_CORTEX_M55 = Board(
    "cortex-m55",
    "cortex-m55",
    4194304,
    2097152,
    flags=("-mcpu=cortex-m55", "-mfloat-abi=hard"),
    costs="cortex-m55",
    features=("dsp", "mve"),
    timing=CORTEX_M55_TIMING,
    title="Cortex-M55 with 4 MiB of flash and 2 MiB of RAM",
    core="Cortex-M55",
)

# QEMU has no M85, and GCC 12 has no -mcpu for it: its programs are those of the M55, all of whose instructions it has.
_CORTEX_M85 = replace(
    _CORTEX_M55,
    name="cortex-m85",
    part="cortex-m85",
    flash=2064384,
    ram=917504,
    timing=replace(
        CORTEX_M55_TIMING,
        source=f"that of the Cortex-M55, {CORTEX_M55_TIMING.source}; an M85 may start two instructions in a cycle",
    ),
    title="Cortex-M85 with the memories of an RA8D1",
    core="Cortex-M85",
)

BOARDS = (
    _CORTEX_M55,
    _CORTEX_M85,
    replace(
        _CORTEX_M55,
        name="alif-ensemble-e7",
        flash=2097152,
        ram=1048576,
        title="Alif Ensemble E7 (its high-performance core)",
        clock=400_000_000,
        source="Alif's VS Code template, app_mem_regions.h (MRAM); Zephyr, ensemble_rtss_hp.dtsi (data TCM, clock)",
        waits="MRAM, behind a cache of 32 KiB",
    ),
    # Programs are copied to RAM at boot, or run from external flash.
    replace(
        _CORTEX_M55,
        name="stm32n6570-dk",
        flash=134217728,
        ram=4194304,
        title="STM32N6570-DK (STM32N657X0)",
        aliases=("stm32n6",),
        clock=400_000_000,
        source="Zephyr, boards/st/stm32n6570_dk (clock, 1 Gbit of flash; 4 MiB of the 4.2 MB of SRAM)",
        waits="external flash (Octo-SPI) and SRAM, behind caches of 32 KiB",
    ),
    replace(
        _CORTEX_M85,
        name="ek-ra8d1",
        title="Renesas EK-RA8D1 (R7FA8D1BH)",
        aliases=("ra8d1",),
        clock=480_000_000,
        source="Zephyr, r7fa8d1bhecbd.dtsi (flash), ra8x1.dtsi (SRAM), r7fa8d1xh.dtsi (clock)",
        waits="flash, at a quarter of the clock or less, and SRAM, behind caches",
    ),
)
