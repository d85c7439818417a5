"""Number formats in words, for the comments of generated code."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tinyml.dialects import scratch
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.lazy_numpy import np


def describe_format(ctx: Context, text: str) -> str:
    """A description of a format, given in the syntax of types, with a formula if its reals are multiples of one number.

    Text that is no type is returned unchanged.
    """
    try:
        format = number_format(Parser(ctx, text).parse_type())
    except ParseError:
        return text
    if format is None or format.dtype.kind != "i":
        return text
    raws = np.array([-3, 0, 1, 2], format.dtype)
    rows = format.decode(raws[None])
    reals = rows[0]
    if len(rows) > 1 or not np.array_equal(reals, raws * reals[2]):
        return text
    mantissa, exponent = math.frexp(float(reals[2]))
    unit = f"2^{exponent - 1}" if mantissa == 0.5 else f"{reals[2]:.17g}"
    return f"{text}: real = raw * {unit}"


def note_formats(function: func.FuncOp) -> None:
    """Record the formats of arrays for comments in the generated code."""

    def note(type: Attribute) -> dict[str, Attribute]:
        format = number_format(getattr(type, "element_type", None))
        return {} if format is None else {scratch.FORMAT: StringAttr(str(format.type))}

    def noted(types: Sequence[Attribute], given: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr]:
        before = given.data if given is not None else [DictionaryAttr({})] * len(types)
        return ArrayAttr([DictionaryAttr({**old.data, **note(type)}) for type, old in zip(types, before, strict=True)])

    function.arg_attrs = noted(function.function_type.inputs.data, function.arg_attrs)
    function.res_attrs = noted(function.function_type.outputs.data, function.res_attrs)
    for op in function.walk():
        if isinstance(op, scratch.ConstantOp | scratch.ViewOp):
            op.attributes |= note(op.result.type)
