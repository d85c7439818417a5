"""Sums of products in plain C: loops over groups of fetched weights, dense and sparse, multiplied by a vector."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.dialects.formats.number_format import TABLE
from tinyml.dialects.layouts.packed_bits import group_layout, group_length
from tinyml.dialects.layouts.sparse_rows import AT_ONCE, COUNT_BYTES, entries_of_group
from tinyml.targets.c.composer.fetch import gap, of_group, packed, packed_at
from tinyml.targets.kernel import Kernel, packed_reader

SUMS = {16: "int16_t", 24: "TM_INT24", 32: "int32_t", 64: "int64_t"}
_WRITTEN_OUT = 4
"""The greatest length of groups whose remaining elements are handled without a loop."""


def signature(kernel: Kernel, name: str) -> str:
    """The head of the C function."""
    tables = [
        f"const int16_t *{table}" for table, coding in zip(_TABLES, kernel.codings, strict=True) if coding == TABLE
    ]
    vector = f"const int{kernel.vector if kernel.vector % 8 == 0 else 8}_t *x"
    runs = ["const int8_t *row", vector] if kernel.gaps else ["const int8_t *w", vector, "uint16_t n"]
    ctype = SUMS[kernel.sum]
    return f"{ctype} {name}({', '.join([*tables, *runs, f'{ctype} sum'])})"


def body(kernel: Kernel) -> str:
    """The statements of the function."""
    lines = _near(kernel) if kernel.gaps else _dense(kernel)
    result = "total" if kernel.sum >= 32 else f"({SUMS[kernel.sum]})total"
    total = "int64_t" if kernel.sum == 64 else "int32_t"
    return "\n".join(f"    {line}" for line in [f"{total} total = sum;", *lines, f"return {result};"])


_TABLES = ("table", "other")


def _weight(kernel: Kernel, raw: str) -> str:
    """The first factor, in 32 bits if products may exceed a 16-bit `int`."""
    if kernel.codings[0] == TABLE:
        return f"(int32_t)table[{raw}]"
    return f"({raw})" if kernel.weights + kernel.vector <= 16 else f"(int32_t)({raw})"


def _dense(kernel: Kernel) -> Sequence[str]:
    length, bytes = group_length(kernel.weights), len(group_layout(kernel.weights))
    read = of_group("w")

    def product(element: int | None) -> str:
        raw = packed_at(kernel.weights, read) if element is None else packed(kernel.weights, element, read)
        place = "j" if element is None else str(element)
        factor = f"other[x[{place}]]" if kernel.codings[1] == TABLE else f"x[{place}]"
        return f"{_weight(kernel, raw)} * {factor}"

    products = [product(element) for element in range(length)]
    lines = [f"for (; n >= {length}; n = (uint16_t)(n - {length}), w += {bytes}, x += {length}) {{"]
    lines += [*(f"    total += {product};" for product in products), "}"]
    if length > _WRITTEN_OUT:
        return [*lines, "for (uint8_t j = 0; j < n; j++)", f"    total += {product(None)};"]
    for element in range(length - 1):
        lines += [f"if (n > {element})", f"    total += {products[element]};"]
    return lines


def _near(kernel: Kernel) -> Sequence[str]:
    entries, bytes = entries_of_group(kernel.weights), len(group_layout(kernel.weights, gaps=True))
    read, fetched = of_group("row"), kernel.vector % 8 != 0
    lines = [f"int32_t groups = row[0] + {AT_ONCE} * row[1];"]
    if fetched:
        lines.append("int16_t at = 0;")
    lines.append(f"for (row += {COUNT_BYTES}; groups > 0; groups--, row += {bytes}) {{")
    where = "at" if fetched else "x"
    for entry in range(entries):
        skipped, weight = gap(kernel.weights, entry, read), packed(kernel.weights, entry, read, gaps=True)
        factor = (
            f"{packed_reader(kernel.vector, flash=False)}(x, (int16_t)(at + {entry}))" if fetched else f"x[{entry}]"
        )
        skip = f"at = (int16_t)(at + {skipped});" if fetched else f"x += {skipped};"
        lines += [f"    {skip}", f"    total += {_weight(kernel, weight)} * {factor};"]
    step = f"at = (int16_t)(at + {entries})" if fetched else f"{where} += {entries}"
    return [*lines, f"    {step};", "}"]
