"""Ops of `arith` and `math` on elements, in bodies of `linalg.generic` and on the integers of loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.ir import Operation, SSAValue

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.elementwise import apply, of_constants
from tinyml.lowering.frontends.mlir.graph import Array, Tensor, op_name
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

INTEGERS = (
    "arith.addi", "arith.subi", "arith.muli", "arith.divsi", "arith.maxsi", "arith.minsi", "arith.remsi", "math.absi",
)  # fmt: skip
"""Ops on integers, which are constants or loop counters: the program computes no integer tensors."""

PREDICATES = {
    "arith.cmpf": ("", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "NotEqual", "", "Equal", "Greater",
                   "GreaterOrEqual", "Less", "LessOrEqual", "NotEqual", "", ""),
    "arith.cmpi": ("Equal", "NotEqual", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Less", "LessOrEqual",
                   "Greater", "GreaterOrEqual"),
}  # fmt: skip
"""For each predicate, by number, the ONNX op of the comparison. Operands are assumed not to be NaN."""

TRUE = (7, 15)
"""The predicates of `arith.cmpf` that are always true or, except for NaN, always true."""


UNSIGNED = 6
"""The first unsigned predicate of `arith.cmpi`."""

ONE_BIT = {
    "arith.addi": "NotEqual", "arith.subi": "NotEqual", "arith.muli": "And", "arith.maxsi": "And",
    "arith.minsi": "Or",
}  # fmt: skip
"""Ops on signed one-bit integers, where true is -1."""


@handles(*ELEMENTWISE, of_constants=[*of_constants(ELEMENTWISE), *INTEGERS])
def elementwise(reader: Reader, op: Operation) -> Tensor:
    name = ELEMENTWISE[op_name(op)]
    return applied(reader, op, ONE_BIT.get(op_name(op), name) if _is_one_bit(op.results[0]) else name)


def _is_one_bit(value: SSAValue) -> bool:
    return extents(value.type)[1] == i1


def applied(reader: Reader, op: Operation, name: str) -> Tensor:
    """Apply an elementwise op to the operands of `op`. Raises `InputError` for a quotient of computed integers."""
    result = apply(reader.to, name, *reader.operands(op))
    computed = result.array is None and result.steps is None
    if name == "Div" and computed and not isinstance(extents(op.results[0].type)[1], AnyFloat):
        raise reader.error("a quotient of computed integers is not supported")
    return result


@handles("arith.cmpf", "arith.cmpi", of_constants=["arith.cmpi"])
def compare(reader: Reader, op: Operation) -> Tensor:
    [predicate] = reader.integers(op, "predicate")
    names = PREDICATES[op_name(op)]
    if not 0 <= predicate < len(names):
        raise reader.error(f"there is no predicate {predicate}")
    if not names[predicate]:
        return reader.to.constant(np.array(predicate in TRUE))
    operands = [reader.operand(op, at) for at in range(2)]
    if op_name(op) == "arith.cmpi":
        if predicate >= UNSIGNED:
            operands = [mapped(operand, _unsigned) for operand in operands]
        elif _is_one_bit(op.operands[0]):
            operands.reverse()
    return apply(reader.to, names[predicate], *operands)


@handles("arith.constant")
def constant(reader: Reader, op: Operation) -> Tensor:
    return reader.constant(op, "value")


@handles("arith.truncf", "arith.extf", "arith.sitofp", "arith.fptosi", "arith.index_cast", "arith.extsi",
         "tensor.cast", of_constants=["arith.fptosi", "arith.index_cast"])  # fmt: skip
def convert(reader: Reader, op: Operation) -> Tensor:
    """Convert between integers and floats. The value true of a signed one-bit integer is -1."""
    known = mapped(reader.operand(op, 0), lambda x: -x.astype(int) if x.dtype == bool else x)
    return converted(reader, op, known, true=-1.0)


@handles("arith.extui", "arith.uitofp")
def convert_unsigned(reader: Reader, op: Operation) -> Tensor:
    return converted(reader, op, mapped(reader.operand(op, 0), _unsigned))


@handles("arith.trunci", of_constants=["arith.trunci"])
def truncate(reader: Reader, op: Operation) -> Tensor:
    """Truncate integers to their low bits."""
    one_bit = str(extents(op.results[0].type)[1]) == "i1"
    return converted(reader, op, mapped(reader.operand(op, 0), lambda x: x & 1 if one_bit else x))


def mapped(x: Tensor, function: Callable[[Array], Array]) -> Tensor:
    """Apply a function to the elements of a known tensor. A tensor with unknown elements is returned unchanged."""
    array, steps = (None if numbers is None else function(numbers) for numbers in (x.array, x.steps))
    return x if array is None and steps is None else Tensor("", x.shape, x.stored, array, steps)


def _unsigned(x: Array) -> Array:
    return x.view(f"u{x.itemsize}") if x.dtype.kind == "i" else x


def converted(reader: Reader, op: Operation, x: Tensor, true: float = 1.0) -> Tensor:
    """Convert a tensor to the element type of an op's result. Computed numbers are unchanged. Raises `InputError` for
    computed numbers that would become truth values or narrower integers.

    true: the float to which true elements of a computed mask are converted; false elements become 0.
    """
    _, element = extents(op.results[0].type)
    dtype = np.dtype(ELEMENTS[str(element)])
    if x.array is not None:
        return Tensor("", x.shape, x.stored, x.array.astype(dtype))
    if x.steps is not None:
        return Tensor("", (), (), steps=x.steps.astype(dtype))
    before = np.dtype(ELEMENTS[str(extents(op.operands[0].type)[1])])
    if dtype.kind == "f" and before.kind == "b":
        numbers = [reader.to.constant(np.array(number, np.float32)) for number in (true, 0.0)]
        return apply(reader.to, "Where", x, *numbers)
    widened = before.kind == dtype.kind == "i" and before.itemsize <= dtype.itemsize
    if dtype.kind != "f" and not widened:
        raise reader.error("computed elements become floats or wider integers only")
    return x


@handles("cf.assert")
def ignored(reader: Reader, op: Operation) -> list[Tensor]:
    """Import an assertion: emit no op, and return no results."""
    return []
