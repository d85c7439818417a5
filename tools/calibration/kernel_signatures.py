"""The signatures of the runtime's AVR and portable kernels, parsed from their names."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.formats.number_format import TABLE as TABLE_CODING
from tinyml.dialects.layouts.packed_bits import GAP_BITS
from tinyml.dialects.num import ComposedKernelAttr, KernelAttr, ListedKernelAttr


@dataclass(frozen=True)
class KernelSignature:
    """The kernel `tm_dot_NAME` or `tm_NAME`, with the widths in bits of weights, vector (or factor) and sum.

    form: `dense`, `strided`, `row`, `near`, `distance` or `axpy`. ram: true if the weights lie in RAM. chunk: the
    number of consecutive products whose sum must fit 16 bits. tables: number of leading table arguments. codes: pairs
    of bytes after the length that parametrize decoding.
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
    """The name of the C function."""
    return f"tm_{kernel.name}" if kernel.form in ("distance", "axpy") else f"tm_dot_{kernel.name}"


def attribute_of(kernel: KernelSignature) -> KernelAttr:
    """The attribute that identifies the kernel in the IR."""
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
