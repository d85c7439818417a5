"""Costs of the kernels on Cortex-M, in instructions, and limits of these costs.

Instructions are per multiply-accumulate. They are counted over a function that calls the kernel once, on 64 elements,
from the function's call to its return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from string import Template

import numpy as np

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.digits import Digits
from tinyml.dialects.layouts.packed_bits import GAP_BITS
from tinyml.dialects.num import ComposedKernelAttr, KernelAttr, ListedKernelAttr
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.cortex_m.chip import CHIP
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import kernel_of
from tinyml.tools.calibration.formats import DECODED_SEGMENTS, PRODUCTS
from tinyml.tools.calibration.programs.generated_code import print_products
from tinyml.tools.calibration.programs.measured_programs import N, measure, near_row

DEVICES = ("cortex-m0", "cortex-m3", "cortex-m4")
TABLES = TABLE, INTEGER
INTEGERS = INTEGER, INTEGER
SPARSE = "num.sparse_dot", INTEGERS
KERNELS: Sequence[KernelAttr] = [
    *(ListedKernelAttr.of(f"tm_cm_dot_{types}") for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32", "s16_s16_s64")),
    *(
        ComposedKernelAttr.of(op, (Digits.PAIRED, INTEGER), (bits, vector), 32, rows=rows)
        for op, rows in (("num.dot", 1), ("num.dot_rows", 4))
        for bits in (1, 2, 4)
        for vector in (8, 16)
    ),
    *(ListedKernelAttr.of(f"tm_cm_dot4_p{bits}_s8_s32") for bits in (5, 6, 7)),
    ListedKernelAttr.of("tm_cm_dot4_s8_s8_s32"),
    *(ComposedKernelAttr.of("num.dot", TABLES, (8, vector), 32) for vector in (8, 16)),
    ComposedKernelAttr.of("num.dot", (TABLE, TABLE), (8, 8), 32),
    ListedKernelAttr.of("tm_cm_dot_r16_s16_s64"),
    *(ComposedKernelAttr.of("num.dot", TABLES, (weights, vector), 32) for weights in (4, 6) for vector in (8, 16)),
    *(
        ComposedKernelAttr.of("num.dot", INTEGERS, (weights, vector), 32)
        for weights in (3, 4, 5, 6, 7, 9, 10, 11, 12)
        for vector in (8, 16)
    ),
    *(ListedKernelAttr.of(f"tm_cm_dot_sparse_{types}") for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")),
    *(ComposedKernelAttr.of(*SPARSE, (weights, 8), 32, GAP_BITS) for weights in (4, 6)),
    *(ComposedKernelAttr.of(*SPARSE, (weights, 16), 32, GAP_BITS) for weights in (4, 6, 9, 10, 12)),
    *(ListedKernelAttr.of(f"tm_cm_distance_{types}") for types in ("s8_s8_s32", "s16_s16_s32")),
]
LIMITS = {
    ("cortex-m4", "tm_cm_distance_s16_s16_s32"): 4.0,
    ("cortex-m4", "tm_c_dot_t8_s16_s32"): 12.0,
    ("cortex-m4", "tm_c_dot_t8_t8_s32"): 12.0,
    ("cortex-m4", "tm_cm_dot_r16_s16_s64"): 12.0,
    **{("cortex-m4", f"tm_cm_dot4_pairs{bits}_s8_s32"): 2.05 for bits in (1, 2, 4)},
    **{("cortex-m4", f"tm_cm_dot4_pairs{bits}_s16_s32"): 2.11 for bits in (1, 2, 4)},
    ("cortex-m4", "tm_cm_dot4_p5_s8_s32"): 3.8,
    ("cortex-m4", "tm_cm_dot4_p6_s8_s32"): 3.4,
    ("cortex-m4", "tm_cm_dot4_p7_s8_s32"): 3.4,
    ("cortex-m4", "tm_c_dot_s4_s16_s32"): 7.0,
    ("cortex-m4", "tm_c_dot_s6_s16_s32"): 8.0,
    ("cortex-m4", "tm_c_dot_s5_s16_s32"): 12.0,
    ("cortex-m4", "tm_c_dot_s9_s16_s32"): 12.0,
    ("cortex-m4", "tm_c_dot_s10_s16_s32"): 10.0,
    ("cortex-m4", "tm_c_dot_s12_s16_s32"): 10.0,
    ("cortex-m4", "tm_c_dot_near_s4_s16_s32"): 10.0,
    ("cortex-m4", "tm_c_dot_near_s6_s16_s32"): 11.0,
    ("cortex-m4", "tm_c_dot_near_s12_s16_s32"): 12.0,
    ("cortex-m0", "tm_cm_distance_s16_s16_s32"): 7.5,
}
"""Greatest permitted instructions per product, or per element of a distance, by device and kernel."""

PRODUCT_LIMITS = {
    **{("cortex-m4", "8"): 2.0, ("cortex-m4", "16"): 1.3, ("cortex-m0", "8"): 5.0},
    **{("cortex-m4", name): 12 for name in PRODUCTS if name.startswith("coded")},
}
"""Greatest permitted instructions per product in generated code, by device and name in `PRODUCTS`."""

_PROGRAM = Template((CHIP.folder / "kernel_costs.c.in").read_text("utf-8"))


@cache
def kernels() -> Mapping[str, Kernel]:
    """The kernels by the names of their C functions."""
    known = (kernel_of(attribute, DEVICES[-1]) for attribute in KERNELS)
    return {kernel.symbol: kernel for kernel in known}


def form_of(kernel: Kernel) -> str:
    """The form of a kernel's argument list: `dot`, `rows`, `sparse`, `near`, `distance`, `table` or `segments`."""
    if kernel.gaps:
        return "near"
    if kernel.segments:
        return "segments"
    if TABLE in kernel.codings:
        return "table"
    return {"num.sparse_dot": "sparse", "num.distance": "distance", "num.dot_rows": "rows"}.get(kernel.op, "dot")


def instructions_per_mac(function: str, device: str, optimize: str) -> float:
    """The instructions per product of a kernel, for rows of 64 elements.

    function: the name of the kernel's C function.
    device: the name of the simulated board.
    optimize: the optimisation level of the C compiler.
    """
    kernel = kernels()[function]
    form, tables = form_of(kernel), "table + 128, " * kernel.codings.count(TABLE)
    w, x = ("int16_t" if width == 16 else "int8_t" for width in (kernel.weights, kernel.vector))
    segments, finer = DECODED_SEGMENTS
    call = {
        "distance": f"Y[0] = {function}(W, X, {N}, 5)",
        "dot": f"Y[0] = (int32_t){function}(W, X, {N}, 5)",
        "rows": f"int32_t sums[{kernel.rows}] = {{0}}; {function}(W, X, {N}, sums, sums); Y[0] = sums[0]",
        "table": f"Y[0] = {function}({tables}W, X, {N}, 5)",
        "segments": f"Y[0] = (int32_t){function}(segments + 128, W, X, {N}, 1, 28, {finer}, 5)",
        "sparse": f"Y[0] = {function}(W, GAPS, X, {N}, 5)",
        "near": f"Y[0] = {function}(W, X, 5)",
    }[form]
    random = np.random.default_rng(1)
    most = 128 if form != "segments" else 1 << 14
    weights = random.integers(-most, most, kernel.rows * N)
    if form == "near":
        most = 1 << min(kernel.weights, 8) - 1
        weights = np.frombuffer(near_row(random.integers(1, most, N), kernel.weights), np.int8)
    source = _PROGRAM.substitute(
        definition="\n".join(text for _, text in texts_of(kernel, device)),
        segments=", ".join(map(str, segments)),
        w="int8_t" if form == "near" else w,
        x=x,
        weights=", ".join(map(str, weights)),
        gaps=", ".join(["1"] * (N - 1)),
        call=call,
    )
    interface = Interface("figure", x, N, "int32_t", 1, has_label=False)
    return measure(device, optimize, source, interface).time / (kernel.rows * N)


def print_costs(levels: Sequence[str]) -> None:
    """Print the costs of all kernels, and of products in generated code.

    levels: the optimisation levels of the C compiler.
    """
    _print_kernels(levels)
    print()
    print_products(DEVICES, PRODUCT_LIMITS, levels)


def _print_kernels(levels: Sequence[str]) -> None:
    print("Cortex-M: instructions per multiply-accumulate")
    columns = [(device, level) for device in DEVICES for level in levels]
    print(f"{'':<30}", *(f"{f'{device[7:]} {level}':>7}" for device, level in columns), " limit")
    for function in kernels():
        figures = " ".join(f"{instructions_per_mac(function, *column):>7.2f}" for column in columns)
        limits = ", ".join(f"{device[7:]} {most}" for (device, name), most in LIMITS.items() if name == function)
        print(f"{function:<30} {figures}  {limits}".rstrip())
