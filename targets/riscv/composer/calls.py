"""C functions of kernels that go along runs of elements, and the time of their calls."""

from __future__ import annotations

from collections.abc import Mapping

from tinyml.targets.composer.lines import Lines, instructions, statement
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.riscv.composer.loops import UNROLLED, time_of_rest
from tinyml.targets.riscv.composer.registers import RV32IM, bytes_of

_CALL_BYTES = 20


def time_of_call(ends: Lines, element: float, pointers: Mapping[str, int]) -> Mapping[str, float]:
    """The instructions of a call, of which two leave the loops, and of its elements."""
    return {"": instructions(ends) + 2.0, "element": element, "odd element": 0.0, "rest": time_of_rest(pointers)}


def kernel_of(
    symbol: str,
    widths: tuple[int, int, int],
    op: str,
    rows: int,
    signature: str,
    lines: Lines,
    portable: str,
    time: Mapping[str, float],
) -> Kernel:
    body = {(RV32IM,): statement(lines)}
    # Of the caller, addresses take two instructions, numbers and the call one.
    call = 2 + signature.count(",") + signature.count("*")
    costs = {**time, "": time[""] + call}
    composed = Composed("tinyml/cores.h", signature, body, portable, costs, _CALL_BYTES, block=UNROLLED)
    code = bytes_of(lines)
    return Kernel(symbol, *widths, op=op, flash=None, rows=rows, step=time["element"], code=code, composed=composed)
