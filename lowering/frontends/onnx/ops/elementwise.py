"""Elementwise ops with numpy's broadcasting, comparisons with constants, and selections by comparisons.

A comparison of many elements is recorded without an op until a node gathers single elements, since `tdsl.at_least`
compares single elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.layers.network_layers import binary as joined
from tinyml.lowering.frontends.onnx.builder import (
    Builder,
    Comparison,
    Constant,
    Indicator,
    Inputs,
    Value,
    handles,
    needed,
    optional,
)
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.tensors import ELEMENTS

_UNARY: dict[str, type[tdsl.UnaryOp]] = {
    "Relu": tdsl.ReluOp,
    "Tanh": tdsl.TanhOp,
    "Sigmoid": tdsl.SigmoidOp,
    "Exp": tdsl.ExpOp,
    "Erf": tdsl.ErfOp,
    "Log": tdsl.LogOp,
    "Softplus": tdsl.SoftplusOp,
    "Neg": tdsl.NegOp,
    "HardSwish": tdsl.HardSwishOp,
}

_BINARY: dict[str, type[tdsl.BinaryOp]] = {"Add": tdsl.AddOp, "Sub": tdsl.SubOp, "Mul": tdsl.MulOp}


def unary(to: Builder, make: type[tdsl.UnaryOp], value: Value) -> OrderedTensor:
    """Emit a unary op of the class `make` on each element of a tensor; the result has the same order of axes."""
    x = to.stored(value)
    clamps = issubclass(make, tdsl.ClampOp)
    return OrderedTensor(to.op(make, x.value, None if clamps else to.element), x.order)


def binary(to: Builder, make: type[tdsl.BinaryOp], lhs: Value, rhs: Value) -> OrderedTensor:
    """Emit a binary op of the class `make` on each pair of elements."""
    return joined(to, make, to.operand(lhs), to.operand(rhs), to.element)


@handles(*_UNARY)
def elementwise(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    return unary(to, _UNARY[node.op], needed(to, inputs, 0))


@handles(*_BINARY)
def arithmetic(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    lhs, rhs = needed(to, inputs, 0), needed(to, inputs, 1)
    if (chosen := _by_indicator(to, node, lhs, rhs)) is not None:
        return chosen
    return binary(to, _BINARY[node.op], lhs, rhs)


def _by_indicator(to: Builder, node: OnnxNode, lhs: Value, rhs: Value) -> Value | None:
    """Import a product with an indicator as a selection, and 1 minus an indicator as the negated indicator. Returns
    None for any other operands.
    """
    if node.op == "Sub" and isinstance(rhs, Indicator) and len(rhs.comparisons) == 1 and _is_one(lhs):
        return Indicator([rhs.comparisons[0].opposite])
    if node.op != "Mul":
        return None
    if isinstance(lhs, Indicator):
        lhs, rhs = rhs, lhs
    if not isinstance(rhs, Indicator):
        return None
    if isinstance(lhs, Indicator):
        return Indicator([*lhs.comparisons, *rhs.comparisons])
    kept = to.tensor(lhs)
    return OrderedTensor.plain(to.choose(rhs.comparisons, kept, to.fill(0.0, tdsl.shape_of(kept))))


def _is_one(value: Value) -> bool:
    return isinstance(value, Constant) and value.array.size == 1 and value.array.item() == 1


@handles("Abs")
def magnitude(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    return absolute(to, needed(to, inputs, 0))


def absolute(to: Builder, x: Value) -> OrderedTensor:
    """Emit an absolute value as the sum of relu(x) and relu(-x), one of which is 0."""
    return binary(to, tdsl.AddOp, unary(to, tdsl.ReluOp, x), unary(to, tdsl.ReluOp, unary(to, tdsl.NegOp, x)))


@handles("Div")
def quotient(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a quotient as a product with a reciprocal. The divisor must be constant, or computed numbers that are
    known to be positive.
    """
    divisor = needed(to, inputs, 1)
    if not isinstance(divisor, Constant):
        if _least(to.stored(divisor).value) <= 0:
            raise node.error("divides by a tensor that is neither a constant nor known to be positive")
        return binary(to, tdsl.MulOp, needed(to, inputs, 0), reciprocal(to, divisor))
    if not np.all(divisor.array):
        raise node.error("divides by zero")
    reciprocals = Constant(np.asarray(1.0 / divisor.array.astype(np.float64)))
    return binary(to, tdsl.MulOp, needed(to, inputs, 0), reciprocals)


def reciprocal(to: Builder, x: Value) -> OrderedTensor:
    """Emit the reciprocal of positive numbers as exp(-log(x))."""
    return unary(to, tdsl.ExpOp, unary(to, tdsl.NegOp, unary(to, tdsl.LogOp, x)))


_NEVER_NEGATIVE = (tdsl.ReluOp, tdsl.ExpOp, tdsl.SigmoidOp, tdsl.SoftplusOp)

_FOLLOWED = 8
"""Maximum depth of nested sums in the search for a lower bound."""


def _least(value: SSAValue, depth: int = _FOLLOWED) -> float:
    """A lower bound of a tensor's elements on reals; minus infinity if none is known.

    depth: the maximum number of ops to trace back.
    """
    op = value.owner
    if isinstance(op, tdsl.ConstOp):
        return float(tdsl.format_of(op.result).decode(op.raws).min())
    if isinstance(op, _NEVER_NEGATIVE) or (isinstance(op, tdsl.MulOp) and op.lhs is op.rhs):
        return 0.0
    if isinstance(op, tdsl.AddOp) and depth:
        return _least(op.lhs, depth - 1) + _least(op.rhs, depth - 1)
    return -np.inf


@handles("Pow")
def power(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Pow with the constant exponent 1 or 2; a square becomes a product."""
    exponent, base = needed(to, inputs, 1), needed(to, inputs, 0)
    if not isinstance(exponent, Constant) or exponent.array.size != 1 or exponent.array.item() not in (1, 2):
        raise node.error("only the exponents 1 and 2 are supported")
    return base if exponent.array.item() == 1 else binary(to, tdsl.MulOp, base, base)


@handles("Sum")
def total(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    result = needed(to, inputs, 0)
    for position in range(1, len(inputs)):
        result = binary(to, tdsl.AddOp, result, needed(to, inputs, position))
    return result


@handles("Identity", "Dropout")
def same(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import an op that is the identity at inference; return its input. Raises `InputError` for a Dropout in training
    mode.
    """
    if (training := optional(inputs, 2)) is not None and (not isinstance(training, Constant) or training.array.any()):
        raise node.error("training is not supported")
    return needed(to, inputs, 0)


_MIRRORED = {
    "Greater": "Less",
    "GreaterOrEqual": "LessOrEqual",
    "Less": "Greater",
    "LessOrEqual": "GreaterOrEqual",
}


@handles(*_MIRRORED)
def compare(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    lhs, rhs, op = needed(to, inputs, 0), needed(to, inputs, 1), node.op
    if isinstance(lhs, Constant):
        lhs, rhs, op = rhs, lhs, _MIRRORED[op]
    if not isinstance(rhs, Constant) or rhs.array.size != 1 or rhs.array.dtype.kind not in "fiu":
        raise node.error("only comparisons with one constant number are supported")
    threshold = float(rhs.array.item())
    tensor = to.stored(lhs)
    if op in ("Greater", "LessOrEqual"):
        # x > t is the opposite of -x >= -t.
        tensor, threshold = unary(to, tdsl.NegOp, tensor), 0.0 - threshold
    return Comparison(tensor, threshold, op in ("Greater", "Less"))


@handles("Not")
def opposite(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    value = needed(to, inputs, 0)
    if not isinstance(value, Comparison):
        raise node.error("expected the result of a comparison")
    return value.opposite


@handles("Where")
def where(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    condition, *branches = (needed(to, inputs, i) for i in range(3))
    if isinstance(condition, Constant) and condition.array.dtype == np.bool_:
        return chosen(to, condition, branches)
    if not isinstance(condition, Comparison):
        raise node.error("expected the result of a comparison as its condition")
    if_true, if_false = _of_one_shape(to, branches)
    return OrderedTensor.plain(to.choose([condition], if_true, if_false))


def chosen(to: Builder, condition: Constant, branches: Sequence[Value]) -> OrderedTensor:
    """Emit a selection between two branches by a constant condition, as the sum of both branches, each multiplied
    by 0 where it is not selected.
    """
    terms = list[Constant | OrderedTensor]()
    for branch, kept in zip(branches, (condition.array, ~condition.array), strict=True):
        if isinstance(branch, Constant):
            zero = branch.array.dtype.type(0)
            terms += [Constant(np.where(kept, branch.array, zero), branch.name)]
        else:
            terms += [binary(to, tdsl.MulOp, to.numbers(branch), Constant(kept.astype(np.float32), condition.name))]
    return binary(to, tdsl.AddOp, *terms)


def _of_one_shape(to: Builder, branches: Sequence[Value]):
    values = [to.tensor(branch) for branch in branches]
    shapes = [tdsl.shape_of(value) for value in values]
    for i, branch in enumerate(branches):
        if isinstance(branch, Constant) and branch.array.size == 1 and shapes[i] != shapes[1 - i]:
            values[i] = to.fill(float(branch.array.item()), shapes[1 - i])
    return values


FLOATS = ("float32", "float64", "float16", "bfloat16")
"""Float types between which a cast is the identity: number formats are chosen for the whole program."""


@handles("Cast", "CastLike")
def cast(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import a cast. A cast between float types leaves reals unchanged; comparisons become 0 and 1."""
    value = needed(to, inputs, 0)
    if isinstance(value, Comparison):
        return Indicator([value])
    element = _element_of(needed(to, inputs, 1)) if node.op == "CastLike" else ELEMENTS.get(node.integer("to"))
    if isinstance(value, OrderedTensor) and (value.is_quantised or element not in FLOATS):
        kind = "raws" if value.is_quantised else "numbers"
        name = element or f"element type {node.integer('to')}"
        raise node.error(f"a conversion of computed {kind} to {name} is not supported, only of reals to floats")
    return value


def _element_of(value: Value) -> str:
    if isinstance(value, Constant):
        return str(value.array.dtype)
    if isinstance(value, OrderedTensor) and value.is_quantised:
        return "integers"
    return "float32" if isinstance(value, OrderedTensor | Indicator) else "integers"
