"""An interpreter of L4 functions on arrays: integer ops at their declared widths, float ops in single precision.

It implements the semantics of MLIR's `arith` independently of the evaluators in `tinyml.dialects`, so that it can
detect their errors. The compiler guarantees that no sum, product or truncation overflows. The interpreter checks this
guarantee; only truncations that are marked as wrapping may wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import scratch
from tinyml.dialects.machine.emitter import WRAPS
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

Array: TypeAlias = "NDArray[Any]"

_DTYPES = {1: np.bool_, 8: np.int8, 16: np.int16, 24: np.int32, 32: np.int32, 64: np.int64}
_UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32}


class Overflow(AssertionError):
    """Raised if an op overflows although the compiler guarantees that it does not."""


def run(module: ModuleOp, name: str, *arguments: Array) -> Array:
    """The result of a function that has one result and no loops. Its arguments are arrays, which broadcast."""
    [function] = [op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name]
    block = function.body.block
    values: dict[SSAValue, Any] = dict(zip(block.args, map(np.asarray, arguments), strict=True))
    for value, argument in zip(block.args, arguments, strict=True):
        assert np.asarray(argument).dtype == _dtype(value.type), f"{value.type} given as {argument.dtype}"
    with np.errstate(all="ignore"):
        for op in block.ops:
            operands = [values[value] for value in op.operands]
            if isinstance(op, func.ReturnOp):
                return np.asarray(operands[0])
            [result] = op.results
            values[result] = np.asarray(_EXECUTE[type(op)](op, *operands))
    raise AssertionError("the function does not return")


def _dtype(type: Attribute) -> np.dtype[Any]:
    if isinstance(type, IntegerType):
        return np.dtype(_DTYPES[cast(IntegerType, type).width.data])
    return np.dtype(np.int64) if isinstance(type, IndexType) else np.dtype(np.float32)


def _width(op: Operation) -> int:
    return cast(IntegerType, op.results[0].type).width.data


def _fitting(op: Operation, exact: Array, wrapped: Array) -> Array:
    if not np.array_equal(exact, wrapped):
        at = np.flatnonzero(np.ravel(exact != wrapped))[0]
        raise Overflow(f"{op}: {np.ravel(exact)[at]} does not fit")
    return wrapped


def _wrapped(x: Array, width: int) -> Array:
    """The low `width` bits of integers, as signed numbers; integers of 24 bits are stored in 32 bits."""
    held = x.astype(_DTYPES[width])
    return held << 8 >> 8 if width == 24 else held


def _exact(calculate: Callable[[Any, Any], Any]) -> Callable[[Operation, Array, Array], Array]:
    """The implementation of an op whose result must fit its type. Operands narrower than 64 bits are computed exactly
    in 64-bit integers, wider ones in Python's integers.

    calculate: computes the exact result from the two operands.
    """

    def execute(op: Operation, a: Array, b: Array) -> Array:
        wide: Any = np.int64 if _width(op) < 64 else object
        return _fitting(op, calculate(a.astype(wide), b.astype(wide)), _wrapped(calculate(a, b), _width(op)))

    return execute


def _truncate(op: Operation, x: Array) -> Array:
    wrapped = _wrapped(x, _width(op))
    return wrapped if WRAPS in op.attributes else _fitting(op, x, wrapped)


def _sign_extend(op: Operation, x: Array) -> Array:
    return x.astype(_DTYPES[_width(op)])


def _zero_extend(op: Operation, x: Array) -> Array:
    return x.view(_UNSIGNED[x.dtype.itemsize * 8]).astype(_DTYPES[_width(op)])


def _shift_right(op: Operation, x: Array, amount: Array) -> Array:
    assert np.all((amount >= 0) & (amount < _width(op))), f"{op}: shifts by {amount}"
    return x >> amount


def _divide(op: Operation, a: Array, b: Array) -> Array:
    assert np.all(b != 0), f"{op}: divides by zero"
    return np.trunc(a.astype(np.float64) / b.astype(np.float64)).astype(a.dtype)


def _constant(op: arith.ConstantOp) -> Array:
    value = cast("IntegerAttr[Any] | FloatAttr[Any]", op.value)
    return np.array(value.value.data, _dtype(op.result.type))


_INTEGER_PREDICATES: Sequence[Callable[[Any, Any], Any]] = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)
_FLOAT_PREDICATES: dict[int, Callable[[Any, Any], Any]] = {
    1: np.equal,
    2: np.greater,
    3: np.greater_equal,
    4: np.less,
    5: np.less_equal,
}


def _table(op: scratch.ConstantOp) -> Array:
    type = scratch.memref_type(op.result)
    return np.frombuffer(op.value.data.data, _dtype(type.element_type).newbyteorder("<")).reshape(type.get_shape())


def _cast(op: memref.CastOp, table: Array) -> Array:
    return table.astype(table.dtype.newbyteorder("="))


def _load(op: memref.LoadOp, table: Array, index: Array) -> Array:
    assert np.all((index >= 0) & (index < len(table))), f"{op}: reads beside the table"
    return table[index].astype(table.dtype.newbyteorder("="))


def _call(op: func.CallOp, *arguments: Array) -> Array:
    known = RUNTIME_FUNCTIONS[op.callee.root_reference.data]
    types = [getattr(type, "element_type", type) for type in known.arguments]
    assert [argument.dtype for argument in arguments] == [_dtype(type) for type in types]
    return known.reference(*arguments)


def _compare(op: arith.CmpiOp, a: Array, b: Array) -> Array:
    return _INTEGER_PREDICATES[op.predicate.value.data](a, b)


def _compare_floats(op: arith.CmpfOp, a: Array, b: Array) -> Array:
    return _FLOAT_PREDICATES[op.predicate.value.data](a, b)


def _index_cast(op: arith.IndexCastOp, x: Array) -> Array:
    return x.astype(np.int64)


def _as(calculate: Callable[..., Any]) -> Callable[..., Any]:
    """The implementation of an op whose result `calculate`, a numpy function, computes from the operands alone."""

    def execute(op: Operation, *operands: Array) -> Any:
        return calculate(*operands)

    return execute


_EXECUTE: dict[type[Operation], Callable[..., Any]] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _exact(np.add),
    arith.SubiOp: _exact(np.subtract),
    arith.MuliOp: _exact(np.multiply),
    arith.DivSIOp: _divide,
    arith.ShRSIOp: _shift_right,
    arith.AndIOp: _as(np.bitwise_and),
    arith.MinSIOp: _as(np.minimum),
    arith.MaxSIOp: _as(np.maximum),
    arith.CmpiOp: _compare,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: _as(np.where),
    arith.ExtSIOp: _sign_extend,
    arith.ExtUIOp: _zero_extend,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: _index_cast,
    arith.AddfOp: _as(np.add),
    arith.SubfOp: _as(np.subtract),
    arith.MulfOp: _as(np.multiply),
    scratch.ConstantOp: _table,
    memref.CastOp: _cast,
    memref.LoadOp: _load,
    func.CallOp: _call,
}
