"""Ops of `arith` and `math` on elements, as bodies of `linalg.generic` have them, and on numbers of loops."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.elementwise import apply
from tinyml.lowering.frontends.mlir.graph import Tensor, op_name
from tinyml.lowering.frontends.mlir.reader import Reader, handles
from tinyml.lowering.frontends.mlir.text import ELEMENTS, extents

ELEMENTWISE: Mapping[str, str] = {
    "arith.addf": "Add", "arith.addi": "Add", "arith.subf": "Sub", "arith.subi": "Sub",
    "arith.mulf": "Mul", "arith.muli": "Mul", "arith.divf": "Div", "arith.divsi": "Div",
    "arith.negf": "Neg", "arith.maximumf": "Max", "arith.maxnumf": "Max", "arith.maxsi": "Max",
    "arith.minimumf": "Min", "arith.minnumf": "Min", "arith.minsi": "Min", "arith.remsi": "Rem",
    "arith.andi": "And", "arith.ori": "Or", "arith.select": "Where",
    "math.absf": "Abs", "math.absi": "Abs", "math.ceil": "Ceil", "math.erf": "Erf", "math.exp": "Exp",
    "math.expm1": "Expm1", "math.floor": "Floor", "math.log": "Log", "math.log1p": "Log1p", "math.powf": "Pow",
    "math.fpowi": "Pow", "math.rsqrt": "Rsqrt", "math.sqrt": "Sqrt", "math.tanh": "Tanh",
}  # fmt: skip

PREDICATES = {
    "arith.cmpf": ("", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "NotEqual", "", "Equal", "Greater",
                   "GreaterOrEqual", "Less", "LessOrEqual", "NotEqual", "", ""),
    "arith.cmpi": ("Equal", "NotEqual", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
                   "Greater", "GreaterOrEqual"),
}  # fmt: skip
"""The comparison of each predicate, by its number; numbers are not NaN."""

ORDERED, UNORDERED = 7, 14


@handles(*ELEMENTWISE)
def elementwise(reader: Reader, op: Operation) -> Tensor:
    return apply(reader.to, ELEMENTWISE[op_name(op)], *reader.operands(op))


@handles("arith.cmpf", "arith.cmpi")
def compare(reader: Reader, op: Operation) -> Tensor:
    [predicate] = reader.integers(op, "predicate")
    name = PREDICATES[op_name(op)][predicate]
    if not name and predicate in (ORDERED, UNORDERED):
        return reader.to.constant(np.array(predicate == ORDERED))
    return apply(reader.to, name, reader.operand(op, 0), reader.operand(op, 1))


@handles("arith.constant")
def constant(reader: Reader, op: Operation) -> Tensor:
    return reader.constant(op, "value")


@handles("arith.truncf", "arith.extf", "arith.sitofp", "arith.fptosi", "arith.index_cast", "arith.extsi",
         "arith.trunci", "arith.extui", "arith.uitofp", "tensor.cast")  # fmt: skip
def convert(reader: Reader, op: Operation) -> Tensor:
    return converted(reader, op, reader.operand(op, 0))


def converted(reader: Reader, op: Operation, x: Tensor) -> Tensor:
    """A tensor in the element type of an op's result; one that is computed stays as it is."""
    _, element = extents(op.results[0].type)
    dtype = np.dtype(ELEMENTS[str(element)])
    if x.array is not None:
        return Tensor("", x.shape, x.stored, x.array.astype(dtype))
    if x.steps is not None:
        return Tensor("", (), (), steps=x.steps.astype(dtype))
    if dtype.kind != "f" or x.made_by("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"):
        raise reader.error("a conversion of computed elements is supported between floats only")
    return x


@handles("cf.assert")
def ignored(reader: Reader, op: Operation) -> list[Tensor]:
    """A check of the program that wrote the module."""
    return []
