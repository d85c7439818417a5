"""The numbers of MinUn's section 2: 1.6181 in fixed point and in zero-skew integers, and a posit of 8 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from papers.row import Values
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.published.shiftry import ShiftryType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType

NUMBER = np.array([1.6181])


def representations(_models: Path | None) -> Values:
    """The raws of 1.6181 and the value of the posit 01101101 with es 2; zero-skew integers are counted from zero."""
    return {
        "fixed": int(ShiftryType(16, 14).encode(NUMBER)[0]),
        "rounded": int(FixedType(16, 14).encode(NUMBER)[0]),
        "skewed": int(ZeroSkewType(8, 4 / 255, 0).encode(NUMBER)[0]) + 128,
        "posit": float(PositType(8, 2).decode(np.array([0b01101101], np.int8))[0]),
    }
