"""Costs of the runtime's kernels, measured on simulated devices, and the figures that they must reach.

ATmega328P: cycles per entry, with weights in flash unless the name says otherwise. `step` is the time of the
instructions for one entry, `loop` the difference between a call with n entries and one with none, over n, `call` the
whole call over n, from the first instruction that loads an argument to the last that adds the start of the sum.

Functions: cycles of a loop over the elements of a vector in generated code, minus those of a copy.

Cortex-M: instructions per multiply-accumulate, from the call of a function that calls the kernel once, on 64 elements,
to its return. Products: 64 x 64 matrices in generated code, with rounding, saturation and storing.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.formats.posit.windows import segments_of
from tinyml.dialects.layouts.csr import compress
from tinyml.dialects.layouts.delta_row_stream import delta_rows
from tinyml.dialects.layouts.row_stream import pack_rows
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.runtime.model.interface import Interface
from tinyml.runtime.model.model_interface import interface_of
from tinyml.tools.calibration.function_programs import LENGTH, product, program, write
from tinyml.tools.calibration.kernel_calls import (
    INCLUDE,
    Kernel,
)

N = 64
LEVELS = ("-Os", "-O2", "-O3")
PACKED_BITS = {8: 6, 16: 12}
"""Widths in bits of packed vectors, by the width of an unpacked element."""
AVR_LENGTHS = (16, 32, N, 300)
AVR_STEPS = {
    **{"s8_s8_s16": 9, "s8_s8_s16_ram": 8, "s8_s8_s24": 11, "s8_s8_s24_ram": 10, "s8_s8_s32": 11, "s8_s8_s32_ram": 10},
    **{"s8_s16_s32": 19, "s16_s8_s32": 20, "s16_s16_s32": 31, "s16_s16_s32_ram": 29},
    **{"s4_s8_s16": 10.5, "s4_s8_s24": 12.5, "s4_s8_s32": 12.5, "s4_s16_s32": 20.5},
    **{"s6_s8_s16": 11.75, "s6_s8_s24": 13.75, "s6_s8_s32": 13.75, "s6_s16_s32": 21.75},
    **{"s5_s16_s32": 25.6, "s9_s8_s32": 20.9, "s9_s16_s32": 31.4, "s10_s8_s32": 23.3, "s10_s16_s32": 33.8},
    **{"s12_s8_s32": 22, "s12_s16_s32": 32.5},
    **{"strided_s8_s8_s32": 13, "strided_s8_s16_s32": 21, "strided_s16_s16_s32": 33},
    **{"t4_s16_s32": 42, "t4_s8_s32": 33, "t6_s16_s32": 43.5, "t6_s8_s32": 34.5},
    **{"t8_s16_s32": 41, "t8_s8_s32": 32, "t8_t8_s32": 50, "p16_s16_s32": 145, "p16_s16_s64": 145},
    **{"row_s8_s8_s16": 14, "row_s8_s8_s24": 16, "row_s8_s8_s32": 16, "row_s8_s16_s32": 24, "row_s16_s16_s32": 36},
    **{"near_s4_s8_s16": 16.25, "near_s6_s8_s16": 17.5, "near_s8_s8_s16": 14.75, "near_s8_s8_s24": 16.75},
    **{"near_s4_s8_s32": 18.25, "near_s6_s8_s32": 19.5, "near_s8_s8_s32": 16.75},
    **{"near_s9_s8_s32": 25.9, "near_s10_s8_s32": 28.25, "near_s12_s8_s32": 28},
    **{"near_s4_s16_s32": 27, "near_s6_s16_s32": 28.25, "near_s8_s16_s32": 25.5},
    **{"near_s9_s16_s32": 37.9, "near_s10_s16_s32": 40.25, "near_s12_s16_s32": 40, "near_s16_s16_s32": 37.5},
    **{"near_packed_s4_s8_s32": 39.75, "near_packed_s6_s8_s32": 41, "near_packed_s8_s8_s32": 38.25},
    **{"near_packed_s8_s16_s32": 42.5, "near_packed_s9_s16_s32": 54.9, "near_packed_s10_s16_s32": 57.25},
    **{"near_packed_s12_s16_s32": 57, "near_packed_s16_s16_s32": 54.5},
    **{"distance_s8_s8_s24": 13, "distance_s8_s8_s32": 14, "distance_s16_s16_s32": 27},
    **{"axpy_s8_s8_s32": 27, "axpy_s8_s16_s32": 33, "axpy_s16_s16_s32": 43},
}
AVR_LIMITS = {
    **{"s8_s8_s16": 12.5, "s8_s8_s24": 17, "s8_s8_s32": 17, "s8_s16_s32": 26, "s16_s16_s32": 36},
    **{"s4_s8_s16": 12.5, "s4_s8_s32": 17, "s4_s16_s32": 26, "s6_s8_s16": 12.5, "s6_s8_s32": 17, "s6_s16_s32": 26},
    **{"s5_s16_s32": 28, "s9_s16_s32": 36, "s10_s16_s32": 36, "s12_s16_s32": 36},
    **{"near_s4_s8_s16": 17.5, "near_s8_s8_s32": 18, "near_s6_s16_s32": 30, "near_s12_s16_s32": 42},
    **{"near_packed_s6_s8_s32": 42, "near_packed_s12_s16_s32": 60},
    **{"t8_s16_s32": 58, "t8_t8_s32": 70, "p16_s16_s64": 250},
    **{"t4_s16_s32": 58, "t6_s16_s32": 58},
}
"""Greatest permitted cycles per entry of the loop, at n = 64."""

CORTEX_M = ("cortex-m0", "cortex-m3", "cortex-m4")
CORTEX_M_KERNELS = [
    *(f"tm_cm_dot_{types}" for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32", "s16_s16_s64")),
    *(f"tm_dot_{types}" for types in ("t8_s8_s32", "t8_s16_s32", "t8_t8_s32")),
    *(f"tm_cm_dot_{types}" for types in ("p16_s16_s32", "p16_s16_s64")),
    *(f"tm_dot_{weights}_{x}_s32" for weights in ("t4", "t6") for x in ("s8", "s16")),
    *(f"tm_dot_{weights}_{x}_s32" for weights in ("s4", "s5", "s6", "s9", "s10", "s12") for x in ("s8", "s16")),
    *(f"tm_cm_dot_sparse_{types}" for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")),
    *(f"tm_dot_near_{weights}_s8_s32" for weights in ("s4", "s6")),
    *(f"tm_dot_near_{weights}_s16_s32" for weights in ("s4", "s6", "s9", "s10", "s12")),
    *(f"tm_cm_distance_{types}" for types in ("s8_s8_s32", "s16_s16_s32")),
]
CORTEX_M_LIMITS = {
    ("cortex-m4", "tm_cm_distance_s16_s16_s32"): 4.0,
    ("cortex-m4", "tm_dot_t8_s16_s32"): 12.0,
    ("cortex-m4", "tm_dot_t8_t8_s32"): 12.0,
    ("cortex-m4", "tm_cm_dot_p16_s16_s32"): 12.0,
    ("cortex-m4", "tm_cm_dot_p16_s16_s64"): 12.0,
    ("cortex-m4", "tm_dot_s4_s16_s32"): 7.0,
    ("cortex-m4", "tm_dot_s6_s16_s32"): 8.0,
    ("cortex-m4", "tm_dot_s5_s16_s32"): 12.0,
    ("cortex-m4", "tm_dot_s9_s16_s32"): 12.0,
    ("cortex-m4", "tm_dot_s10_s16_s32"): 10.0,
    ("cortex-m4", "tm_dot_s12_s16_s32"): 10.0,
    ("cortex-m4", "tm_dot_near_s4_s16_s32"): 10.0,
    ("cortex-m4", "tm_dot_near_s6_s16_s32"): 11.0,
    ("cortex-m4", "tm_dot_near_s12_s16_s32"): 12.0,
    ("cortex-m0", "tm_cm_distance_s16_s16_s32"): 7.5,
}
"""Greatest permitted instructions per product, or per element of a distance, by device and kernel."""

FIXED = {width: FixedType(width, width - 1) for width in (8, 16)}
POSITS = {8: PositType(8, 0, -6, 1), 16: PositType(16, 0, -14, 1)}
WEIGHTS = PositType(16, 0, -10, 2)
"""Typical weights of programs, with es 0 and constants coarse enough for sums of products to fit 32 bits."""

PRODUCTS = {
    "fixed 8": (FIXED[8], FIXED[8]),
    "fixed 16": (FIXED[16], FIXED[16]),
    "posit 8, fixed 16": (POSITS[8], FIXED[16]),
    "posit 8": (POSITS[8], POSITS[8]),
    "posit 16, fixed 16": (WEIGHTS, FIXED[16]),
    "posit 16": (WEIGHTS, POSITS[16]),
}
"""The formats of weights and vector, by name."""

PRODUCT_LIMITS = {
    **{("cortex-m4", "fixed 8"): 2.0, ("cortex-m4", "fixed 16"): 1.3, ("cortex-m0", "fixed 8"): 5.0},
    **{("uno", "posit 8, fixed 16"): 58, ("uno", "posit 8"): 70},
    **{("uno", "posit 16, fixed 16"): 250, ("uno", "posit 16"): 250},
    **{("cortex-m4", name): 12 for name in PRODUCTS if name.startswith("posit")},
}
"""Greatest permitted time per product in generated code for a 64 x 64 matrix, by device and formats."""

FUNCTION_LIMITS = {
    ("exp", "!fixed.q<16, 11>", "!fixed.q<16, 15>"): 70,
    ("tanh", "!fixed.q<16, 10>", "!fixed.q<16, 14>"): 70,
    ("sigmoid", "!fixed.q<16, 10>", "!fixed.q<16, 15>"): 70,
    ("exp", "!fixed.q<8, 4>", "!fixed.q<8, 7>"): 15,
    ("tanh", "!fixed.q<8, 5>", "!fixed.q<8, 7>"): 15,
    ("sigmoid", "!fixed.q<8, 4>", "!fixed.q<8, 7>"): 15,
}
"""Greatest permitted cycles per element, not counting the load and the store."""

POSIT = PositType(16, 1, -28, 1)
"""The format of the 16-bit weights that kernels decode."""

_CTYPES = {
    **dict.fromkeys(("s4", "s5", "s6", "s9", "s10", "s12", "t4", "t6", "t8", "s8"), "int8_t"),
    "s16": "int16_t",
    "p16": "int16_t",
}

_HEADER = """\
#include <stdint.h>
#define figure_INPUT_LENGTH {x_length}
#define figure_OUTPUT_LENGTH {y_length}
void figure_predict(const {x} *X);
const {y} *figure_scores(void);
"""
_AVR = """\
#include "figure.h"
#include "tinyml/dot_s8.h"
#include "tinyml/dot_s16.h"
#include "tinyml/dot_strided.h"
#include "tinyml/distance.h"
#include "tinyml/axpy.h"
#include "tinyml/dot_table.h"
#include "tinyml/dot_posit.h"
#include "tinyml/dot_packed.h"
#include "tinyml/dot_near.h"
static const int16_t table[256] __attribute__((__progmem__)) = {{1}};
static const uint8_t flash[] __attribute__((__progmem__)) = {{{flash}}};
static int16_t memory[900], out[1];
const int16_t *figure_scores(void) {{ return out; }}
void figure_predict(const int16_t *X)
{{
    const void *x = memory, *w = {weights};
    (void)X, (void)table, (void)x, (void)w;
    {call}
}}
"""
_CORTEX_M = """\
#include "figure.h"
#include "tinyml/distance_cortex_m.h"
#include "tinyml/dot_cortex_m.h"
#include "tinyml/dot_near.h"
#include "tinyml/dot_packed.h"
#include "tinyml/dot_posit.h"
#include "tinyml/dot_table.h"
static const int16_t table[256] = {{1}};
static const int32_t segments[256] = {{{segments}}};
static const {w} W[] __attribute__((aligned(4))) = {{{weights}}};
static const int8_t GAPS[] = {{0, {gaps}}};
static int32_t Y[1];
const int32_t *figure_scores(void) {{ return Y; }}
void figure_predict(const {x} *X)
{{
    (void)GAPS, (void)table, (void)segments;
    {call};
}}
"""


@dataclass(frozen=True)
class Cost:
    """The cost of an inference. time: in the unit of the device. stack: bytes. code: bytes of runtime functions."""

    time: int
    stack: int
    code: int


def measure(device: str, optimize: str, source: str, interface: Interface) -> Cost:
    """Cost of one inference of a C program, on random values within 8 bits."""
    types = {"x": interface.input_ctype, "y": interface.output_ctype}
    lengths = {"x_length": interface.input_length, "y_length": interface.output_length}
    inputs = np.random.default_rng(0).integers(-128, 128, (1, interface.input_length)).astype(interface.input_dtype)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "figure.c").write_text(source)
        (folder / "figure.h").write_text(_HEADER.format(**types, **lengths))
        runner = runner_for(device)
        build = runner.build(folder, interface, folder, optimize, INCLUDE)
        result = runner.run(build, interface, inputs)
        table = call_tool(runner.chip.prefix, "nm", ["-S", build.elf])
    assert result.cycles is not None
    rows = [line.split() for line in table.splitlines()]
    code = sum(
        int(row[1], 16)
        for row in rows
        if len(row) == 4 and row[3].startswith(("tm_products", "tm_row", "tm_near", "tm_squares", "tm_axpy"))
    )
    return Cost(int(result.cycles[0]), result.stack_bytes, code)


@cache
def avr_cost(kernel: Kernel | None, length: int, optimize: str) -> Cost:
    """Cost of a call with constant arguments in an otherwise empty function; without a kernel, of that function."""
    flash, call = bytes(2 * length + 2), ""
    if kernel is not None:
        if kernel.codes:
            # Weights of all magnitudes up to 1.
            flash = np.random.default_rng(0).integers(-0x4000, 0x4001, length + 1).astype("<i2").tobytes()
        if kernel.form == "row":
            stream = pack_rows(compress(np.ones((1, length), f"<i{kernel.weights // 8}")), kernel.vector // 8)
            assert stream is not None
            flash = stream.tobytes()
        if kernel.form.startswith("near"):
            flash = _near_row(np.ones(length, np.int64), kernel.weights)
        call = _call(kernel, length)
    weights = "memory" if kernel is not None and kernel.ram else "flash"
    source = _AVR.format(flash=", ".join(map(str, flash)), weights=weights, call=call)
    return measure("uno", optimize, source, Interface("figure", "int16_t", 1, "int16_t", 1, has_label=False))


def _near_row(values: NDArray[np.int64], width: int) -> bytes:
    """A delta-coded row of entries without gaps, with zeros that fill the last group."""
    row = np.concatenate([values, np.zeros(8, np.int64)]).astype("<i1" if width <= 8 else "<i2")
    rows = delta_rows(compress(row[np.newaxis]), len(row), width)
    assert rows is not None
    return rows.stream().tobytes()


def _call(kernel: Kernel, length: int) -> str:
    if kernel.form == "axpy":
        return f"tm_{kernel.name}((int32_t *)memory, w, 7, {length});"
    tables, codes = "table + 128, " * kernel.tables, "1, 28, " * kernel.codes
    stride = "3, " * (kernel.form == "strided")
    sparse = {"row": "w, x, 7", "near": "w, x, 7", "near packed": f"w, x, {PACKED_BITS[kernel.vector]}, 7"}
    arguments = sparse.get(kernel.form, f"{tables}w, x, {length}, {stride}{codes}7")
    name = kernel.name if kernel.form == "distance" else f"dot_{kernel.name}"
    ctype = "__int24" if kernel.sum == 24 else f"int{kernel.sum}_t"
    return f'{ctype} y = tm_{name}({arguments}); __asm__ volatile("" : : "r"(y));'


def cycles_in_loop(kernel: Kernel, length: int, optimize: str) -> float:
    """Cycles per entry of a call on an ATmega328P, not counting the cost of an empty call."""
    return (avr_cost(kernel, length, optimize).time - avr_cost(kernel, 0, optimize).time) / length


def instructions_per_mac(kernel: str, device: str, optimize: str) -> float:
    form = (
        "sparse"
        if "sparse" in kernel
        else "near"
        if "near" in kernel
        else "table"
        if "dot_t" in kernel
        else "segments"
        if "_p16_" in kernel
        else kernel.split("_")[-4]
    )
    w, x, _ = kernel.split("_")[-3:]
    segments, finer = segments_of(POSIT)
    call = {
        "distance": f"Y[0] = {kernel}(W, X, {N}, 5)",
        "dot": f"Y[0] = (int32_t){kernel}(W, X, {N}, 5)",
        "table": f"Y[0] = {kernel}({'table + 128, ' * kernel.count('_t')}W, X, {N}, 5)",
        "segments": f"Y[0] = (int32_t){kernel}(segments + 128, W, X, {N}, 1, 28, {finer}, 5)",
        "sparse": f"Y[0] = {kernel}(W, GAPS, X, {N}, 5)",
        "near": f"Y[0] = {kernel}(W, X, 5)",
    }[form]
    random = np.random.default_rng(1)
    most = 128 if form != "segments" else 1 << 14
    weights = random.integers(-most, most, N)
    if form == "near":
        width = int(w[1:])
        most = 1 << min(width, 8) - 1
        weights = np.frombuffer(_near_row(random.integers(1, most, N), width), np.int8)
    source = _CORTEX_M.format(
        segments=", ".join(map(str, segments)),
        w="int8_t" if form == "near" else _CTYPES[w],
        x=_CTYPES[x],
        weights=", ".join(map(str, weights)),
        gaps=", ".join(["1"] * (N - 1)),
        call=call,
    )
    interface = Interface("figure", _CTYPES[x], N, "int32_t", 1, has_label=False)
    return measure(device, optimize, source, interface).time / N


def time_of_product(device: str, formats: str, optimize: str) -> float:
    """Time per product of generated code for a 64 x 64 matrix times a vector: cycles on an AVR, or instructions."""
    weights, vector = PRODUCTS[formats]
    context, module = product(weights, vector)
    runner, interface = runner_for(device), interface_of(module)
    inputs = vector.encode(np.random.default_rng(1).uniform(-1, 1, (1, LENGTH)))
    with tempfile.TemporaryDirectory() as name:
        folder = write(context, module, device, Path(name))
        cycles = runner.run(runner.build(folder, interface, folder, optimize), interface, inputs).cycles
    assert cycles is not None
    return float(cycles.mean()) / (LENGTH * LENGTH)


@cache
def cycles_of_function(function: str, source: str, result: str, optimize: str = "-Os") -> float:
    """Cycles per element of a loop that applies the function, minus those of a loop that only copies."""
    return _loop_cycles(function, source, result, optimize) - _loop_cycles("cast", source, source, optimize)


def _loop_cycles(op: str, source: str, result: str, optimize: str) -> float:
    context, module = program(op, source, result)
    runner, interface = runner_for("uno"), interface_of(module)
    info = np.iinfo(interface.input_dtype)
    inputs = np.linspace(-info.max, info.max, 8 * LENGTH).astype(interface.input_dtype).reshape(8, LENGTH)
    with tempfile.TemporaryDirectory() as name:
        folder = write(context, module, "uno", Path(name))
        cycles = runner.run(runner.build(folder, interface, folder, optimize), interface, inputs).cycles
    assert cycles is not None
    return float(cycles.mean()) / LENGTH
