"""The alternatives of `--format auto` in zero-skew integers."""

from __future__ import annotations

from tinyml.tools.driver.choice.alternatives import NARROW_WIDTH, Alternative, with_feature_scales

ZEROSKEW_8 = Alternative("zeroskew 8", {"format": "zeroskew", "width": 8}, NARROW_WIDTH, by_windows=True)
"""Convolutions take 0.35 to 0.93 times as long as in fixed 8 on Cortex-M and RISC-V. All other ops take longer, up to
ten times (FastGRNN), as each result is multiplied by a scale."""

ZEROSKEW_8_BY_FEATURE = with_feature_scales(ZEROSKEW_8)

ZEROSKEW_16 = Alternative("zeroskew 16", {"format": "zeroskew", "width": 16}, last_resort=True)
