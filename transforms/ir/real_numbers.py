"""Conversion of floats to raws of a format, and a note on the treatment of infinities and NaN."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, IndexType, ModuleOp, f32
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.transforms.ir.arithmetic import FunctionContext

if TYPE_CHECKING:
    from numpy.typing import NDArray

V = TypeVar("V")


def from_real(m: Machine[V], value: V, format: NumberFormat) -> V:
    """Convert a float to the nearest raw. NaN becomes the raw of zero, unless the format has a raw for NaN that
    programs accept.
    """
    if not _takes_nan(format):
        value = m.select(m.cmp_oge(value, value), value, m.float_constant(0.0))
    return format.from_f32(m, value)


def present(m: Machine[V], value: V, index: V, fills: NDArray[Any]) -> V:
    """Replace a missing value (NaN) by the replacement for its element, and return the result. Any other float is
    unchanged.

    index: the index of the element.
    fills: the replacement for each element.
    """
    return m.select(m.cmp_oge(value, value), value, m.lookup("fills", fills, index))


def lies_below(m: Machine[V], raw: V, threshold: V, format: NumberFormat) -> V:
    """Whether the real of a raw is less than `threshold`. The threshold, a float, is first rounded to the format."""
    return format.greater(m, from_real(m, threshold, format), raw)


def conversion_functions(format: NumberFormat, features: tdsl.FeatureMap | None) -> str:
    """The names of the runtime functions that NAME_set calls for a format, as the key under which cost tables list
    conversion times; empty for float formats.

    features: the scales of features with separate scales. The key then also states whether features have zeros and
        factors.
    """
    end = func.ReturnOp()
    block = Block([end], arg_types=[f32, IndexType()])
    function = func.FuncOp("conversion", FunctionType.from_lists([f32, IndexType()], []), Region(block))
    machine = Emitter(end, FunctionContext(ModuleOp([function]), function))
    words = [] if features is None else ["scaled"]
    encoding = None if features is None else tdsl.feature_encoding(features, format)
    if encoding is None:
        from_real(machine, block.args[0], format)
    else:
        encoding.raw(machine, *block.args)
        words += ["zeros"] if encoding.zeros.any() else []
        words += ["factors"] if encoding.factors is not None else []
    calls = [op.callee.string_value() for op in block.ops if isinstance(op, func.CallOp)]
    return " ".join([*words, *calls])


def rounding_note(format: NumberFormat) -> str:
    """Sentences for the comment of NAME_set that describe its rounding."""
    if format.dtype.kind == "f":
        return "Infinities and NaN stay."
    greatest, nan = _rounded(format, math.inf), _rounded(format, math.nan) if _takes_nan(format) else 0.0
    finite = "the greatest or the least"
    rule = f"It is rounded to the nearest number of the format, and out of range to {finite}"
    if math.isinf(greatest):
        return f"{rule}; infinities and NaN stay."
    if math.isnan(greatest):
        return f"{rule}; infinities and NaN become the format's NaR, which is not a number."
    becomes = "the least" if nan < 0 else "the greatest" if nan > 0 else "zero"
    return f"{rule}, as infinities are; NaN becomes {becomes}."


def _takes_nan(format: NumberFormat) -> bool:
    """Whether the format rounds NaN to a raw that programs accept, such as NaR. Tables of other formats have no
    entry for NaN.
    """
    if format.dtype.kind == "f":
        return True
    try:
        format.verify_raws(format.from_f32(NumpyMachine(), np.array([math.nan], np.float32)))
    except VerifyException:
        return False
    return True


def _rounded(format: NumberFormat, real: float) -> float:
    raws = format.from_f32(NumpyMachine(), np.array([real], np.float32))
    return float(np.ravel(format.decode(raws))[0])
