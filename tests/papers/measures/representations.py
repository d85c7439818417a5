"""Numbers of worked examples: 1.6181 and a posit (MinUn, section 2), 2.25 and 1.50 (Shiftry, section 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from papers.row import Values
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.published.shiftry import ShiftryType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType

NUMBER = np.array([1.6181])

SHIFTRY: Any = ShiftryType
"""Made of width and scale, which type checkers do not see behind the fields that xDSL generates."""


def representations(_models: Path | None) -> Values:
    """The raws of 1.6181 and the value of the posit 01101101 with es 2; zero-skew integers are counted from zero."""
    return {
        "fixed": int(SHIFTRY(16, 14).encode(NUMBER)[0]),
        "rounded": int(FixedType(16, 14).encode(NUMBER)[0]),
        "skewed": int(ZeroSkewType(8, 4 / 255, 0).encode(NUMBER)[0]) + 128,
        "posit": float(PositType(8, 2).decode(np.array([0b01101101], np.int8))[0]),
    }


def integers(_models: Path | None) -> Values:
    """The integers of 2.25 with scale 2 and of 1.50 with scale 1, and their product with scale 3 as a real."""
    left, right = (int(SHIFTRY(8, scale).encode(np.array([real]))[0]) for real, scale in ((2.25, 2), (1.5, 1)))
    return {"left": left, "right": right, "product": float(SHIFTRY(16, 3).decode(np.array([left * right]))[0])}
