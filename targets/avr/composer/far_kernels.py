"""Kernels whose weights lie anywhere in flash, read by ELPM, made of those that read the first 64 KB by LPM.

`elpm Rd,Z+` takes as long as `lpm Rd,Z+` and increments RAMPZ:Z, so that a run may cross a boundary of 64 KB. Only
kernels that read flash by Z+ alone, and set Z nowhere, have a form of this kind.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tinyml.targets.avr.assembly.frames import Entered
from tinyml.targets.kernel import Kernel

_READ = re.compile(r"lpm (r\d+),Z\+")
_OTHER_USE = re.compile(r"lpm|\b(r30|r31|Z)\b")
_CALL = 12.0
"""The cycles that a call takes more, with the address of its row, as measured on dense layers."""

_POINTER = re.compile(r"\((const int\d+_t \*)(\w+), ")


def far_kernel(kernel: Kernel) -> Kernel | None:
    """The kernel of the same sum for far weights, which takes their address as a `tm_far`; None without such a form."""
    near = kernel.composed
    if not isinstance(near, Entered) or not kernel.flash or _OTHER_USE.search(_READ.sub("", near.assembly)):
        return None
    pointer = _POINTER.search(near.signature)
    if pointer is None:
        return None
    type, name = pointer.groups()
    symbol = f"{near.symbol}_far"
    start = f"    {type}{name} = ({type})"
    page = '    __asm__ volatile("out __RAMPZ__,%0" : : "r"((uint8_t)(far >> 16)));'
    steps = f"{near.symbol}_steps", f"{symbol}_steps"
    composed = replace(
        near,
        symbol=symbol,
        signature=_POINTER.sub("(tm_far far, ", near.signature).replace(f" {near.symbol}(", f" {symbol}("),
        assembly=_READ.sub(r"elpm \1,Z+", near.assembly),
        entry="\n".join([f"{start}(uint16_t)far;", page, near.entry.replace(*steps)]),
        costs={**near.costs, "": near.costs[""] + _CALL},
        portable=f"{start}far;\n{near.portable}",
    )
    return replace(kernel, symbol=symbol, composed=composed)
