"""Rescaling of the unsigned operands of CONCATENATION, which TensorFlow Lite computes in single precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import tdsl
from tinyml.dialects.formats.zeroskew.single_precision import FloatSkewType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.lowering.frontends.tflite.builder import GraphBuilder, activation_format
from tinyml.lowering.frontends.tflite.model import Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import SSAValue


def rescaled(to: GraphBuilder, operand: Tensor, output: Tensor) -> SSAValue:
    """The value of an operand of CONCATENATION, in the format of the result. Raises `VerifyException` for a type other
    than uint8, for which TensorFlow Lite requires equal scales, and for scales at which a raw would be rounded
    differently.
    """
    value, source, result = to.value(operand), activation_format(operand), activation_format(output)
    if source.type == result.type:
        return value
    if operand.dtype != "uint8" or not isinstance(source, ZeroSkewType) or not isinstance(result, ZeroSkewType):
        raise VerifyException(
            f"{operand} has another scale than the result, which TensorFlow Lite allows for uint8 only: put a QUANTIZE "
            "before it"
        )
    before, after = _in_floats(source), _in_floats(result)
    raws = np.arange(-128, 128).astype(np.int8)
    computed: NDArray[Any] = after.recode(NumpyMachine(), raws, before)
    if not np.array_equal(computed, _as_tensorflow_lite(raws, source, result)):
        raise VerifyException(
            f"the scales of {operand} and of the result have a quotient at which halves are rounded differently: put a "
            "QUANTIZE before it"
        )
    numbers = to.requantised(to.op(tdsl.ReinterpretOp, value, before), after)
    return to.op(tdsl.ReinterpretOp, numbers, result.type)


def _in_floats(format: ZeroSkewType) -> FloatSkewType:
    """The format of the same numbers with arithmetic in single precision."""
    return FloatSkewType(format.scale, format.zero_point.data)


def _as_tensorflow_lite(raws: NDArray[np.int8], source: ZeroSkewType, result: ZeroSkewType) -> NDArray[np.int8]:
    """The raws that TensorFlow Lite's ConcatenationWithScaling computes, reduced by 128 like those of programs."""
    scale = np.float32(source.scale) * (np.float32(1) / np.float32(result.scale))
    unsigned = raws.astype(np.int32) + 128
    numbers = unsigned.astype(np.float32) * scale + np.float32(-(source.zero_point.data + 128)) * scale
    rounded = np.trunc(numbers + np.copysign(np.float32(0.5), numbers)).astype(np.int64)
    return np.clip(rounded + result.zero_point.data, -128, 127).astype(np.int8)
