"""Matrix products, with constant matrices on the left so that sums read consecutive bytes of flash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import Shape
from tinyml.lowering.frontends.layers.dense_layers import dense
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, Value, handles, needed, optional
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.elementwise import binary

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue


def product(
    to: Builder, lhs: Value, rhs: Value, *, transposed: bool = False, element: Attribute | None = None
) -> SSAValue:
    """Emit the product of two matrices.

    transposed: true to transpose the second matrix.
    element: the element type of the result; None for that of the first matrix.
    """
    lhs, rhs = to.numbers(lhs), to.numbers(rhs)
    if isinstance(rhs, Constant) and len(lhs.shape) == len(rhs.shape) == 2 and lhs.shape[0] == 1:
        matrix = to.parameter_of(rhs)
        weights = matrix if transposed else matrix.transposed((1, 0))
        return dense(to, to.tensor(lhs), weights, (1, len(weights.raws)), element=element)
    right = to.tensor(rhs)
    if transposed:
        right = to.op(tdsl.TransposeOp, right, (1, 0))
    return to.op(tdsl.MatmulOp, to.tensor(lhs), right, element)


@handles("MatMul")
def matmul(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    return multiplied(to, node, needed(to, inputs, 0), needed(to, inputs, 1))


def multiplied(to: Builder, node: OnnxNode, lhs: Value, rhs: Value, element: Attribute | None = None) -> OrderedTensor:
    """Emit a matrix product. A left vector is a row, and a right vector is a column.

    Leading axes that only the left operand has are merged into its rows. A right operand that is a stack of several
    matrices results in one product per matrix, in the element type of the left operand.

    element: the element type of the product of two matrices; None for that of the left operand.
    """
    lhs, rhs = to.numbers(lhs), to.numbers(rhs)
    left, right = lhs.shape, rhs.shape
    if not left or not right:
        raise node.error("multiplies a single number: expected matrices")
    if len(right) > 2 and prod(right[:-2]) > 1:
        return _stacked(to, node, lhs, rhs)
    shape = (*left[:-1], *right[len(right) - 1 :]) if len(right) > 1 else left[:-1]
    if len(right) > len(left):
        shape = (1,) * (len(right) - max(len(left), 2)) + shape
    lhs = matrix(to, lhs, (prod(left[:-1]), left[-1]))
    rhs = matrix(to, rhs, right[-2:] if len(right) > 1 else (*right, 1))
    return OrderedTensor.plain(to.reshape(product(to, lhs, rhs, element=element), shape))


def _stacked(
    to: Builder, node: OnnxNode, lhs: OrderedTensor | Constant, rhs: OrderedTensor | Constant
) -> OrderedTensor:
    rows = lhs.shape if len(lhs.shape) > 1 else (1, *lhs.shape)
    try:
        stack = np.broadcast_shapes(rows[:-2], rhs.shape[:-2])
    except ValueError:
        raise node.error(f"the stacks of shapes {list(lhs.shape)} and {list(rhs.shape)} do not match") from None
    numbers = [matrices(to, value, shape, stack) for value, shape in ((lhs, rows), (rhs, rhs.shape))]
    products = [to.reshape(product(to, *pair), (1, rows[-2], rhs.shape[-1])) for pair in zip(*numbers, strict=True)]
    return joined(to, products, (*stack, *(rows[-2:-1] if len(lhs.shape) > 1 else ()), rhs.shape[-1]))


def joined(to: Builder, matrices: Sequence[SSAValue], shape: Shape) -> OrderedTensor:
    """Join matrices, each of shape (1, rows, columns), to a stack of the given shape."""
    return OrderedTensor.plain(to.reshape(to.op(tdsl.ConcatOp, matrices, 0), shape))


def matrices(
    to: Builder, value: OrderedTensor | Constant, shape: tuple[int, ...], stack: tuple[int, ...]
) -> Iterator[OrderedTensor | Constant]:
    """Yield the matrix of a value for each position of the broadcast stack.

    A tensor whose axes are in another order is first split into matrices, and each matrix is then transposed. This
    avoids a transposed copy of the whole tensor.

    shape: the shape of the value as a stack of matrices.
    stack: the extents of the broadcast stack.
    """
    count, size = prod(shape[:-2]), shape[-2:]
    divided = isinstance(value, OrderedTensor) and not value.is_plain
    flat = value if divided else matrix(to, value, (count, *size))
    for number in np.broadcast_to(np.arange(count).reshape(shape[:-2]), stack).ravel().tolist():
        if isinstance(flat, Constant):
            yield Constant(flat.array[number], flat.name)
        elif divided:
            first = *map(int, np.unravel_index(number, shape[:-2])), 0, 0
            sizes = *[1] * (len(shape) - 2), *size
            starts, extents = ([axes[axis] for axis in flat.order] for axes in (first, sizes))
            part = to.part(flat.value, tuple(starts), tuple(extents))
            yield matrix(to, OrderedTensor(part, flat.order), size)
        else:
            part = to.part(to.plain(flat), (number, 0, 0), (1, *size))
            yield OrderedTensor.plain(to.reshape(part, size))


def matrix(to: Builder, value: Value, shape: tuple[int, ...]) -> OrderedTensor | Constant:
    """Reshape a value to a matrix, or to a stack of matrices."""
    if isinstance(value, Constant):
        return value if value.shape == shape else Constant(value.array.reshape(shape), value.name)
    return OrderedTensor.plain(to.reshape(to.tensor(value), shape))


@handles("Gemm")
def gemm(to: Builder, node: OnnxNode, inputs: Inputs) -> Value:
    """Import Gemm: `alpha * A * B + beta * C` with optional transpositions. Factors other than 1 are folded into a
    constant operand if there is one.
    """
    lhs, rhs = to.numbers(needed(to, inputs, 0)), to.numbers(needed(to, inputs, 1))
    if len(lhs.shape) != 2 or len(rhs.shape) != 2:
        raise node.error(f"expected two matrices, got shapes {list(lhs.shape)} and {list(rhs.shape)}")
    if node.integer("transA", 0):
        lhs = OrderedTensor.plain(to.op(tdsl.TransposeOp, to.tensor(lhs), (1, 0)))
    alpha, beta = node.number("alpha", 1.0), node.number("beta", 1.0)
    if alpha != 1.0 and isinstance(lhs, Constant):
        lhs = _scaled(to, lhs, alpha)
    elif alpha != 1.0:
        rhs = _scaled(to, rhs, alpha)
    result: Value = OrderedTensor.plain(product(to, lhs, rhs, transposed=bool(node.integer("transB", 0))))
    if (addend := optional(inputs, 2)) is not None and beta != 0.0:
        addend = to.numbers(addend) if beta == 1.0 else _scaled(to, to.numbers(addend), beta)
        if isinstance(addend, Constant) and len(addend.shape) == 1:
            addend = Constant(addend.array[None], addend.name)
        result = binary(to, tdsl.AddOp, result, addend)
    return result


def _scaled(to: Builder, value: OrderedTensor | Constant, factor: float) -> OrderedTensor | Constant:
    if isinstance(value, Constant):
        return Constant(value.array * value.array.dtype.type(factor), value.name)
    return binary(to, tdsl.MulOp, value, Constant(np.asarray(factor, np.float32)))
