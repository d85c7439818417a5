"""The composed kernels in plain C, available on every chip: products of packed and coded weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from tinyml.dialects.formats.number_format import INTEGER, TABLE
from tinyml.dialects.layouts.packed_bits import GAP_BITS, WIDTHS, group_layout, group_length
from tinyml.targets.c.composer.names import PLAIN, name_of
from tinyml.targets.c.composer.sums import body, signature
from tinyml.targets.kernel import Composed, Kernel


@dataclass(frozen=True)
class _Plain(Composed):
    @property
    def text(self) -> str:
        return f"static __attribute__((__unused__)) {self.signature}\n{{\n{self.portable}\n}}\n"


@cache
def compose(wanted: Kernel) -> Kernel | None:
    """The kernel for a description without a name, for a chip with a single address space; None if there is none."""
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
    if wanted.codings == (TABLE, TABLE):
        return wanted.weights == wanted.vector == 8
    return wanted.codings == (TABLE, INTEGER) and wanted.weights <= 8


def _kernel(wanted: Kernel) -> Kernel:
    name = name_of(wanted, PLAIN)
    composed = _Plain("", signature(wanted, name), {}, body(wanted))
    return replace(wanted, symbol=name, flash=None, step=_step(wanted), code=_code(wanted), composed=composed)


def _step(wanted: Kernel) -> float:
    """The instructions per element on a Cortex-M4, within a tenth of gcc's code: loads, shifts, sums and the loop."""
    gaps = wanted.gaps > 0
    length, bytes = group_length(wanted.weights), len(group_layout(wanted.weights))
    fields = len({each.bits for each in group_layout(wanted.weights) if each.bits < 8})
    fetched = bytes / length + 2 * fields + (wanted.weights > 8) + wanted.codings.count(TABLE)
    return fetched + 2 + 4 / max(length, 4 * gaps) + 2.5 * gaps


def _code(wanted: Kernel) -> int:
    """The bytes of flash: the code of each element in a group, and of those in the rest of a row."""
    return round(3 * _step(wanted) * group_length(wanted.weights) * (1 if wanted.gaps else 1.6))
