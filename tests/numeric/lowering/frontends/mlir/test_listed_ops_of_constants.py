"""For each op that docs/mlir.md lists for constants, the importer computes numpy's result. The result of the op is
added to a tensor that depends on the input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from programs.mlir_ops import ROW, TYPES, Case, Floats, Function, check, listed, typed

INTEGERS, OTHERS = np.array([[7, -7, 3, 2]], np.int32), np.array([[2, 2, -3, 5]], np.int32)
MASK, OTHER_MASK = np.array([[True, True, False, False]]), np.array([[True, False, True, False]])
FLOATS, OTHER_FLOATS = np.array([[1.5, -1.5, 0.25, 2.0]]), np.array([[2.0, -0.5, 0.25, 0.75]])
ROOTS = abs(FLOATS)
EXTENDED = {"int32": "arith.sitofp", "bool": "arith.uitofp"}


def quotient(a: Floats, b: Floats) -> Floats:
    """The elementwise quotients a / b, rounded towards 0, as 32-bit integers."""
    return np.trunc(a / b).astype(np.int32)


OPS: dict[str, tuple[Function, list[Floats]]] = {
    "arith.addi": (np.add, [INTEGERS, OTHERS]),
    "arith.andi": (np.bitwise_and, [INTEGERS, OTHERS]),
    "arith.cmpi": (np.less, [INTEGERS, OTHERS]),
    "arith.divsi": (quotient, [INTEGERS, OTHERS]),
    "arith.fptosi": (lambda a: np.trunc(a).astype(np.int32), [FLOATS]),
    "arith.index_cast": (np.copy, [INTEGERS]),
    "arith.maxsi": (np.maximum, [INTEGERS, OTHERS]),
    "arith.minsi": (np.minimum, [INTEGERS, OTHERS]),
    "arith.muli": (np.multiply, [INTEGERS, OTHERS]),
    "arith.ori": (np.bitwise_or, [INTEGERS, OTHERS]),
    "arith.remsi": (np.fmod, [INTEGERS, OTHERS]),
    "arith.subi": (np.subtract, [INTEGERS, OTHERS]),
    "arith.trunci": (lambda a: a.astype(np.int32), [INTEGERS.astype(np.int64)]),
    "math.absi": (np.abs, [INTEGERS]),
    "math.ceil": (np.ceil, [FLOATS]),
    "math.floor": (np.floor, [FLOATS]),
    "math.log1p": (np.log1p, [ROOTS]),
    "math.rsqrt": (lambda a: 1 / np.sqrt(a), [ROOTS]),
    "math.sqrt": (np.sqrt, [ROOTS]),
    "stablehlo.and": (np.logical_and, [MASK, OTHER_MASK]),
    "stablehlo.ceil": (np.ceil, [FLOATS]),
    "stablehlo.floor": (np.floor, [FLOATS]),
    "stablehlo.log_plus_one": (np.log1p, [ROOTS]),
    "stablehlo.or": (np.logical_or, [MASK, OTHER_MASK]),
    "stablehlo.remainder": (np.fmod, [FLOATS, OTHER_FLOATS]),
    "stablehlo.rsqrt": (lambda a: 1 / np.sqrt(a), [ROOTS]),
    "stablehlo.sqrt": (np.sqrt, [ROOTS]),
    "tosa.ceil": (np.ceil, [FLOATS]),
    "tosa.equal": (np.equal, [FLOATS, OTHER_FLOATS]),
    "tosa.floor": (np.floor, [FLOATS]),
    "tosa.logical_and": (np.logical_and, [MASK, OTHER_MASK]),
    "tosa.logical_or": (np.logical_or, [MASK, OTHER_MASK]),
    "tosa.reciprocal": (np.reciprocal, [FLOATS]),
    "tosa.rsqrt": (lambda a: 1 / np.sqrt(a), [ROOTS]),
}
PROPERTIES = {"arith.cmpi": "predicate = 2 : i64"}


@pytest.mark.long
@pytest.mark.parametrize("op", listed(computed=False))
def test_an_op_of_constants(op: str):
    function, arrays = OPS[op]
    known = np.asarray(cast("Callable[..., Any]", function)(*arrays))
    kinds = [typed(each.shape, TYPES[each.dtype.name]) for each in arrays]
    names = ", ".join(f"%a{at + 1}" for at in range(len(arrays)))
    kind, floats = typed(known.shape, TYPES[known.dtype.name]), typed(ROW.shape)
    code = f'%k = "{op}"({names}) <{{{PROPERTIES.get(op, "")}}}> : ({", ".join(kinds)}) -> {kind}\n'
    if convert := EXTENDED.get(known.dtype.name, ""):
        code += f'%c = "{convert}"(%k) : ({kind}) -> {floats}\n'
    added = "%c" if convert else "%k"
    code += f'%r = "stablehlo.add"(%a0, {added}) : ({floats}, {floats}) -> {floats}'
    check(op, Case([ROW, *arrays], lambda a, _, __=None: a + known, code=code))


def test_each_case_is_of_a_listed_op():
    assert OPS.keys() == {*listed(computed=False)}
