"""Instructions per multiply-accumulate of the kernels of `tinyml/dot_cortex_m.h`; run this file for the table.

Counted from the call of a function that calls the kernel once to its return, so with all that a matrix-vector product
does: biases, rounding, saturation, storing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from tinyml.runtime.interface import Interface
from tinyml.runtime.runner import runner_for

INCLUDE = Path(__file__).parents[2] / "runtime" / "include"
N = 64
CTYPES = {"s8": "int8_t", "s16": "int16_t", "s32": "int32_t", "s64": "int64_t"}

LIMITS = {
    ("cortex-m4", "tm_cm_matvec_s8_s8_s8"): 2.0,
    ("cortex-m4", "tm_cm_matvec_s16_s16_s16"): 1.3,
    ("cortex-m0", "tm_cm_matvec_s8_s8_s8"): 5.0,
}
"""What 64 x 64 products may need at every optimisation level."""

KERNELS = [
    *(f"tm_cm_matvec_{types}" for types in ("s8_s8_s8", "s8_s16_s16", "s16_s16_s16")),
    *(f"tm_cm_dot_{types}" for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32", "s16_s16_s64")),
    *(f"tm_cm_dot_sparse_{types}" for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")),
]

SOURCE = """#include "figure.h"
#include "tinyml/dot_cortex_m.h"
static const {w} W[{macs}] __attribute__((aligned(4))) = {{{weights}}};
static const uint8_t GAPS[{n}] = {{0, {gaps}}};
static const int32_t START[{n}] = {{{starts}}};
static volatile int16_t shift = 11, low = -127, high = 127;
static {y} Y[{rows}];
const {y} *figure_scores(void) {{ return Y; }}
void figure_predict(const {x} *X)
{{
    (void)GAPS;
    (void)START;
    (void)shift, (void)low, (void)high;
    {call};
}}
"""
HEADER = """#include <stdint.h>
#define figure_INPUT_LENGTH {n}
#define figure_OUTPUT_LENGTH {rows}
void figure_predict(const {x} *X);
const {y} *figure_scores(void);
"""


def instructions_per_mac(kernel: str, device: str, optimize: str, folder: Path) -> float:
    """Of one call: 64 x 64 for a matrix, 64 for a single or a sparse row."""
    form = "sparse" if "sparse" in kernel else kernel.split("_")[1]
    w, x, result = kernel.split("_")[-3:]
    rows = N if form == "matvec" else 1
    y = result if form == "matvec" else "s32"
    call = {
        "matvec": f"{kernel}(W, X, {rows}, {N}, START, (uint8_t)shift, low, high, Y)",
        "dot": f"Y[0] = (int32_t){kernel}(W, X, {N}, 5)",
        "sparse": f"Y[0] = {kernel}(W, GAPS, X, {N}, 5)",
    }[form]
    random = np.random.default_rng(0)
    types = {"w": CTYPES[w], "x": CTYPES[x], "y": CTYPES[y]}
    fields = types | {
        "n": str(N),
        "rows": str(rows),
        "macs": str(rows * N),
        "weights": ", ".join(map(str, random.integers(-128, 128, rows * N))),
        "gaps": ", ".join(["1"] * (N - 1)),
        "starts": ", ".join(map(str, random.integers(-9999, 9999, N))),
        "call": call,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figure.c").write_text(SOURCE.format(**fields))
    (folder / "figure.h").write_text(HEADER.format(**fields))
    interface = Interface("figure", types["x"], N, types["y"], rows, has_label=False)
    runner = runner_for(device)
    build = runner.build(folder, interface, folder, optimize, [f"-I{INCLUDE}"])
    inputs = random.integers(-128, 128, (1, N)).astype(interface.input_dtype)
    cycles = runner.run(build, interface, inputs).cycles
    assert cycles is not None
    return int(cycles[0]) / (rows * N)


def main() -> None:
    """Print the table."""
    columns = [(device, level) for device in ("cortex-m0", "cortex-m3", "cortex-m4") for level in ("-Os", "-O2", "-O3")]
    print("| instructions/MAC |", " | ".join(f"{device[7:]} {level}" for device, level in columns), "|")
    print("|---" * (len(columns) + 1) + "|")
    for kernel in KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            figures = [instructions_per_mac(kernel, *column, Path(folder)) for column in columns]
        print(f"| {kernel} |", " | ".join(f"{figure:.2f}" for figure in figures), "|")


if __name__ == "__main__":
    sys.exit(main())
