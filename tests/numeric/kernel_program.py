"""A C program around the kernels of the runtime: which one runs, and on what, is in its input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tinyml.runtime
from tinyml.runtime.interface import Interface
from tinyml.runtime.runner import Build, Runner, RunResult

INCLUDE = Path(str(tinyml.runtime.__file__)).parent / "include"
HEAD = 8
ELEMENTS = 512
INTERFACE = Interface("kernel", "int16_t", HEAD + ELEMENTS, "int32_t", 2, has_label=False)

DENSE = {
    name: tuple(int(width[1:]) for width in name.removesuffix("_ram").split("_"))
    for name in (
        *("s8_s8_s16", "s8_s8_s24", "s8_s8_s32", "s8_s8_s16_ram", "s8_s8_s32_ram"),
        *("s8_s16_s32", "s16_s8_s32", "s16_s16_s32", "s16_s16_s32_ram", "s16_s16_s40"),
    )
}
"""Widths in bits of weights, vector and sum."""
SPARSE = {name: DENSE[name] for name in ("s8_s8_s16", "s8_s8_s24", "s8_s8_s32", "s8_s16_s32", "s16_s16_s32")}
SCALAR = ("round_s32_s16", "round_s32_s8", "round_s16_s8", "mul_s16_s16", "mul_s8_s8")

_HEADER = """\
#include <stdint.h>
#define kernel_INPUT_LENGTH %d
#define kernel_OUTPUT_LENGTH 2
void kernel_predict(const int16_t *X);
const int32_t *kernel_scores(void);
"""
_SOURCE = """\
#include "kernel.h"
#include "tinyml/dot_s8.h"
#include "tinyml/dot_s16.h"
#include "tinyml/round.h"
#ifdef __AVR__
#define FLASH __attribute__((__progmem__))
#else
#define FLASH
#endif
static const uint8_t flash[{size}] FLASH = {{{bytes}}};
static int32_t out[2];
const int32_t *kernel_scores(void) {{ return out; }}
void kernel_predict(const int16_t *X)
{{
    const void *x = X + {head};
    const uint8_t *w = flash + (uint16_t)X[1];
    const uint16_t n = (uint16_t)X[2];
    const uint8_t shift = (uint8_t)X[3];
    const int32_t sum = (int32_t)((uint32_t)(uint16_t)X[4] | (uint32_t)(uint16_t)X[5] << 16);
    const int16_t high = X[6];
    int64_t wide;
    (void)n, (void)shift, (void)high, (void)wide, (void)w, (void)x, (void)sum;
    out[1] = 0;
    switch (X[0]) {{
{cases}    }}
}}
"""


@dataclass(frozen=True)
class Case:
    """One call. `start` is the place of the weights in flash (`_ram`: in the vector's array, in bytes)."""

    kernel: str
    vector: NDArray[np.int8] | NDArray[np.int16]
    start: int = 0
    length: int = 0
    shift: int = 1
    sum: int = 0


def _case(kernel: str) -> str:
    if kernel.startswith("sparse_"):
        width = SPARSE[kernel.removeprefix("sparse_")]
        call = f"tm_dot_{kernel}(&w, x, ({_ctype(width[2])})sum)"
        return f"out[0] = {call}; out[1] = (int32_t)(w - flash);"
    if kernel in SCALAR:
        wide, narrow = (f"int{width[1:]}_t" for width in kernel.split("_")[1:])
        arguments = f"({wide})sum, ({narrow})high, shift" if kernel.startswith("mul") else f"({wide})sum, shift"
        return f"out[0] = tm_{kernel}({arguments});"
    weight, _, width = DENSE[kernel]
    source = "(const uint8_t *)x + X[1]" if kernel.endswith("_ram") else "w"
    weights = f"(const int{weight}_t *)(const void *)({source})"
    if width == 40:
        start = "(int64_t)((uint64_t)(uint32_t)sum | (uint64_t)(int64_t)high << 32)"
        call = f"tm_dot_{kernel}({weights}, x, n, {start})"
        return f"wide = {call}; out[0] = (int32_t)wide; out[1] = (int32_t)(wide >> 32);"
    return f"out[0] = tm_dot_{kernel}({weights}, x, n, ({_ctype(width)})sum);"


def _ctype(width: int) -> str:
    return "int16_t" if width == 16 else "int32_t"


def build(runner: Runner, folder: Path, flash: bytes, kernels: Sequence[str], flags: Sequence[str] = ()) -> Build:
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    cases = "".join(f"    case {i}: {_case(kernel)} break;\n" for i, kernel in enumerate(kernels))
    text = _SOURCE.format(size=len(flash), bytes=", ".join(map(str, flash)), head=HEAD, cases=cases)
    (source / "kernel.c").write_text(text)
    (source / "kernel.h").write_text(_HEADER % (HEAD + ELEMENTS))
    optimize, *rest = flags or ["-Os"]
    return runner.build(source, INTERFACE, folder, optimize, [*rest, f"-I{INCLUDE}"])


def run(runner: Runner, built: Build, kernels: Sequence[str], cases: Sequence[Case]) -> RunResult:
    inputs = np.zeros((len(cases), HEAD + ELEMENTS), np.int16)
    for row, case in zip(inputs, cases, strict=True):
        words = np.frombuffer((case.sum & 0xFFFFFFFFFFFF).to_bytes(6, "little"), np.int16)
        row[:4] = kernels.index(case.kernel), case.start, case.length, case.shift
        row[4:7] = words
        data = case.vector.tobytes()
        row[HEAD:].view(np.int8)[: len(data)] = np.frombuffer(data, np.int8)
    return runner.run(built, INTERFACE, inputs)


def results(outcome: RunResult, cases: Sequence[Case]) -> list[int]:
    """The exact sums (for s40 of 64 bits)."""
    assert outcome.scores is not None
    wide = outcome.scores.astype(np.int64)
    return [
        int(low & 0xFFFFFFFF | high << 32) if case.kernel.endswith("s40") else int(low)
        for case, (low, high) in zip(cases, wide, strict=True)
    ]
