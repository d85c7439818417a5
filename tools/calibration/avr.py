"""Costs of the kernels on AVR, in cycles of the ATmega328P, and limits of these costs.

The signatures of the runtime's AVR and portable kernels are parsed from their names.

Cycles are per entry, with weights in flash unless the name of the kernel specifies RAM. The column `step` is the time
of the instructions for one entry; for a composed kernel it includes the loop overhead. The column `loop` is the
difference between the times of calls with n and with 0 entries, divided by n. The column `call` is the time of the
whole call, divided by n. This time begins with the first instruction that loads an argument and ends with the addition
of the initial value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from string import Template

import numpy as np

from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.formats.number_format import TABLE as TABLE_CODING
from tinyml.dialects.layouts.packed_bits import GAP_BITS
from tinyml.dialects.layouts.sparse_rows import compress, pack_rows
from tinyml.dialects.num import ComposedKernelAttr, KernelAttr, ListedKernelAttr
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.avr.chip import CHIP
from tinyml.targets.registry import kernel_of
from tinyml.tools.calibration.programs.generated_code import cycles_of_function, print_products
from tinyml.tools.calibration.programs.measured_programs import InferenceCost, N, measure, near_row


@dataclass(frozen=True)
class KernelSignature:
    """The kernel `tm_dot_NAME` or `tm_NAME`, with the widths in bits of weights, vector (or factor) and sum.

    form: `dense`, `strided`, `row`, `near`, `distance` or `axpy`.
    ram: true if the weights are in RAM.
    chunk: the number of consecutive products whose sum must fit in 16 bits.
    tables: the number of leading table arguments.
    codes: the number of pairs of bytes after the length that parametrise decoding.
    """

    name: str
    form: str
    weights: int
    vector: int
    sum: int
    ram: bool
    tables: int = 0
    codes: int = 0
    chunk: int = 0

    @property
    def pair(self) -> tuple[int, int]:
        return self.weights, self.vector


def function_of(kernel: KernelSignature) -> str:
    return f"tm_{kernel.name}" if kernel.form in ("distance", "axpy") else f"tm_dot_{kernel.name}"


def attribute_of(kernel: KernelSignature) -> KernelAttr:
    """The attribute that identifies a kernel in the IR."""
    near = kernel.form == "near"
    if not (near or kernel.tables or kernel.weights % 8):
        return ListedKernelAttr.of(function_of(kernel))
    first, second = (TABLE_CODING if number < kernel.tables else INTEGER for number in range(2))
    op, gaps = ("num.sparse_dot", GAP_BITS) if near else ("num.dot", 0)
    return ComposedKernelAttr.of(op, (first, second), kernel.pair, kernel.sum, gaps)


def _signature(name: str) -> KernelSignature:
    parts = name.split("_")
    form = parts.pop(0) if parts[0] in ("strided", "row", "near", "distance", "axpy") else "dense"
    weights, vector, sum = (int(part[1:]) for part in parts[:3])
    codes = parts[0].count("r")
    tables = [part[0] for part in parts[:2]].count("t")
    chunk = int(parts[3].removeprefix("by")) if parts[3:] not in ([], ["ram"]) else 0
    ram = parts[3:] == ["ram"]
    return KernelSignature(name, form, weights, vector, sum, ram=ram, tables=tables, codes=codes, chunk=chunk)


_PAIRS = ("s8_s8_s16", "s8_s8_s24", "s8_s8_s32", "s8_s16_s32", "s16_s16_s32")
_RAM = ("s8_s8_s16_ram", "s8_s8_s24_ram", "s8_s8_s32_ram", "s16_s16_s32_ram")
DENSE = [_signature(name) for name in (*_PAIRS, "s16_s8_s32", *_RAM)]
CHUNKS = [_signature(f"s8_s8_s{sum}_by{chunk}") for sum in (24, 32) for chunk in (4, 3)]
STRIDED = [_signature(f"strided_{name}") for name in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")]
ROW = [_signature(f"row_{name}") for name in _PAIRS]
DISTANCE = [_signature(f"distance_{name}") for name in ("s8_s8_s24", "s8_s8_s32", "s16_s16_s32")]
AXPY = [_signature(f"axpy_{name}") for name in ("s8_s8_s32", "s8_s16_s32", "s16_s16_s32")]
_CODED = [f"t{bits}_{vector}_s32" for bits in (8, 6, 4) for vector in ("s16", "s8")]
TABLE = [_signature(name) for name in (*_CODED, "t8_t8_s32", "r16_s16_s64")]
"""Dense kernels for coded weights; tests/numeric/targets/test_generated_c.py tests that they are exact."""
_FEW_BITS = [f"s{bits}_{rest}" for bits in (4, 6) for rest in ("s8_s16", "s8_s24", "s8_s32", "s16_s32")]
_MORE_BITS = [f"s{bits}_{vector}_s32" for bits in (3, 7, 9, 10, 11, 12) for vector in ("s8", "s16")]
_ANY_BITS = ("s1_s8_s16", "s2_s8_s32", "s5_s16_s32", "s13_s8_s32", "s14_s16_s32", "s15_s8_s32")
PACKED = [_signature(name) for name in (*_FEW_BITS, *_ANY_BITS, *_MORE_BITS)]
"""Kernels for packed weights; test_packed_kernels.py tests that they are exact, on all devices."""
_NARROW = ("s4_s8_s16", "s6_s8_s16", "s8_s8_s16", "s8_s8_s24")
_BYTES = [f"s{bits}_s8_s32" for bits in (4, 6, 7, 8, 9, 10, 12)]
_WORDS = [f"s{bits}_s16_s32" for bits in (3, 4, 6, 8, 9, 10, 11, 12, 16)]
NEAR = [_signature(f"near_{name}") for name in (*_NARROW, *_BYTES, *_WORDS)]
"""Kernels for delta-coded sparse rows; test_delta_kernels.py tests that they are exact, on all devices."""
_OF_BYTES = [f"s{weights}_s{vector}_s32" for weights, vector in ((4, 4), (6, 6), (8, 2), (8, 1))]
_OF_WORDS = [f"s{weights}_s{vector}_s32" for weights, vector in ((8, 9), (9, 10), (10, 12), (12, 9), (16, 12), (11, 9))]
NEAR_PACKED = [_signature(f"near_{name}") for name in (*_OF_BYTES, *_OF_WORDS)]
"""Kernels for delta-coded sparse rows and a packed vector."""


KERNELS = (*DENSE, *CHUNKS, *PACKED, *STRIDED, *TABLE, *ROW, *NEAR, *NEAR_PACKED, *DISTANCE, *AXPY)
DEVICE = "uno"
LENGTHS = (16, 32, N, 300)
LIMITS = {
    **{"s8_s8_s16": 12.5, "s8_s8_s24": 17, "s8_s8_s32": 17, "s8_s16_s32": 26, "s16_s16_s32": 36},
    **{"s4_s8_s16": 12.5, "s4_s8_s32": 17, "s4_s16_s32": 26, "s6_s8_s16": 12.5, "s6_s8_s32": 17, "s6_s16_s32": 26},
    **{"s5_s16_s32": 24.5, "s9_s16_s32": 36, "s10_s16_s32": 36, "s12_s16_s32": 36},
    **{"near_s4_s8_s16": 17.5, "near_s8_s8_s32": 18, "near_s6_s16_s32": 30, "near_s12_s16_s32": 42},
    **{"near_s6_s6_s32": 42, "near_s10_s12_s32": 60},
    **{"t8_s16_s32": 58, "t8_t8_s32": 70, "r16_s16_s64": 250},
    **{"t4_s16_s32": 58, "t6_s16_s32": 58},
}
"""Greatest permitted cycles per entry of the loop, at n = 64."""

PRODUCT_LIMITS = {
    (DEVICE, "coded 8, 16"): 58,
    (DEVICE, "coded 8"): 70,
    (DEVICE, "coded 16, 16"): 250,
    (DEVICE, "coded 16"): 250,
}
"""Greatest permitted cycles per product in generated code, by device and name in `PRODUCTS`."""

FUNCTION_LIMITS = {"exp 16": 70, "tanh 16": 70, "sigmoid 16": 70, "exp 8": 15, "tanh 8": 15, "sigmoid 8": 15}
"""Greatest permitted cycles per element, not counting the load and the store, by name in `FUNCTIONS`."""

_PROGRAM = Template((CHIP.folder / "kernel_costs.c.in").read_text("utf-8"))


@cache
def kernel_cost(kernel: KernelSignature | None, length: int, optimize: str) -> InferenceCost:
    """The cost of a call with constant arguments in an otherwise empty function; for None, the cost of the empty
    function alone.

    length: the number of entries.
    optimize: the optimisation level of the C compiler.
    """
    flash, call, definition = bytes(2 * length + 2), "", ""
    if kernel is not None:
        definition = "\n".join(text for _, text in texts_of(kernel_of(attribute_of(kernel), DEVICE), DEVICE))
        if kernel.codes:
            # Weights of all magnitudes up to 1.
            flash = np.random.default_rng(0).integers(-0x4000, 0x4001, length + 1).astype("<i2").tobytes()
        if kernel.form == "row":
            stream = pack_rows(compress(np.ones((1, length), f"<i{kernel.weights // 8}")), kernel.vector // 8)
            assert stream is not None
            flash = stream.tobytes()
        if kernel.form.startswith("near"):
            flash = near_row(np.ones(length, np.int64), kernel.weights)
        call = _call(kernel, length)
    weights = "memory" if kernel is not None and kernel.ram else "flash"
    source = _PROGRAM.substitute(flash=", ".join(map(str, flash)), weights=weights, definition=definition, call=call)
    return measure(DEVICE, optimize, source, Interface("figure", "int16_t", 1, "int16_t", 1, has_label=False))


def _call(kernel: KernelSignature, length: int) -> str:
    function = function_of(kernel)
    if kernel.form == "axpy":
        return f"{function}((int32_t *)memory, w, 7, {length});"
    tables, codes = "table + 128, " * kernel.tables, "1, 28, " * kernel.codes
    stride = "3, " * (kernel.form == "strided")
    run = f"{tables}w, x, {length}, {stride}{codes}7"
    arguments = "w, x, 7" if kernel.form in ("row", "near") else run
    ctype = "__int24" if kernel.sum == 24 else f"int{kernel.sum}_t"
    return f"{ctype} y = {function}({arguments}); KEEP(y);"


def cycles_in_loop(kernel: KernelSignature, length: int, optimize: str) -> float:
    """Cycles per entry on an ATmega328P: the cycles of a call with `length` entries minus those of a call with 0
    entries, divided by `length`.

    optimize: the optimisation level of the C compiler.
    """
    return (kernel_cost(kernel, length, optimize).time - kernel_cost(kernel, 0, optimize).time) / length


def print_costs(levels: Sequence[str]) -> None:
    """Print the costs of all kernels, and of functions and products in generated code.

    levels: the optimisation levels of the C compiler for products; kernels and functions are compiled with the first.
    """
    _print_kernels(levels[0])
    print()
    _print_functions(levels[0])
    print()
    print_products([DEVICE], PRODUCT_LIMITS, levels)


def known_step(kernel: KernelSignature) -> str:
    """The cycles per entry of a composed kernel, from its instruction counts, as text; empty for other kernels."""
    composed = kernel_of(attribute_of(kernel), DEVICE).composed
    step = None if composed is None else composed.costs.get("element")
    return "" if step is None else f"{step:.4g}"


def _print_kernels(optimize: str) -> None:
    print(f"ATmega328P, {optimize}: cycles per entry")
    heads = "".join(f"{f'loop n={n}':>12}{'call':>7}" for n in LENGTHS)
    print(f"{'tm_ or tm_dot_':<21}{'step':>5}{heads}{'limit':>7}{'bytes':>7}{'stack':>7}")
    base = kernel_cost(None, 0, optimize)
    for kernel in KERNELS:
        row = f"{kernel.name:<21}{known_step(kernel):>5}"
        for n in LENGTHS:
            call = (kernel_cost(kernel, n, optimize).time - base.time) / n
            row += f"{cycles_in_loop(kernel, n, optimize):>12.2f}{call:>7.2f}"
        whole = kernel_cost(kernel, N, optimize)
        print(f"{row}{LIMITS.get(kernel.name, ''):>7}{whole.code:>7}{whole.stack - base.stack:>7}")


def _print_functions(optimize: str) -> None:
    print(f"ATmega328P, {optimize}: cycles per element")
    for name, limit in FUNCTION_LIMITS.items():
        print(f"{name:<48}{cycles_of_function(DEVICE, name, optimize):>7.1f}{limit:>7}")
