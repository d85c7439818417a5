"""bfloat16 in numpy and in C rounds as ml_dtypes does."""

from __future__ import annotations

import ctypes
from pathlib import Path

import ml_dtypes
import numpy as np
from oracles.c_library import c_library, needs_gcc

from tinyml.dialects.formats.bf16 import BF16_FORMAT

SOURCE = """
#include "tinyml/bf16.h"
void store(const float *x, int16_t *y, int32_t n) { for (int32_t i = 0; i < n; i++) y[i] = tm_f32_to_bf16(x[i]); }
void load(const int16_t *x, float *y, int32_t n) { for (int32_t i = 0; i < n; i++) y[i] = tm_bf16_to_f32(x[i]); }
"""


def test_bits_are_those_of_ml_dtypes_and_of_c(tmp_path: Path):
    needs_gcc()
    random = np.random.default_rng(0)
    x = random.integers(0, 1 << 32, 400_000, np.uint64).astype(np.uint32)
    x[:200_000] &= 0xFFFF8000
    x = x.view(np.float32)
    x = x[np.isfinite(x)]
    with np.errstate(over="ignore"):
        theirs = x.astype(ml_dtypes.bfloat16)
        ours = BF16_FORMAT.encode(x.astype(np.float64))
    same = np.isfinite(theirs)
    np.testing.assert_array_equal(BF16_FORMAT.decode(ours)[same], theirs.astype(np.float64)[same])
    assert np.isfinite(BF16_FORMAT.decode(ours)).all()
    assert (np.diff(ours[np.argsort(x, kind="stable")].astype(int)) >= 0).all()
    c, raws, floats = c_library(tmp_path, SOURCE), np.empty(len(x), np.int16), np.empty(len(x), np.float32)
    c.store(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(raws.ctypes.data), len(x))
    np.testing.assert_array_equal(raws, ours)
    c.load(ctypes.c_void_p(raws.ctypes.data), ctypes.c_void_p(floats.ctypes.data), len(x))
    np.testing.assert_array_equal(floats.astype(np.float64), BF16_FORMAT.decode(ours))
