"""The composed kernels in plain C, for every chip: sums of products of packed and coded weights.

A loop over groups of weights, dense or sparse, loads the weights and multiplies them by a vector. The name of a kernel
contains its operands: weights, vector and sum, each as the letter of its coding and its width. An example is
`tm_c_dot_t4_s8_s32`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import GAP_BITS, WIDTHS, group_layout, group_length
from tinyml.dialects.layouts.sparse_rows import AT_ONCE, COUNT_BYTES, entries_of_group
from tinyml.targets.c.composer.elements import gap, of_group, packed, packed_at
from tinyml.targets.kernel import Composed, Kernel, packed_reader

PLAIN = "tm_c_"
"""The prefix of kernels in plain C."""

_LETTERS: Mapping[str, str] = {INTEGER: "s", TABLE: "t"}
"""The abbreviations of codings in names."""


def name_of(kernel: Kernel, prefix: str) -> str:
    first, second = (_LETTERS[coding] for coding in kernel.codings)
    near = "near_" if kernel.gaps else ""
    return f"{prefix}dot_{near}{first}{kernel.weights}_{second}{kernel.vector}_s{kernel.sum}"


SUMS = {16: "int16_t", 24: "TM_INT24", 32: "int32_t", 64: "int64_t"}
_WRITTEN_OUT = 4
"""The greatest length of groups whose remaining elements are handled without a loop."""


def signature(kernel: Kernel, name: str, row: str = "") -> str:
    """The head of the C function `name` of a kernel.

    row: the declaration of the parameter for the weights; if "", a pointer to the weights.
    """
    tables = [
        f"const int16_t *{table}" for table, coding in zip(_TABLES, kernel.codings, strict=True) if coding == TABLE
    ]
    vector = f"const int{kernel.vector if kernel.vector % 8 == 0 else 8}_t *x"
    weights = row or f"const int8_t *{'row' if kernel.gaps else 'w'}"
    runs = [weights, vector] if kernel.gaps else [weights, vector, "uint16_t n"]
    ctype = SUMS[kernel.sum]
    return f"{ctype} {name}({', '.join([*tables, *runs, f'{ctype} sum'])})"


def parameters(weights: int, vector: int) -> str:
    """The C declarations of the parameters `w` and `x` of kernels for whole elements, 8 or 16 bits wide."""
    return f"const int{weights}_t *w, const int{vector}_t *x"


def body(kernel: Kernel) -> str:
    """C statements of the sums that `kernel` describes: a loop over groups of weights, then the remaining weights."""
    lines = _near(kernel) if kernel.gaps else _dense(kernel)
    result = "total" if kernel.sum >= 32 else f"({SUMS[kernel.sum]})total"
    total = "int64_t" if kernel.sum == 64 else "int32_t"
    return "\n".join(f"    {line}" for line in [f"{total} total = sum;", *lines, f"return {result};"])


_ROWS = """\
    for (int row = 0; row < 4; row++) {{
        int32_t sum = start[row];
        for (int i = 0; i < n; i++)
            sum += (int32_t)*w++ * x[{}];
        sums[row] = sum;
    }}"""
SUMS_IN_C: Mapping[str, str] = {
    "num.dot": """\
    for (int i = 0; i < n; i++)
        sum += (int32_t)w[i] * x[i];
    return sum;""",
    "num.dot_rows": _ROWS.format("i"),
    "num.channel_dots": _ROWS.format("i * stride + row"),
    "num.sparse_dot": """\
    for (; n > 0; n--) {
        x += (uint8_t)*gaps++;
        sum += (int32_t)*values++ * *x;
    }
    return sum;""",
}
"""The statements of kernels for whole elements, by their op. `n` is an `int` in C, and gaps are in an array of their
own.
"""


_TABLES = ("table", "other")


def _weight(kernel: Kernel, raw: str) -> str:
    """The C expression of the first factor of a product in `kernel`. It is cast to 32 bits if products may exceed a
    16-bit `int`.

    raw: the C expression of the factor's raw.
    """
    if kernel.codings[0] == TABLE:
        return f"(int32_t)table[{raw}]"
    vector = 16 if kernel.codings[1] == TABLE else kernel.vector
    return f"({raw})" if kernel.weights + vector <= 16 else f"(int32_t)({raw})"


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


@dataclass(frozen=True)
class _Plain(Composed):
    @property
    def text(self) -> str:
        return f"static __attribute__((__unused__)) {self.signature}\n{{\n{self.portable}\n}}\n"


@cache
def compose(wanted: Kernel) -> Kernel | None:
    """The kernel that computes the sums described by `wanted`, for a chip with a single address space.

    Returns None if there is no such kernel.
    """
    if (wanted.flash is False and wanted.weights % 8 == 0) or wanted.sum != 32 or wanted.vector not in (8, 16):
        return None
    if wanted.op == "num.dot" and _is_dense(wanted):
        return _kernel(replace(wanted, gaps=0))
    if wanted.op == "num.sparse_dot" and wanted.weights in WIDTHS and wanted.codings == (INTEGER, INTEGER):
        return _kernel(replace(wanted, gaps=GAP_BITS))
    return None


def _is_dense(wanted: Kernel) -> bool:
    if wanted.codings == (INTEGER, INTEGER):
        return wanted.weights in WIDTHS
    if not {*wanted.codings} <= {INTEGER, TABLE}:
        return False
    return wanted.weights <= 8 and (wanted.codings[1] == INTEGER or wanted.vector == 8)


def _kernel(wanted: Kernel) -> Kernel:
    name = name_of(wanted, PLAIN)
    composed = _Plain("", signature(wanted, name), {}, body(wanted))
    return replace(wanted, symbol=name, flash=None, step=_step(wanted), code=_code(wanted), composed=composed)


def _step(wanted: Kernel) -> float:
    """The estimated number of instructions per element on a Cortex-M4: loads, shifts, sums and the loop.

    It deviates from the number in gcc's code by at most a tenth.
    """
    gaps = wanted.gaps > 0
    length, bytes = group_length(wanted.weights), len(group_layout(wanted.weights))
    fields = len({stored.bits for stored in group_layout(wanted.weights) if stored.bits < 8})
    fetched = bytes / length + 2 * fields + (wanted.weights > 8) + wanted.codings.count(TABLE)
    return fetched + 2 + 4 / max(length, 4 * gaps) + 2.5 * gaps


def _code(wanted: Kernel) -> int:
    return round(3 * _step(wanted) * group_length(wanted.weights) * (1 if wanted.gaps else 1.6))
