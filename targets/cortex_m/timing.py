"""The published timing of the Cortex-M4."""

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
