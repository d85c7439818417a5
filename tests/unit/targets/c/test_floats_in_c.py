"""C constants represent floats near the limits of single precision exactly."""

from __future__ import annotations

import numpy as np
import pytest

from tinyml.targets.c.text import spell_float

F32 = np.finfo(np.float32)
ENDS = [
    F32.max,
    np.nextafter(F32.max, np.float32(0)),
    F32.tiny,
    F32.smallest_subnormal,
    np.float32(0.0),
    np.float32(-0.0),
]


@pytest.mark.parametrize("value", [float(sign * end) for end in ENDS for sign in (1, -1)])
def test_a_float_is_read_back_with_the_same_bits(value: float):
    text = spell_float(value)
    assert text.endswith("f")
    assert np.float32(text[:-1]).tobytes() == np.float32(value).tobytes()


def test_infinities_need_no_header():
    assert spell_float(float("-inf")) == "(-1.0f / 0.0f)"
