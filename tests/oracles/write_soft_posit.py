"""`python -m oracles.write_soft_posit`, in `tests/`: write the results of SoftPosit that the tests compare with.

Needs gcc and the package `softposit` 0.3.4.4. The C library is part of the package's extension module. This module
compiles loops that call its functions.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from oracles.soft_posit import DOTS, OPERATIONS, RESULTS, SORTS, Array, checksums, factors, pairs, reals

SOURCE = """
#include <stdint.h>
typedef struct { uint8_t v; } posit8_t;
typedef struct { uint16_t v; } posit16_t;
typedef struct { uint32_t v; } posit32_t;
typedef struct { uint32_t v; } posit_2_t;
typedef struct { uint32_t v; } quire8_t;
typedef struct { uint64_t v[2]; } quire16_t;
typedef struct { uint64_t v[8]; } quire32_t;
typedef struct { uint64_t v[8]; } quire_2_t;
#define SORT(P, POSIT, QUIRE, INT, DOUBLE, ...) \\
    POSIT P##_add(POSIT, POSIT __VA_ARGS__); POSIT P##_sub(POSIT, POSIT __VA_ARGS__); \\
    POSIT P##_mul(POSIT, POSIT __VA_ARGS__); _Bool P##_lt(POSIT, POSIT); POSIT DOUBLE(double __VA_ARGS__);
SORT(p8, posit8_t, quire8_t, uint8_t, convertDoubleToP8)
SORT(p16, posit16_t, quire16_t, uint16_t, convertDoubleToP16)
SORT(p32, posit32_t, quire32_t, uint32_t, convertDoubleToP32)
SORT(pX2, posit_2_t, quire_2_t, uint32_t, convertDoubleToPX2, , int)
quire8_t q8_fdp_add(quire8_t, posit8_t, posit8_t); posit8_t q8_to_p8(quire8_t);
quire16_t q16_fdp_add(quire16_t, posit16_t, posit16_t); posit16_t q16_to_p16(quire16_t);
quire32_t q32_fdp_add(quire32_t, posit32_t, posit32_t); posit32_t q32_to_p32(quire32_t);
quire_2_t qX2_fdp_add(quire_2_t, posit_2_t, posit_2_t); posit_2_t qX2_to_pX2(quire_2_t, int);
#define EACH(P, OP, POSIT, ...) \\
    void each_##P##_##OP(const uint32_t *a, const uint32_t *b, uint32_t *y, int32_t n, int32_t bits) { \\
        (void)bits; for (int32_t i = 0; i < n; i++) { \\
            POSIT s = {a[i]}, t = {b[i]}; y[i] = P##_##OP(s, t __VA_ARGS__).v; } }
#define ALL(P, POSIT, QUIRE, DOUBLE, FDP, TO, ...) \\
    EACH(P, add, POSIT, __VA_ARGS__) EACH(P, sub, POSIT, __VA_ARGS__) EACH(P, mul, POSIT, __VA_ARGS__) \\
    void each_##P##_lt(const uint32_t *a, const uint32_t *b, uint32_t *y, int32_t n, int32_t bits) { \\
        (void)bits; for (int32_t i = 0; i < n; i++) { POSIT s = {a[i]}, t = {b[i]}; y[i] = P##_lt(s, t); } } \\
    void each_##P##_double(const double *x, uint32_t *y, int32_t n, int32_t bits) { \\
        (void)bits; for (int32_t i = 0; i < n; i++) y[i] = DOUBLE(x[i] __VA_ARGS__).v; } \\
    void each_##P##_dot(const uint32_t *a, const uint32_t *b, uint32_t *y, int32_t n, int32_t length, int32_t bits) { \\
        (void)bits; for (int32_t i = 0; i < n; i++) { QUIRE q = {0}; for (int32_t k = 0; k < length; k++) { \\
            POSIT s = {a[i * length + k]}, t = {b[i * length + k]}; q = FDP(q, s, t); } y[i] = TO(q __VA_ARGS__).v; } }
ALL(p8, posit8_t, quire8_t, convertDoubleToP8, q8_fdp_add, q8_to_p8)
ALL(p16, posit16_t, quire16_t, convertDoubleToP16, q16_fdp_add, q16_to_p16)
ALL(p32, posit32_t, quire32_t, convertDoubleToP32, q32_fdp_add, q32_to_p32)
ALL(pX2, posit_2_t, quire_2_t, convertDoubleToPX2, qX2_fdp_add, qX2_to_pX2, , bits)
"""


class SoftPosit:
    """Functions on arrays of posit raws. They exist for (n, es) = (8, 0), (16, 1) and (n, 2) with any n.

    folder: the folder in which the library of loops is compiled.

    Raises `SystemExit` if gcc or the package `softposit` is not installed.
    """

    def __init__(self, folder: Path):
        found = find_spec("_softposit")
        if shutil.which("gcc") is None or found is None or found.origin is None:
            raise SystemExit("error: needs gcc and the package softposit: pip install softposit==0.3.4.4")
        ctypes.CDLL(found.origin, ctypes.RTLD_GLOBAL)
        (folder / "each.c").write_text(SOURCE)
        subprocess.run(
            ["gcc", "-O2", "-shared", "-fPIC", str(folder / "each.c"), "-o", str(folder / "each.so")], check=True
        )
        self.library = ctypes.CDLL(str(folder / "each.so"))

    def binary(self, name: str, a: Array, b: Array, n: int, es: int) -> Array:
        """The elementwise results of an operation `name`: `add`, `sub` or `mul`, as raws, or `lt`, as truth values."""
        left = 32 - n if es == 2 else 0
        x, y = (np.ascontiguousarray(raws.astype(np.uint32) << np.uint32(left)) for raws in (a, b))
        out = np.empty(len(x), np.uint32)
        self._function(name, n, es)(_at(x), _at(y), _at(out), len(x), n)
        return out if name == "lt" else _signed(out, left, n)

    def of_doubles(self, reals: Array, n: int, es: int) -> Array:
        x, out = np.ascontiguousarray(reals, np.float64), np.empty(len(reals), np.uint32)
        self._function("double", n, es)(_at(x), _at(out), len(x), n)
        return _signed(out, 32 - n if es == 2 else 0, n)

    def dots(self, a: Array, b: Array, n: int, es: int) -> Array:
        """For each row index, the dot product of the rows of the two arrays, computed in a quire, as a raw."""
        left = 32 - n if es == 2 else 0
        x, y = (np.ascontiguousarray(raws.astype(np.uint32) << np.uint32(left)) for raws in (a, b))
        out = np.empty(len(x), np.uint32)
        self._function("dot", n, es)(_at(x), _at(y), _at(out), *x.shape, n)
        return _signed(out, left, n)

    def _function(self, name: str, n: int, es: int) -> Any:
        prefix = {(8, 0): "p8", (16, 1): "p16", (32, 2): "p32"}.get((n, es), "pX2")
        assert prefix != "pX2" or es == 2
        return self.library[f"each_{prefix}_{name}"]


def _at(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _signed(raws: Array, left: int, n: int) -> Array:
    raws = raws.astype(np.int64) >> left & ((1 << n) - 1)
    return np.where(raws >> (n - 1), raws - (1 << n), raws)


def main() -> None:
    tables: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = SoftPosit(Path(folder))
        for n, es in SORTS:
            a, b = pairs(n)
            for name in OPERATIONS:
                tables[f"{name} {n} {es}"] = checksums(library.binary(name, a, b, n, es))
            tables[f"of reals {n} {es}"] = checksums(library.of_doubles(reals(n, es), n, es))
        for n, es, spread in DOTS:
            dots = library.dots(*factors(n, spread), n, es)
            tables[f"dots {n} {es}"] = dots.astype(f"i{n // 8}")
    np.savez_compressed(RESULTS, **tables)


if __name__ == "__main__":
    main()
