"""Plain names in the report for terms of the IR: layers and steps of a model, and number formats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tinyml.dialects.formats.affine import affine_formula
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.tools.reports.facts.spent_time import Spent

STEPS = {
    "argmax": "largest score",
    "at_least": "comparison",
    "contract": "weighted sums",
    "conv2d": "convolution",
    "exp": "exponential",
    "forest": "trees",
    "map": "element by element",
    "matmul": "weighted sums",
    "matmul_sum": "weighted sums",
    "reshape": "other shape",
    "spmv": "weighted sums, sparse",
    "sub": "difference",
    "mul": "product",
    "add": "sum",
}
"""Plain names of ops; for any other op the name itself is plain."""


def plain_operation(name: str) -> str:
    """The plain name of an operation: its action, preceded by the name of the result in the model, if any.

    name: the operation in the form that `operation_name` and `name_operations` write, such as `b = matmul(U1, H)`
    and `map(_, _) #2`.
    """
    result, equals, text = name.rpartition(" = ")
    call, mark, number = text.partition(" #")
    op, bracket, operands = call.partition("(")
    if not bracket:
        return name
    spelled, count = STEPS.get(op, op.replace("_", " ")), f" #{number}" if mark else ""
    if equals:
        return f"{result}: {spelled}{count}"
    named = [each for each in operands.rstrip(")").split(", ") if each.strip("_.")]
    return spelled + (f" of {named[0]}" if len(named) == 1 else "") + count


def plain_format(format: NumberFormat) -> str:
    """Describe a number format in words: its bits, and for a fixed step the number of fractional bits or the size of
    the step. Without a fixed step, the text contains the kind of the format instead.
    """
    bits = f"{format.bits} bits"
    if format.dtype.kind == "f":
        return f"floating point, {bits}"
    if format.groups is not None:
        return f"{bits}, groups with scales of their own"
    if (formula := affine_formula(format)) is None:
        return f"{format.type.name.partition('.')[0]}, {bits}"
    unit, _ = formula
    mantissa, exponent = math.frexp(unit)
    if mantissa == 0.5 and exponent <= 1:
        return f"{bits}, {1 - exponent} after the point"
    return f"{bits}, steps of {unit:.3g}"


def plain_memory(memory: Mapping[str, Any]) -> dict[str, Any]:
    """The memory part of a report, with plain names for buffers and operations."""

    def renamed(rows: Any) -> list[dict[str, Any]]:
        return [{**row, "buffer": plain_operation(row["buffer"])} for row in rows]

    peak = memory["peak"]
    named = {**peak, "operation": plain_operation(peak["operation"]), "buffers": renamed(peak["buffers"])}
    return {**memory, "map": renamed(memory["map"]), "peak": named}


def plain_time(spent: Spent) -> Spent:
    """A copy of a part of the time and its nested parts, with plain names for operations. Lines of C keep their
    text.
    """
    if spent.line is not None:
        return spent
    return replace(spent, name=plain_operation(spent.name), parts=tuple(map(plain_time, spent.parts)))
