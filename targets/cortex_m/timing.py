"""The published timing of the Cortex-M0+, the M3 and the M4."""

from tinyml.targets.board import Timing

CORTEX_M4_TIMING = Timing(
    "ARM DDI 0439, Cortex-M4 Technical Reference Manual, 3.3 and 7.2.3",
    load=2,
    several=1,
    stall=1,
    # Published as 1 to 3, by the target's width and alignment; this is the mean.
    refill=2,
    cycles={
        # Published as 2 to 12, by the operands; this is the mean.
        "sdiv": 7,
        "udiv": 7,
        # The branch itself is a refill.
        "tbb": 2,
        "tbh": 2,
        "vdiv": 14,
        "vsqrt": 14,
        **dict.fromkeys(("vmla", "vmls", "vnmla", "vnmls", "vfma", "vfms", "vfnma", "vfnms"), 3),
        "vmov core": 2,
    },
    mean=1.3,
)

CORTEX_M3_TIMING = Timing(
    "ARM DDI 0337, Cortex-M3 Technical Reference Manual, 3.3",
    load=2,
    several=1,
    stall=1,
    # Published as 1 to 3, by the target's width and alignment; this is the mean.
    refill=2,
    cycles={
        "mla": 2,
        "mls": 2,
        # Published as 3 to 5 and 4 to 7, by the operands.
        **dict.fromkeys(("smull", "umull"), 4),
        **dict.fromkeys(("smlal", "umlal"), 6),
        # Published as 2 to 12, by the operands; this is the mean.
        "sdiv": 7,
        "udiv": 7,
        # The branch itself is a refill.
        "tbb": 2,
        "tbh": 2,
    },
    mean=1.3,
)

CORTEX_M0PLUS_TIMING = Timing(
    "ARM DDI 0484, Cortex-M0+ Technical Reference Manual, 3.3",
    load=2,
    several=1,
    stall=0,
    # The pipeline has two stages.
    refill=1,
    # A multiplier of one cycle; the branch itself is a refill.
    cycles={"bl": 2},
    mean=1.4,
    store=2,
    pipelined=False,
)
