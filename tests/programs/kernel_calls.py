"""A C program that calls kernels; its input selects the kernel and contains the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from programs.devices import definition_of
from tinyml.runtime.devices.registry import Build, Runner, RunResult
from tinyml.runtime.model.interface import Interface
from tinyml.tools.calibration.avr import (
    AXPY,
    CHUNKS,
    DENSE,
    DISTANCE,
    ROW,
    STRIDED,
    KernelSignature,
    attribute_of,
    function_of,
)
from tinyml.tools.calibration.programs.measured_programs import include_flags

HEAD = 6
ELEMENTS = 1040
RESULTS = 48
INTERFACE = Interface("kernel", "int16_t", HEAD + ELEMENTS, "int32_t", RESULTS, has_label=False)
KERNELS = [*DENSE, *CHUNKS, *STRIDED, *ROW, *DISTANCE, *AXPY]

_HEADER = """\
#include <stdint.h>
#define kernel_INPUT_LENGTH %d
#define kernel_OUTPUT_LENGTH %d
void kernel_predict(const int16_t *X);
const int32_t *kernel_scores(void);
"""
_SOURCE = """\
#include "kernel.h"
{definitions}
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
    for (uint16_t i = 0; i < {results} && i < n; i++)
        out[i] = sum;
    switch (X[0]) {{
{cases}    }}
}}
"""


@dataclass(frozen=True)
class Case:
    """One call of a kernel.

    start: the offset in bytes of the weights in flash, or in the vector's array for weights in RAM.
    length: the number of elements.
    sum: the initial value of the accumulator.
    stride: the distance between consecutive elements of the vector.
    """

    kernel: KernelSignature
    vector: NDArray[np.int8] | NDArray[np.int16]
    start: int = 0
    length: int = 0
    sum: int = 0
    stride: int = 1


def _call(kernel: KernelSignature) -> str:
    function, start = function_of(kernel), f"(int{16 if kernel.sum == 16 else 32}_t)sum"
    if kernel.form == "axpy":
        factor, weights = f"*(const int{kernel.vector}_t *)x", f"(const int{kernel.weights}_t *)(const void *)w"
        return f"{function}(out, {weights}, {factor}, n);"
    if kernel.form in ("row", "near"):
        return f"out[0] = {function}((const int8_t *)w, x, {start});"
    source = "(const uint8_t *)x + X[1]" if kernel.ram else "w"
    weights = 16 if kernel.weights == 16 else 8
    length = "n, (uint16_t)X[5]" if kernel.form == "strided" else "n"
    return f"out[0] = {function}((const int{weights}_t *)(const void *)({source}), x, {length}, {start});"


def build(
    runner: Runner, folder: Path, flash: bytes, optimize: str, kernels: Sequence[KernelSignature] = KERNELS
) -> Build:
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    cases = "".join(f"    case {i}: {_call(kernel)} break;\n" for i, kernel in enumerate(kernels))
    data = ", ".join(map(str, flash))
    texts = dict(text for kernel in kernels for text in definition_of(attribute_of(kernel)))
    text = _SOURCE.format(
        definitions="\n".join(texts.values()), size=len(flash), bytes=data, head=HEAD, cases=cases, results=RESULTS
    )
    (source / "kernel.c").write_text(text)
    (source / "kernel.h").write_text(_HEADER % (HEAD + ELEMENTS, RESULTS))
    return runner.build(source, INTERFACE, folder, optimize, include_flags(runner.chip))


def run(runner: Runner, built: Build, cases: Sequence[Case], kernels: Sequence[KernelSignature] = KERNELS) -> RunResult:
    """Run one call for each sample. The first score is the sum; for axpy, the first `length` scores are the sums.

    kernels: the kernels that the program calls, by number.
    """
    inputs = np.zeros((len(cases), HEAD + ELEMENTS), np.int16)
    for row, case in zip(inputs, cases, strict=True):
        row[:3] = kernels.index(case.kernel), case.start, case.length
        row[3:5] = np.array([case.sum], "<i4").view("<i2")
        row[5] = case.stride
        data = case.vector.tobytes()
        row[HEAD:].view(np.int8)[: len(data)] = np.frombuffer(data, np.int8)
    return runner.run(built, INTERFACE, inputs)
