"""Elementwise ops on tensors of a graph: folding of known operands, and recognition of layers that consist of several
ops.

Ops have the names of ONNX. If a module computes a layer by several ops, the layer is recognised at its last op. The
other ops are removed from the graph if no other op uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import erf, isclose
from typing import Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.graph import Array, GraphWriter, Shape, Tensor, TensorOrigin


def _quotient(a: Array, b: Array) -> Array:
    return a / b if a.dtype.kind == "f" else np.trunc(a / b).astype(a.dtype)


def _erf(x: Array) -> Array:
    return np.vectorize(erf, otypes=[np.float64])(x).astype(x.dtype)


_UNARY: Mapping[str, Callable[[Array], Array]] = {
    "Abs": np.abs,
    "Ceil": np.ceil,
    "Erf": _erf,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Floor": np.floor,
    "Log": np.log,
    "Log1p": np.log1p,
    "Neg": lambda x: -x,
    "Not": lambda x: np.logical_not(x) if x.dtype.kind == "b" else ~x,
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Sqrt": np.sqrt,
    "Tanh": np.tanh,
}

BINARY: Mapping[str, Callable[[Array, Array], Array]] = {
    "Add": lambda a, b: a + b,
    "And": lambda a, b: np.logical_and(a, b) if a.dtype.kind == "b" else a & b,
    "Div": _quotient,
    "Equal": lambda a, b: a == b,
    "Greater": lambda a, b: a > b,
    "GreaterOrEqual": lambda a, b: a >= b,
    "Less": lambda a, b: a < b,
    "LessOrEqual": lambda a, b: a <= b,
    "Max": np.maximum,
    "Min": np.minimum,
    "Mul": lambda a, b: a * b,
    "NotEqual": lambda a, b: a != b,
    "Or": lambda a, b: np.logical_or(a, b) if a.dtype.kind == "b" else a | b,
    "Pow": lambda a, b: a**b,
    "Rem": np.fmod,
    "Sub": lambda a, b: a - b,
}


OF_CONSTANTS = ("And", "Ceil", "Equal", "Floor", "Log1p", "NotEqual", "Or", "Rem", "Rsqrt", "Sqrt")
"""Ops that programs cannot compute: their operands must be constants, or the rule of a layer must match them."""


def of_constants(ops: Mapping[Any, str]) -> Sequence[Any]:
    return [op for op, name in ops.items() if name in OF_CONSTANTS]


def _computed(op: str, values: Sequence[Array]) -> Array:
    with np.errstate(all="ignore"):
        if op in _UNARY:
            return np.asarray(_UNARY[op](values[0]))
        if op in BINARY:
            return np.asarray(BINARY[op](values[0], values[1]))
        return np.where(values[0], values[1], values[2])


Rule: TypeAlias = Callable[..., "Tensor | None"]
"""A function from the operands of an op to the result of a fused layer; None where the rule does not apply."""

LAYERS: dict[str, list[Rule]] = {}
"""The rules of layers that other files register, by the last op of the layer."""


def recognises(op: str) -> Callable[[Rule], Rule]:
    """A decorator that registers the rule that recognises a layer by its last op `op`."""

    def register(rule: Rule) -> Rule:
        LAYERS.setdefault(op, []).append(rule)
        return rule

    return register


COMMUTATIVE = ("Add", "Mul", "Max", "Min", "And", "Or", "Equal", "NotEqual")
COMPARISONS = ("Equal", "NotEqual", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
MIRRORED = {"Greater": "Less", "GreaterOrEqual": "LessOrEqual", "Less": "Greater", "LessOrEqual": "GreaterOrEqual"}


def apply(to: GraphWriter, op: str, *operands: Tensor) -> Tensor:
    """Emit an elementwise op on operands of equal shape. Scalars, whose shape is empty, are broadcast to the shape of
    the other operands.
    """
    expected = 1 if op in _UNARY else 2 if op in BINARY else 3
    if len(operands) != expected:
        raise to.error(f"expected {expected} operands, got {len(operands)}")
    shape = max((operand.shape for operand in operands), key=len)
    operands = tuple(operand if operand.shape else to.broadcast(operand, (), shape) for operand in operands)
    if any(operand.shape != shape for operand in operands):
        shapes = ", ".join(str(list(operand.shape)) for operand in operands)
        raise to.error(f"its operands differ in shape: {shapes}")
    if (known := _known(to, op, operands, shape)) is not None:
        return known
    if op in COMMUTATIVE and operands[0].is_known:
        operands = (*operands[1:], operands[0])
    if op in MIRRORED and operands[0].is_known:
        op, operands = MIRRORED[op], (*operands[1:], operands[0])
    for rule in (*LAYERS.get(op, ()), *_RULES.get(op, ())):
        if (simpler := rule(to, *operands)) is not None:
            return simpler
    stored = np.broadcast_shapes(*(operand.stored for operand in operands))
    # A choice between two numbers without axes would have no axes either.
    chooses_numbers = op == "Where" and all(operand.number is not None for operand in operands[1:])
    return to.node(op, operands, shape, stored, broadcasts=not chooses_numbers)


def _known(to: GraphWriter, op: str, operands: Sequence[Tensor], shape: Shape) -> Tensor | None:
    contents = [operand.array if operand.array is not None else operand.steps for operand in operands]
    values = [value for value in contents if value is not None]
    if len(values) < len(contents):
        return None
    try:
        result = _computed(op, values)
    except TypeError as error:
        raise to.error(f"is not defined on elements of {', '.join(str(value.dtype) for value in values)}") from error
    if result.dtype.kind == "f":
        result = result.astype(values[-1].dtype)
    if all(operand.steps is None for operand in operands):
        to.count(result)
        return Tensor("", shape, result.shape, result)
    if (result == result[0]).all():
        return to.constant(result[0])
    return Tensor("", (), (), steps=result)


def core(tensor: Tensor) -> Tensor:
    """The tensor before the reshapes that a broadcast inserts."""
    while (reshape := tensor.produced_by("Reshape")) is not None:
        tensor = reshape.inputs[0]
    return tensor


def is_number(tensor: Tensor, value: float) -> bool:
    """Whether all elements are known and equal to a number in single precision."""
    number = tensor.number
    return number is not None and isclose(number, value, rel_tol=1e-6)


def _add(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
    if is_number(b, 0.0):
        return a
    # max(x, 0) + log(1 + exp(-|x|)), as JAX computes log(exp(x) + exp(0)).
    for high, low in ((a, b), (b, a)):
        top, bottom = high.produced_by("Max"), low.produced_by("Log1p")
        if top is None or bottom is None or not is_number(top.inputs[1], 0.0):
            continue
        power = bottom.inputs[0].produced_by("Exp")
        minus = None if power is None else power.inputs[0].produced_by("Neg")
        magnitude = None if minus is None else minus.inputs[0].produced_by("Abs")
        if magnitude is not None and magnitude.inputs[0] is top.inputs[0]:
            x = top.inputs[0]
            return to.node("Softplus", [x], x.shape, x.stored)
    return None


def _subtract(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
    """Rewrite 0 - x as -x, x - (-y) as x + y, and x - constant as x + (-constant), so that the preceding layer can use
    the constant as its bias. Returns None for other operands.
    """
    if is_number(a, 0.0):
        return apply(to, "Neg", b)
    if b.is_known:
        return apply(to, "Add", a, apply(to, "Neg", b))
    # 1 - erf(-x), as JAX spells the half of GELU
    return apply(to, "Add", a, opposite.inputs[0]) if (opposite := b.produced_by("Neg")) is not None else None


def _multiply(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
    if is_number(b, 1.0):
        return a
    for factor, inverse in ((a, b), (b, a)):
        if (
            (half := factor.produced_by("Mul")) is not None
            and is_number(half.inputs[1], 0.5)
            and _one_more(inverse, "Tanh")
        ):
            return apply(to, "Mul", half.inputs[0], apply(to, "Mul", inverse, half.inputs[1]))
        if (divisor := core(inverse).produced_by("Reciprocal")) is not None:
            return apply(to, "Div", factor, like(to, divisor.inputs[0], inverse))
    if (
        b.number is not None
        and (inner := core(a).produced_by("Mul")) is not None
        and inner.inputs[1].number is not None
    ):
        # Only single numbers are merged: a larger merged constant may not fit a format that fits both constants.
        return like(to, apply(to, "Mul", inner.inputs[0], _product(to, inner.inputs[1], b)), a)
    if is_number(b, 0.5) and (tangent := _one_more(a, "Tanh")) is not None:
        # (1 + tanh(x)) / 2, as in the approximation of GELU
        doubled = apply(to, "Mul", tangent.inputs[0], to.constant(np.array(2.0, np.float32)))
        return like(to, apply(to, "Sigmoid", doubled), a)
    return None


def _product(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor:
    assert a.array is not None
    assert b.array is not None
    return to.constant((a.array.ravel()[0] * b.array.ravel()[0]).reshape(()))


def _one_more(tensor: Tensor, op: str) -> TensorOrigin | None:
    """Match `x + 1` where `op` computes x. Return the node that computes x, or None for any other tensor."""
    sum = tensor.produced_by("Add")
    return core(sum.inputs[0]).produced_by(op) if sum is not None and is_number(sum.inputs[1], 1.0) else None


def _divide(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
    if b.is_known:
        return apply(to, "Mul", a, apply(to, "Div", to.constant(np.ones(1, np.float32).reshape(())), b))
    if (root := core(b).produced_by("Sqrt")) is not None:
        inverse = apply(to, "Rsqrt", root.inputs[0])
        return apply(to, "Mul", a, like(to, inverse, b))
    return _reciprocal(to, b) if is_number(a, 1.0) else None


def like(to: GraphWriter, tensor: Tensor, other: Tensor) -> Tensor:
    """Reshape and broadcast a tensor to the shape of `other`. Both tensors have the same number of stored elements."""
    stored = to.reshape(tensor, other.stored)
    return Tensor(stored.name, other.shape, stored.stored, stored.array, producer=stored.producer)


def _reciprocal(to: GraphWriter, x: Tensor) -> Tensor:
    """Emit 1 / x. 1 / (1 + exp(-x)) becomes the sigmoid of x, and 1 / sqrt(x) the inverse square root."""
    if (root := x.produced_by("Sqrt")) is not None:
        return apply(to, "Rsqrt", root.inputs[0])
    if (power := _one_more(x, "Exp")) is not None:
        return like(to, apply(to, "Sigmoid", apply(to, "Neg", power.inputs[0])), x)
    return to.node("Reciprocal", [x], x.shape, x.stored)


def _power(to: GraphWriter, x: Tensor, exponent: Tensor) -> Tensor | None:
    """Emit a power. The exponents 1, 2 and 3 become products, and 1/2 and -1/2 become square roots. Returns None for
    other exponents.
    """
    if exponent.number in (1, 2, 3):
        result = x
        for _ in range(int(exponent.number) - 1):
            result = apply(to, "Mul", result, x)
        return result
    for value, op in ((0.5, "Sqrt"), (-0.5, "Rsqrt")):
        if is_number(exponent, value):
            return apply(to, op, x)
    return None


def _expm1(to: GraphWriter, x: Tensor) -> Tensor | None:
    return apply(to, "Sub", apply(to, "Exp", x), to.constant(np.array(1.0, np.float32)))


def _log(to: GraphWriter, x: Tensor) -> Tensor | None:
    """Match log(exp(x) + 1), and return the softplus of x. Returns None for other logarithms."""
    power = _one_more(x, "Exp")
    return None if power is None else _softplus(to, power.inputs[0], x)


def _softplus(to: GraphWriter, x: Tensor, result: Tensor) -> Tensor:
    return like(to, to.node("Softplus", [x], x.shape, x.stored), result)


def _log1p(to: GraphWriter, x: Tensor) -> Tensor | None:
    power = x.produced_by("Exp")
    if power is None or power.inputs[0].produced_by("Neg"):
        return None
    return _softplus(to, power.inputs[0], x)


def _negate(to: GraphWriter, x: Tensor) -> Tensor | None:
    negation = x.produced_by("Neg")
    return None if negation is None else negation.inputs[0]


def _error_function(to: GraphWriter, x: Tensor) -> Tensor | None:
    """Rewrite erf(-x) as -erf(x). Returns None for other operands."""
    negation = x.produced_by("Neg")
    return None if negation is None else apply(to, "Neg", apply(to, "Erf", negation.inputs[0]))


def _extreme(op: str) -> Callable[[GraphWriter, Tensor, Tensor], Tensor | None]:
    """The rule for a minimum or maximum with a number. It omits a number that never affects the result, such as
    infinity in a minimum, and rewrites a minimum of a maximum, or the reverse, as a clamp.

    op: `Min` or `Max`.
    """

    def rule(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
        limit = np.finfo(np.float32).max * (-1 if op == "Max" else 1)
        if b.number is not None and (b.number <= limit if op == "Max" else b.number >= limit):
            return a
        inner = a.produced_by("Min" if op == "Max" else "Max")
        if b.number is not None and inner is not None and inner.inputs[1].number is not None:
            limits = (b, inner.inputs[1]) if op == "Max" else (inner.inputs[1], b)
            return to.node("Clip", [inner.inputs[0], *limits], a.shape, a.stored, broadcasts=True)
        return None

    return rule


def _same(result: bool) -> Callable[[GraphWriter, Tensor, Tensor], Tensor | None]:
    """A rule that replaces a comparison by the constant `result` if both operands are the same tensor. Such a
    comparison is a test for NaN. For different operands, the rule returns None.
    """

    def rule(to: GraphWriter, a: Tensor, b: Tensor) -> Tensor | None:
        return Tensor("", a.shape, (1,) * len(a.shape), np.full((1,) * len(a.shape), result)) if a is b else None

    return rule


def _where(to: GraphWriter, condition: Tensor, a: Tensor, b: Tensor) -> Tensor | None:
    if condition.number is not None:
        return a if condition.number else b
    if (opposite := condition.produced_by("Not")) is not None:
        return apply(to, "Where", opposite.inputs[0], b, a)
    comparison = condition.produced_by("Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    if comparison is None:
        return None
    high, low = comparison.inputs if comparison.op.startswith("Greater") else comparison.inputs[::-1]
    if _equal(a, high) and _equal(b, low):
        return apply(to, "Max", a, b)
    if _equal(a, low) and _equal(b, high):
        return apply(to, "Min", a, b)
    if not is_number(low, 0.0) and not is_number(high, 0.0):
        return None
    x, above, below = (high, a, b) if is_number(low, 0.0) else (low, b, a)
    if above is not x:
        # The other branch of ELU: JAX replaces positive numbers by 0 to avoid overflow.
        return apply(to, "Min", x, above) if below is x and is_number(above, 0.0) else None
    slope = below.produced_by("Mul")
    if slope is not None and slope.inputs[0] is x and slope.inputs[1].number is not None:
        return to.node("LeakyRelu", [x], x.shape, x.stored, alpha=float(slope.inputs[1].number))
    return _exponential_unit(to, x, below)


def _exponential_unit(to: GraphWriter, x: Tensor, below: Tensor) -> Tensor | None:
    """Match alpha * (exp(min(x, 0)) - 1), the branch of an ELU for x below 0, and return the ELU. The pattern without
    the minimum also matches. Returns None for any other tensor.
    """
    alpha = 1.0
    if (scaled := below.produced_by("Mul")) is not None and scaled.inputs[1].number is not None:
        below, alpha = scaled.inputs[0], float(scaled.inputs[1].number)
    curve = below.produced_by("Add")
    power = curve.inputs[0].produced_by("Exp") if curve is not None and is_number(curve.inputs[1], -1.0) else None
    if power is None:
        return None
    inner = power.inputs[0]
    limited = inner.produced_by("Min")
    if inner is not x and (limited is None or limited.inputs[0] is not x or not is_number(limited.inputs[1], 0.0)):
        return None
    return to.node("Elu", [x], x.shape, x.stored, alpha=alpha)


def _equal(a: Tensor, b: Tensor) -> bool:
    return a is b or (a.number is not None and a.number == b.number)


def _square_root_of_square(to: GraphWriter, x: Tensor) -> Tensor | None:
    product = x.produced_by("Mul")
    return (
        apply(to, "Abs", product.inputs[0]) if product is not None and product.inputs[0] is product.inputs[1] else None
    )


_RULES: Mapping[str, Sequence[Rule]] = {
    "Add": [_add],
    "Div": [_divide],
    "Equal": [_same(True)],
    "Erf": [_error_function],
    "Expm1": [_expm1],
    "Log": [_log],
    "Log1p": [_log1p],
    "Max": [_extreme("Max")],
    "Min": [_extreme("Min")],
    "Mul": [_multiply],
    "Neg": [_negate],
    "NotEqual": [_same(False)],
    "Pow": [_power],
    "Sqrt": [_square_root_of_square],
    "Sub": [_subtract],
    "Where": [_where],
}
