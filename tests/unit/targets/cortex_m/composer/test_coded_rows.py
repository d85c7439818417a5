"""For the rows of three matrices, a Cortex-M4 has a kernel that contains the weights as code. It has none for those of
four matrices, or for a row of 4,096 elements.
"""

from __future__ import annotations

import numpy as np

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.targets.cortex_m.composer.coded_rows import coded_rows


def test_rows_that_do_not_fit_have_no_code():
    ones, start = np.ones((1, 2), np.int64), np.zeros(1, np.int64)
    assert coded_rows("rows", CodedRows([ones] * 4, [0] * 4, start, 8)) is None
    assert coded_rows("rows", CodedRows([np.ones((1, 4096), np.int64)], [0], start, 8)) is None
    assert coded_rows("rows", CodedRows([ones] * 3, [0] * 3, start, 8)) is not None
