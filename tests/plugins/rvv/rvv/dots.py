"""Dot products over runs whose lengths are known only at run time, of one row or of four rows and a vector.

A pass multiplies as many elements as two groups of registers contain: 64 bytes, or 32 halfwords. Bytes to be multiplied
by halfwords are widened at the load. A reduction adds the products to a sum in the first lane of a register.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from rvv.vectors import CORE, HEADER, VECTOR, op
from tinyml.extend.chips import SUMS_IN_C, Code, Composed, Instruction, Kernel, LocalLabel, Repeated, joined, statement

_GROUP = 4
"""The number of registers that the elements of a pass fill; their products fill twice as many."""

_WEIGHTS, _VECTOR, _NARROW, _PRODUCTS = ("v8", "v12"), "v4", "v28", ("v16", "v24")


def dot(weights: int, vector: int) -> Kernel:
    """The kernel for `sum` plus the dot product of runs of elements with the given widths, 8 or 16 bits."""
    bits = max(weights, vector)
    one = op("vsetivli", "zero", 1, "e32", "m1", "ta", "ma")
    factors = joined(_loaded(_VECTOR, "a1", vector, bits), _loaded(_WEIGHTS[0], "a0", weights, bits))
    steps = _advance("a0", weights), _advance("a1", vector), _reduced(bits, {"v0": _WEIGHTS[0]})
    loop = joined(_pass(bits), factors, *steps)
    code = joined((one, op("vmv.s.x", "v0", "a3")), _passes(loop), (one, op("vmv.x.s", "a0", "v0"), op("ret")))
    return _kernel("num.dot", weights, vector, 1, code, loop)


def dot_rows(weights: int, vector: int) -> Kernel:
    """The kernel for four rows and a vector of elements with the given widths, 8 or 16 bits."""
    bits, rows = max(weights, vector), ("a0", "t1", "t2", "t3")
    one = op("vsetivli", "zero", 1, "e32", "m1", "ta", "ma")
    length = (op("mv", "t4", "a2"),) if weights == 8 else (op("slli", "t4", "a2", 1),)
    pointers = (op("add", after, before, "t4") for before, after in pairwise(rows))
    loop = joined(_pass(bits), _loaded(_VECTOR, "a1", vector, bits), _advance("a1", vector))
    for first in (0, 2):
        again = (_kind("t0", bits, _GROUP),) if first else ()
        pairs = list(zip(rows[first : first + 2], _WEIGHTS, strict=True))
        loads = joined(*(_loaded(register, row, weights, bits) for row, register in pairs))
        sums = {f"v{first + number}": register for number, register in enumerate(_WEIGHTS)}
        loop = joined(loop, again, loads, *(_advance(row, weights) for row, _ in pairs), _reduced(bits, sums))
    begin = one, op("vlseg4e32.v", "v0", "(a3)"), *length, *pointers
    code = joined(begin, _passes(loop), (one, op("vsseg4e32.v", "v0", "(a4)"), op("ret")))
    return _kernel("num.dot_rows", weights, vector, len(rows), code, loop)


def _kind(count: str, bits: int, group: int, given: str = "zero") -> Instruction:
    """The instruction `vsetvli`, which requests as many lanes as the register `count` specifies.

    bits: the width of a lane.
    group: the number of registers in a group.
    given: the register that receives the number of lanes.
    """
    return op("vsetvli", given, count, f"e{bits}", f"m{group}", "ta", "ma")


def _pass(bits: int) -> Code:
    return _kind("a2", bits, _GROUP, "t0"), op("sub", "a2", "a2", "t0")


def _passes(loop: Code) -> Code:
    """Code that repeats a pass while register a2, the number of remaining elements, is not zero."""
    label, end = LocalLabel(1), LocalLabel(2)
    return joined(op("beqz", "a2", "2f"), label, loop, op("bnez", "a2", "1b"), end)


def _loaded(register: str, pointer: str, width: int, bits: int) -> Code:
    """Load elements of `width` bits into lanes of `bits` bits, which are as wide or wider."""
    if width == bits:
        return (op(f"vle{bits}.v", register, f"({pointer})"),)
    return op(f"vle{width}.v", _NARROW, f"({pointer})"), op("vsext.vf2", register, _NARROW)


def _advance(pointer: str, width: int) -> Code:
    """Advance a pointer by the elements of a pass, each of one byte or two."""
    return (op("add", pointer, pointer, "t0"),) * (width // 8)


def _reduced(bits: int, sums: dict[str, str]) -> Code:
    """For each sum, multiply a register of weights by the vector and add the products to the sum.

    sums: the register of weights for each register of a sum.
    """
    pairs = list(zip(sums.items(), _PRODUCTS, strict=False))
    products = [op("vwmul.vv", product, weights, _VECTOR) for (_, weights), product in pairs]
    name = "vwredsum.vs" if bits == 8 else "vredsum.vs"
    adds = [op(name, sum, product, sum) for (sum, _), product in pairs]
    return (*products, _kind("t0", 2 * bits, 2 * _GROUP), *adds)


def _kernel(routine: str, weights: int, vector: int, rows: int, code: Code, loop: Code) -> Kernel:
    several = "" if rows == 1 else str(rows)
    symbol, result = f"tm_rvv_dot{several}_s{weights}_s{vector}_s32", "int32_t" if rows == 1 else "void"
    sums = "int32_t sum" if rows == 1 else "const int32_t *start, int32_t *sums"
    signature = f"{result} {symbol}(const int{weights}_t *w, const int{vector}_t *x, int n, {sums})"
    # The instructions of a pass with the branch at its end. They count for the elements, and not for the call.
    each = Repeated.once(loop).time + 1
    step = each / (rows * _GROUP * 8 * VECTOR // max(weights, vector))
    costs = {"": float(Repeated.once(code).time - each), "element": step}
    composed = Composed(
        HEADER, signature, {(CORE,): statement([line.text for line in code])}, SUMS_IN_C[routine], costs, call=20
    )
    kernel = Kernel(symbol, weights, vector, 32, op=routine, flash=None, rows=rows, step=step)
    return replace(kernel, composed=composed, code=4 * Repeated.once(code).time)
