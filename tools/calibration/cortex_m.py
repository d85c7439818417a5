"""Costs of the kernels on Cortex-M, in instructions, and the figures that they must reach.

Instructions are per multiply-accumulate, from the call of a function that calls the kernel once, on 64 elements, to its
return.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

import numpy as np

from tinyml.runtime.model.headers import definition_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.cortex_m.chip import CHIP
from tinyml.tools.calibration.formats import DECODED, PRODUCTS
from tinyml.tools.calibration.programs.generated_code import print_products
from tinyml.tools.calibration.programs.measured_programs import N, measure, near_row

DEVICES = ("cortex-m0", "cortex-m3", "cortex-m4")
KERNELS = [
    *(f"tm_cm_dot_{types}" for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32", "s16_s16_s64")),
    *(f"tm_c_dot_{types}" for types in ("t8_s8_s32", "t8_s16_s32", "t8_t8_s32")),
    "tm_cm_dot_r16_s16_s64",
    *(f"tm_c_dot_{weights}_{x}_s32" for weights in ("t4", "t6") for x in ("s8", "s16")),
    *(
        f"tm_c_dot_{weights}_{x}_s32"
        for weights in ("s3", "s4", "s5", "s6", "s7", "s9", "s10", "s11", "s12")
        for x in ("s8", "s16")
    ),
    *(f"tm_cm_dot_sparse_{types}" for types in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")),
    *(f"tm_c_dot_near_{weights}_s8_s32" for weights in ("s4", "s6")),
    *(f"tm_c_dot_near_{weights}_s16_s32" for weights in ("s4", "s6", "s9", "s10", "s12")),
    *(f"tm_cm_distance_{types}" for types in ("s8_s8_s32", "s16_s16_s32")),
]
LIMITS = {
    ("cortex-m4", "tm_cm_distance_s16_s16_s32"): 4.0,
    ("cortex-m4", "tm_c_dot_t8_s16_s32"): 12.0,
    ("cortex-m4", "tm_c_dot_t8_t8_s32"): 12.0,
    ("cortex-m4", "tm_cm_dot_r16_s16_s64"): 12.0,
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

_CTYPES = {
    "s16": "int16_t",
    "r16": "int16_t",
}
"""The types of elements that do not lie in bytes."""

_PROGRAM = Template((CHIP.folder / "kernel_costs.c.in").read_text("utf-8"))


def instructions_per_mac(kernel: str, device: str, optimize: str) -> float:
    form = (
        "sparse"
        if "sparse" in kernel
        else "near"
        if "near" in kernel
        else "table"
        if "dot_t" in kernel
        else "segments"
        if "_r16_" in kernel
        else kernel.split("_")[-4]
    )
    w, x, _ = kernel.split("_")[-3:]
    segments, finer = DECODED
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
        weights = np.frombuffer(near_row(random.integers(1, most, N), width), np.int8)
    source = _PROGRAM.substitute(
        definition="\n".join(text for _, text in definition_of(kernel, device)),
        segments=", ".join(map(str, segments)),
        w="int8_t" if form == "near" else _CTYPES.get(w, "int8_t"),
        x=_CTYPES.get(x, "int8_t"),
        weights=", ".join(map(str, weights)),
        gaps=", ".join(["1"] * (N - 1)),
        call=call,
    )
    interface = Interface("figure", _CTYPES.get(x, "int8_t"), N, "int32_t", 1, has_label=False)
    return measure(device, optimize, source, interface).time / N


def print_costs(levels: Sequence[str]) -> None:
    """Print the costs of all kernels, and of products in generated code."""
    _print_kernels(levels)
    print()
    print_products(DEVICES, PRODUCT_LIMITS, levels)


def _print_kernels(levels: Sequence[str]) -> None:
    print("Cortex-M: instructions per multiply-accumulate")
    columns = [(device, level) for device in DEVICES for level in levels]
    print(f"{'':<30}", *(f"{f'{device[7:]} {level}':>7}" for device, level in columns), " limit")
    for kernel in KERNELS:
        figures = " ".join(f"{instructions_per_mac(kernel, *column):>7.2f}" for column in columns)
        limits = ", ".join(f"{device[7:]} {most}" for (device, name), most in LIMITS.items() if name == kernel)
        print(f"{kernel:<30} {figures}  {limits}".rstrip())
