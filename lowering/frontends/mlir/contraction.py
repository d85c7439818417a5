"""Sums of products described by index maps: matrix products, convolutions, pooling windows and reductions.

A sum is written as an equation similar to einsum. For example, `n y+k x+l c, k l c f -> n y x f` is a convolution of an
NHWC image with an HWIO filter. A letter is an index; the sum runs over letters that the result lacks. Strides and
dilations are factors of the letters: `2*y+k`. `linalg.generic` has such maps as attributes; equations define the named
ops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.elementwise import apply, is_number
from tinyml.lowering.frontends.mlir.graph import Array, GraphWriter, Shape, Tensor

Position: TypeAlias = tuple[tuple[str, int], ...]
"""An index of an operand: the sum of letters times their factors."""

Indices: TypeAlias = tuple[Position, ...]


def indices(text: str, factors: Mapping[str, int] | None = None) -> Indices:
    """Parse the indices of one operand of an equation.

    factors: factors for letters that have no factor in the text, by default 1.
    """
    positions: list[Position] = []
    for position in text.split():
        terms = [term.rpartition("*") for term in position.split("+")]
        positions.append(tuple((name, int(factor or (factors or {}).get(name, 1))) for factor, _, name in terms))
    return tuple(positions)


def letters(of: Indices) -> list[str]:
    return [position[0][0] for position in of if len(position) == 1]


@dataclass(frozen=True)
class Equation:
    """A sum of products of two operands: the indices of each operand and of the result."""

    lhs: Indices
    rhs: Indices
    result: Indices

    @classmethod
    def parse(cls, text: str, factors: Mapping[str, int] | None = None) -> Equation:
        lhs, rhs, result = (indices(indices_text, factors) for indices_text in re.split(",|->", text))
        return cls(lhs, rhs, result)


def contract(
    to: GraphWriter, equation: Equation, lhs: Tensor, rhs: Tensor, shape: Shape, start: Tensor | None = None
) -> Tensor:
    """Emit the sums of products of two tensors that `equation` describes.

    shape: the shape of the result.
    start: the initial value of the sums; None for 0.
    """
    start = None if start is not None and start.number == 0 else start
    for tensor, of in ((lhs, equation.lhs), (rhs, equation.rhs)):
        if len(tensor.shape) != len(of):
            raise to.error(f"expected {len(of)} axes, got shape {list(tensor.shape)}")
    if any(len(position) > 1 for position in equation.rhs):
        equation, lhs, rhs = Equation(equation.rhs, equation.lhs, equation.result), rhs, lhs
    if any(len(position) > 1 for position in equation.lhs):
        return _convolve(to, equation, lhs, rhs, shape, start)
    return _multiply(to, equation, lhs, rhs, shape, start)


def _multiply(
    to: GraphWriter, equation: Equation, lhs: Tensor, rhs: Tensor, shape: Shape, start: Tensor | None
) -> Tensor:
    left, right, result = letters(equation.lhs), letters(equation.rhs), letters(equation.result)
    extents = dict(zip([*left, *right], [*lhs.shape, *rhs.shape], strict=True))
    both = [letter for letter in left if letter in right]
    summed = [letter for letter in both if letter not in result]
    stacked = [letter for letter in both if letter in result]
    rows = [letter for letter in left if letter in result and letter not in stacked]
    columns = [letter for letter in right if letter in result and letter not in stacked]
    if not set(left) | set(right) <= {*stacked, *rows, *columns, *summed}:
        raise to.error("sums over an index of one operand only, which is not supported")
    stack, height, length, width = (
        prod(extents[letter] for letter in group) for group in (stacked, rows, summed, columns)
    )
    # A stack of one matrix is the matrix itself.
    several = (stack,) if stack > 1 else ()
    a = [left.index(letter) for letter in (*stacked, *rows, *summed)]
    b = [right.index(letter) for letter in (*stacked, *summed, *columns)]
    first = to.reshape(to.transpose(to.whole(lhs), a), (*several, height, length))
    second = to.reshape(to.transpose(to.whole(rhs), b), (*several, length, width))
    if first.array is not None and second.array is not None:
        product = to.constant(np.broadcast_to(first.array, first.shape) @ np.broadcast_to(second.array, second.shape))
    else:
        product = to.node("MatMul", [to.whole(first), to.whole(second)], (*several, height, width))
    axes = (stacked, rows, columns) if several else ([*stacked, *rows], columns)
    return _in_order(to, product, axes, result, shape, start)


def _in_order(
    to: GraphWriter, sums: Tensor, axes: Sequence[Sequence[str]], result: Sequence[str], shape: Shape,
    start: Tensor | None,
) -> Tensor:  # fmt: skip
    """Transpose and reshape sums to the result. Initial values are added before the transposition, so that a layer
    can use them as its bias.

    axes: for each axis of the sums, the indices that it merges.
    result: the indices of the result, in order.
    shape: the shape of the result.
    start: the initial values of the sums; None for 0.
    """
    extents = dict(zip(result, shape, strict=True))
    letters_of_sums = [letter for group in axes for letter in group]
    letters_of_sums += [letter for letter in result if letter not in letters_of_sums]
    if start is not None:
        start = to.reshape(to.transpose(start, [result.index(letter) for letter in letters_of_sums]), sums.shape)
        sums = apply(to, "Add", sums, start)
    moving = [[letter for letter in group if extents[letter] > 1] for group in axes]
    if all(len(group) <= 1 for group in moving):
        # An axis is then a single index, and axes of one element may have any position.
        order = sorted(range(len(axes)), key=lambda axis: result.index(moving[axis][0]) if moving[axis] else -1)
        return to.reshape(to.transpose(sums, order), shape)
    whole = to.reshape(sums, tuple(extents[letter] for letter in letters_of_sums))
    return to.transpose(whole, [letters_of_sums.index(letter) for letter in result])


def _convolve(
    to: GraphWriter, equation: Equation, image: Tensor, filter: Tensor, shape: Shape, start: Tensor | None
) -> Tensor:
    """Emit a convolution. An index that occurs in the image, the filter and the result becomes the groups of
    channels.
    """
    if filter.array is None:
        raise to.error("expected a constant filter")
    left, right, result = letters(equation.lhs), letters(equation.rhs), letters(equation.result)
    of_filter = dict(zip(right, filter.shape, strict=True))
    of_image = {p[0][0]: extent for p, extent in zip(equation.lhs, image.shape, strict=True) if len(p) == 1}
    windows = [_window(to, position, result, right) for position in equation.lhs if len(position) > 1]
    batch = [letter for letter in left if letter in result and letter not in right]
    groups = [letter for letter in left if letter in result and letter in right]
    inputs = [letter for letter in left if letter in right and letter not in result]
    outputs = [letter for letter in right if letter in result and letter not in left]
    spatial = [at for at, position in enumerate(equation.lhs) if len(position) > 1]
    kernels = [window.kernel for window in windows]
    if not {*left} == {*batch, *groups, *inputs} or not {*right} == {*groups, *inputs, *outputs, *kernels}:
        raise to.error("its index maps are those of no convolution")
    where = {position[0][0]: at for at, position in enumerate(equation.lhs) if len(position) == 1}
    image, pads = _padding(to, image, spatial, 0.0)
    extents = [image.shape[at] for at in spatial]
    x = to.transpose(to.whole(image), [*(where[letter] for letter in (*batch, *groups, *inputs)), *spatial])
    count = {
        name: prod(sizes[letter] for letter in group)
        for name, group, sizes in (
            ("N", batch, of_image),
            ("G", groups, of_filter),
            ("I", inputs, of_filter),
            ("O", outputs, of_filter),
        )
    }
    x = to.reshape(x, (count["N"], count["G"] * count["I"], *extents))
    weights = to.transpose(to.whole(filter), [right.index(letter) for letter in (*groups, *outputs, *inputs, *kernels)])
    sizes = tuple(of_filter[letter] for letter in kernels)
    weights = to.reshape(weights, (count["G"] * count["O"], count["I"], *sizes))
    of_result = dict(zip(result, shape, strict=True))
    sums = to.node(
        "Conv",
        [x, weights],
        (count["N"], count["G"] * count["O"], *(of_result[window.moved] for window in windows)),
        group=count["G"],
        strides=tuple(window.stride for window in windows),
        dilations=tuple(window.dilation for window in windows),
        pads=pads,
    )
    axes = batch, [*groups, *outputs], *([window.moved] for window in windows)
    return _in_order(to, sums, axes, result, shape, start)


@dataclass(frozen=True)
class _Window:
    """The index `stride * moved + dilation * kernel` along an axis of an image: a window position plus an offset in
    the window.
    """

    moved: str
    kernel: str
    stride: int
    dilation: int


def _window(to: GraphWriter, position: Position, result: Sequence[str], kernel: Sequence[str]) -> _Window:
    moved = [term for term in position if term[0] in result]
    inner = [term for term in position if term[0] in kernel and term[0] not in result]
    if len(position) != 2 or len(moved) != 1 or len(inner) != 1:
        raise to.error("an index adds other than a position and an offset in a window")
    return _Window(moved[0][0], inner[0][0], moved[0][1], inner[0][1])


def _padding(to: GraphWriter, image: Tensor, axes: Sequence[int], number: float) -> tuple[Tensor, tuple[int, ...]]:
    """Return the operand of the pad op that computes `image`, and the padding of `axes`: first the low side of each
    axis, then the high side.

    The image itself and a padding of zeros are returned in all other cases: no op pads the image, or the op also pads
    other axes, removes elements, or pads with another number than `number`.
    """
    nothing = image, (0,) * 2 * len(axes)
    if (pad := image.produced_by("Pad")) is None:
        return nothing
    widths = pad.inputs[1].array
    filling = pad.inputs[2].number
    assert widths is not None
    before, after = np.split(widths, 2)
    elsewhere = [axis for axis in range(len(before)) if axis not in axes]
    if filling is None or not (filling == number or filling <= np.finfo(np.float32).min >= number):
        return nothing
    if any(before[axis] or after[axis] for axis in elsewhere) or min(widths) < 0:
        return nothing
    return pad.inputs[0], (*(int(before[axis]) for axis in axes), *(int(after[axis]) for axis in axes))


@dataclass(frozen=True)
class Windows:
    """Pooling windows along all axes of an image. Axes that are not pooled have window size 1."""

    sizes: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]


def pool(to: GraphWriter, kind: str, image: Tensor, windows: Windows, shape: Shape) -> Tensor:
    """Emit the maximum (`kind` "Max") or the sum ("Sum") of each window.

    shape: the shape of the result, which has the axes of the image.
    """
    rank = len(image.shape)
    moved = [axis for axis in range(rank) if windows.sizes[axis] > 1 or windows.strides[axis] > 1]
    if not moved:
        return image
    if image.array is not None:
        return to.constant(_pooled(kind, np.broadcast_to(image.array, image.shape), windows, shape))
    if len(moved) > 2:
        raise to.error("windows along more than two axes are not supported")
    image, pads = _padding(to, image, moved, -np.inf if kind == "Max" else 0.0)
    others = [axis for axis in range(rank) if axis not in moved]
    order = [*others, *moved]
    x = to.transpose(to.whole(image), order)
    x = to.reshape(x, (1, prod(image.shape[axis] for axis in others), *(image.shape[axis] for axis in moved)))
    sizes = tuple(windows.sizes[axis] for axis in moved)
    attributes: dict[str, Any] = {
        "kernel_shape": sizes,
        "strides": tuple(windows.strides[axis] for axis in moved),
        "dilations": tuple(windows.dilations[axis] for axis in moved),
        "pads": pads,
    }
    pooled = 1, x.shape[1], *(shape[axis] for axis in moved)
    if kind == "Max":
        result = to.node("MaxPool", [x], pooled, **attributes)
    else:
        result = to.node("AveragePool", [x], pooled, count_include_pad=1, **attributes)
    result = to.reshape(result, tuple(shape[axis] for axis in order))
    result = to.transpose(result, [order.index(axis) for axis in range(rank)])
    return result if kind == "Max" else apply(to, "Mul", result, to.constant(np.array(float(prod(sizes)), np.float32)))


def _pooled(kind: str, image: Array, windows: Windows, shape: Shape) -> Array:
    result = np.full(shape, -np.inf if kind == "Max" else 0.0, image.dtype)
    for place in np.ndindex(*windows.sizes):
        first = [at * dilation for at, dilation in zip(place, windows.dilations, strict=True)]
        axes = zip(first, windows.strides, shape, strict=True)
        taps = image[tuple(slice(at, at + (count - 1) * stride + 1, stride) for at, stride, count in axes)]
        result = np.maximum(result, taps) if kind == "Max" else result + taps
    return result


REDUCTIONS = {"Add": "ReduceSum", "Max": "ReduceMax", "Min": "ReduceMin"}
"""The reduction of each op that is applied repeatedly."""

_COMPUTED = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min}


def with_initial(to: GraphWriter, kind: str, value: Tensor, initial: Tensor) -> Tensor:
    """Combine the result of the reduction `kind` with its initial value. For a sum with the initial value 0, return the
    result unchanged.
    """
    return value if kind == "Add" and is_number(initial, 0.0) else apply(to, kind, value, initial)


def greatest(to: GraphWriter, x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Emit the maximum along an axis and the index of its first occurrence, and return both. In both results the
    axis has extent 1.
    """
    most = reduce(to, "ReduceMax", x, [axis])
    return most, to.node("ArgMax", [to.whole(x)], most.shape, axis=axis)


Step: TypeAlias = Callable[[Sequence[Tensor]], Sequence[Tensor]]
"""A reduction step on a (number, index) pair: from the accumulated pair and the next pair to the accumulated pair."""


def takes_first_greatest(to: GraphWriter, step: Step, *, in_order: bool) -> bool:
    """Whether a step selects the greater of two numbers together with its index, and the lower index for equal
    numbers.

    A step that only compares and selects depends only on the order of its arguments. The function therefore
    evaluates the step for every order.

    in_order: true if indices increase from step to step.
    """
    orders = ((0, 1),) if in_order else ((0, 1), (1, 0))
    for (a, b), (i, j) in product(product((0, 1), repeat=2), orders):
        arguments = [to.constant(np.array(number)) for number in (float(a), i, float(b), j)]
        numbers = [result.number for result in step(arguments)]
        if numbers != ([a, i] if (-a, i) < (-b, j) else [b, j]):
            return False
    return True


def is_lowest(start: Tensor) -> bool:
    """Whether the initial value of a maximum never exceeds an element, so that it does not change the maximum."""
    return (number := start.number) is not None and number <= float(np.finfo(np.float32).min)


def reduce(to: GraphWriter, op: str, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Emit the sum, maximum or minimum over axes. The axes remain in the result, with extent 1.

    op: a value of `REDUCTIONS`.
    """
    axes = sorted(set(axes))
    shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(x.shape))
    x = to.whole(x)
    if x.array is not None:
        return to.constant(_COMPUTED[op](x.array, axis=tuple(axes), keepdims=True))
    if (turned := x.produced_by("Transpose")) is not None:
        # Reduce the untransposed tensor: a later elementwise op reads that tensor, too.
        order = turned.attributes["perm"]
        assert isinstance(order, tuple)
        inner = reduce(to, op, turned.inputs[0], [int(order[axis]) for axis in axes])
        moving = [axis for axis in order if inner.shape[int(axis)] > 1]
        return to.reshape(inner, shape) if moving == sorted(moving) else to.transpose(inner, [int(n) for n in order])
    if (reduction := x.produced_by(op)) is not None:
        x, axes = reduction.inputs[0], sorted({*axes, *reduction.axes})
    return to.node(op, [x, to.integers(axes)], shape, keepdims=1)
