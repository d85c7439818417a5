"""The alternatives of `--format auto` in fixed point and in floats."""

from __future__ import annotations

from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.tools.driver.choice.alternatives import NARROW_WIDTH, USUAL_WIDTH, Alternative, with_feature_scales

_NARROW = {"format": "fixed", "width": 8}

FIXED_16 = Alternative(USUAL_WIDTH, {"format": "fixed", "width": 16})
WEIGHTS_OF_8 = Alternative(
    "fixed 16, weights fixed:8", {"format": "fixed", "width": 16, "weights": "fixed:8"}, NARROW_WIDTH, mixed=True
)
WEIGHTS_OF_16 = Alternative("fixed 8, weights fixed:16", {**_NARROW, "weights": "fixed:16"}, NARROW_WIDTH, mixed=True)
FIXED_8 = Alternative(NARROW_WIDTH, _NARROW)
ROW_SCALES = Alternative("fixed 8, row scales", {**_NARROW, "row_scales": True}, NARROW_WIDTH, weighed=True)

FLOAT_FEATURES = Alternative(f"{NARROW_WIDTH}, float features", {**_NARROW, "float_features": True})
"""Decision trees that compare the float inputs directly, and add votes of 8 bits."""

FIXED_16_BY_FEATURE = with_feature_scales(FIXED_16)
WEIGHTS_OF_8_BY_FEATURE = with_feature_scales(WEIGHTS_OF_8)
WEIGHTS_OF_16_BY_FEATURE = with_feature_scales(WEIGHTS_OF_16)
FIXED_8_BY_FEATURE = with_feature_scales(FIXED_8)
ROW_SCALES_BY_FEATURE = with_feature_scales(ROW_SCALES)

FIXED_32 = Alternative("fixed 32", {"format": "fixed", "width": 32}, last_resort=True)
F32 = Alternative("f32", {"format": str(F32_FORMAT.type)}, last_resort=True)
