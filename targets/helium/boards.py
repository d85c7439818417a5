"""The boards with a Cortex-M55."""

from __future__ import annotations

from tinyml.targets.board import Board, Timing

_CORTEX_M55_TIMING = Timing(
    "a model of a core that issues one instruction a cycle and executes two beats of a vector instruction a cycle, in"
    " units for memory, products and integers that work side by side, after Arm's Helium optimisation examples"
    " (github.com/Arm-Examples/Helium-Optimization)",
    load=1,
    several=0,
    stall=0,
    refill=2,
    # The core skips the end of a low-overhead loop from the second iteration on.
    cycles={"le": 0, "letp": 0, "sdiv": 7, "udiv": 7, "vdiv": 14, "vsqrt": 14},
    pipelined=False,
    modelled=True,
)

# The image AN547 for Arm's MPS3 prototyping board, with part of its DRAM in place of flash.
_CORTEX_M55 = Board(
    "cortex-m55",
    "cortex-m55",
    4194304,
    2097152,
    flags=("-mcpu=cortex-m55", "-mfloat-abi=hard"),
    costs="cortex-m55",
    features=("dsp", "mve"),
    timing=_CORTEX_M55_TIMING,
    title="Cortex-M55 with 4 MiB of flash and 2 MiB of RAM",
    core="Cortex-M55",
)

BOARDS = (_CORTEX_M55,)
