"""ARM Cortex-M: constants stay in flash by being const, and gcc finds SMLABB by itself."""

from tinyml.targets.chip import ChipTarget

CORTEX_M = ChipTarget("cortex-m", alignment=4, constant_alignment=4)
