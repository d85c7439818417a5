"""A C program around the AVR kernels; its input selects the kernel to run and holds the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tinyml.runtime.devices.registry import Build, Runner, RunResult
from tinyml.runtime.model.headers import include_folders
from tinyml.runtime.model.interface import Interface

INCLUDE = [f"-I{folder}" for folder in include_folders()]
"""Compiler flags for programs that include kernel headers rather than contain their text."""

HEAD = 6
ELEMENTS = 1040
RESULTS = 48
INTERFACE = Interface("kernel", "int16_t", HEAD + ELEMENTS, "int32_t", RESULTS, has_label=False)


@dataclass(frozen=True)
class Kernel:
    """The kernel `tm_dot_NAME` or `tm_NAME`, with the widths in bits of weights, vector (or factor) and sum.

    form: `dense`, `strided`, `sparse` (advances to the next row), `row` (does not), `near`, `near packed` (the vector
    is packed, too; its width is passed as the stride), `distance` or `axpy`. ram: true if the weights lie in RAM.
    tables: number of leading table arguments. codes: pairs of bytes after the length that parametrize decoding.
    """

    name: str
    form: str
    weights: int
    vector: int
    sum: int
    ram: bool
    tables: int = 0
    codes: int = 0

    @property
    def pair(self) -> tuple[int, int]:
        return self.weights, self.vector


def _kernel(name: str) -> Kernel:
    parts = name.split("_")
    form = parts.pop(0) if parts[0] in ("strided", "sparse", "row", "near", "distance", "axpy") else "dense"
    if parts[0] == "packed":
        form = f"{form} {parts.pop(0)}"
    weights, vector, sum = (int(part[1:]) for part in parts[:3])
    codes = parts[0].count("p")
    tables = [part[0] for part in parts[:2]].count("t")
    return Kernel(name, form, weights, vector, sum, ram=parts[3:] == ["ram"], tables=tables, codes=codes)


_PAIRS = ("s8_s8_s16", "s8_s8_s24", "s8_s8_s32", "s8_s16_s32", "s16_s16_s32")
_RAM = ("s8_s8_s16_ram", "s8_s8_s24_ram", "s8_s8_s32_ram", "s16_s16_s32_ram")
DENSE = [_kernel(name) for name in (*_PAIRS, "s16_s8_s32", *_RAM)]
STRIDED = [_kernel(f"strided_{name}") for name in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")]
SPARSE = [_kernel(f"sparse_{name}") for name in _PAIRS]
ROW = [_kernel(f"row_{name}") for name in _PAIRS]
DISTANCE = [_kernel(f"distance_{name}") for name in ("s8_s8_s24", "s8_s8_s32", "s16_s16_s32")]
AXPY = [_kernel(f"axpy_{name}") for name in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")]
_CODED = [f"t{bits}_{vector}_s32" for bits in (8, 6, 4) for vector in ("s16", "s8")]
TABLE = [_kernel(name) for name in (*_CODED, "t8_t8_s32", "p16_s16_s32", "p16_s16_s64")]
"""Dense kernels for coded weights; tests/numeric/targets/test_generated_c.py shows that they are exact."""
_FEW_BITS = [f"s{bits}_{rest}" for bits in (4, 6) for rest in ("s8_s16", "s8_s24", "s8_s32", "s16_s32")]
_MORE_BITS = [f"s{bits}_{vector}_s32" for bits in (9, 10, 12) for vector in ("s8", "s16")]
PACKED = [_kernel(name) for name in (*_FEW_BITS, "s5_s16_s32", *_MORE_BITS)]
"""Kernels for packed weights; test_packed_kernels.py shows that they are exact, on all devices."""
_NARROW = ("s4_s8_s16", "s6_s8_s16", "s8_s8_s16", "s8_s8_s24")
_BYTES = [f"s{bits}_s8_s32" for bits in (4, 6, 8, 9, 10, 12)]
_WORDS = [f"s{bits}_s16_s32" for bits in (4, 6, 8, 9, 10, 12, 16)]
NEAR = [_kernel(f"near_{name}") for name in (*_NARROW, *_BYTES, *_WORDS)]
"""Kernels for delta-coded sparse rows; test_delta_kernels.py shows that they are exact, on all devices."""
_PACKED_WORDS = [f"s{bits}_s16_s32" for bits in (8, 9, 10, 12, 16)]
NEAR_PACKED = [_kernel(f"near_packed_{name}") for name in ("s4_s8_s32", "s6_s8_s32", "s8_s8_s32", *_PACKED_WORDS)]
KERNELS = [*DENSE, *STRIDED, *SPARSE, *ROW, *DISTANCE, *AXPY]

_HEADER = """\
#include <stdint.h>
#define kernel_INPUT_LENGTH %d
#define kernel_OUTPUT_LENGTH %d
void kernel_predict(const int16_t *X);
const int32_t *kernel_scores(void);
"""
_SOURCE = """\
#include "kernel.h"
#include "tinyml/dot_s8.h"
#include "tinyml/dot_s16.h"
#include "tinyml/dot_strided.h"
#include "tinyml/distance.h"
#include "tinyml/axpy.h"
#include "tinyml/dot_packed.h"
#include "tinyml/dot_near.h"
#ifdef __AVR__
#define FLASH __attribute__((__progmem__))
#else
#define FLASH __attribute__((__aligned__(2)))
#endif
static const uint8_t flash[{size}] FLASH = {{{bytes}}};
static int32_t out[{results}];
const int32_t *kernel_scores(void) {{ return out; }}
void kernel_predict(const int16_t *X)
{{
    const void *x = X + {head};
    const uint8_t *w = flash + (uint16_t)X[1];
    const uint16_t n = (uint16_t)X[2];
    const int32_t sum = (int32_t)((uint32_t)(uint16_t)X[3] | (uint32_t)(uint16_t)X[4] << 16);
    out[1] = 0;
    for (uint16_t i = 0; i < {results} && i < n; i++)
        out[i] = sum;
    switch (X[0]) {{
{cases}    }}
}}
"""


@dataclass(frozen=True)
class Case:
    """One call of a kernel.

    `start` is the offset in bytes of the weights in flash, or in the vector's array for weights in RAM; `stride` is the
    distance between consecutive elements of the vector; `sum` is the initial value of the accumulator.
    """

    kernel: Kernel
    vector: NDArray[np.int8] | NDArray[np.int16]
    start: int = 0
    length: int = 0
    sum: int = 0
    stride: int = 1


def _call(kernel: Kernel) -> str:
    named = kernel.name if kernel.form in ("distance", "axpy") else f"dot_{kernel.name}"
    function, start = f"tm_{named}", f"(int{16 if kernel.sum == 16 else 32}_t)sum"
    if kernel.form == "axpy":
        factor, weights = f"*(const int{kernel.vector}_t *)x", f"(const int{kernel.weights}_t *)(const void *)w"
        return f"{function}(out, {weights}, {factor}, n);"
    if kernel.form == "sparse":
        return f"out[0] = {function}(&w, x, {start}); out[1] = (int32_t)(w - flash);"
    if kernel.form in ("row", "near"):
        return f"out[0] = {function}((const int8_t *)w, x, {start});"
    if kernel.form == "near packed":
        return f"out[0] = {function}((const int8_t *)w, x, (uint8_t)X[5], {start});"
    source = "(const uint8_t *)x + X[1]" if kernel.ram else "w"
    weights = 16 if kernel.weights == 16 else 8
    length = "n, (uint16_t)X[5]" if kernel.form == "strided" else "n"
    return f"out[0] = {function}((const int{weights}_t *)(const void *)({source}), x, {length}, {start});"


def build(runner: Runner, folder: Path, flash: bytes, optimize: str, kernels: Sequence[Kernel] = KERNELS) -> Build:
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    cases = "".join(f"    case {i}: {_call(kernel)} break;\n" for i, kernel in enumerate(kernels))
    data = ", ".join(map(str, flash))
    text = _SOURCE.format(size=len(flash), bytes=data, head=HEAD, cases=cases, results=RESULTS)
    (source / "kernel.c").write_text(text)
    (source / "kernel.h").write_text(_HEADER % (HEAD + ELEMENTS, RESULTS))
    return runner.build(source, INTERFACE, folder, optimize, INCLUDE)


def run(runner: Runner, built: Build, cases: Sequence[Case], kernels: Sequence[Kernel] = KERNELS) -> RunResult:
    """Run a call on each sample; the scores are the sum and, for a sparse kernel, the offset in flash of the next row.

    For axpy they are `length` sums.
    """
    inputs = np.zeros((len(cases), HEAD + ELEMENTS), np.int16)
    for row, case in zip(inputs, cases, strict=True):
        row[:3] = kernels.index(case.kernel), case.start, case.length
        row[3:5] = np.array([case.sum], "<i4").view("<i2")
        row[5] = case.stride
        data = case.vector.tobytes()
        row[HEAD:].view(np.int8)[: len(data)] = np.frombuffer(data, np.int8)
    return runner.run(built, INTERFACE, inputs)
