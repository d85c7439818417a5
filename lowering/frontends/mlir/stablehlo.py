"""Ops of `stablehlo` and `chlo`, to which JAX lowers functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product

from xdsl.ir import Block, Operation

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.contraction import REDUCTIONS, Equation, Windows, contract, greatest, pool, reduce
from tinyml.lowering.frontends.mlir.elementwise import apply, is_number
from tinyml.lowering.frontends.mlir.graph import Tensor, op_name
from tinyml.lowering.frontends.mlir.linalg import padded
from tinyml.lowering.frontends.mlir.loops import concat
from tinyml.lowering.frontends.mlir.reader import Reader, handles
from tinyml.lowering.frontends.mlir.scalars import applied, converted

ELEMENTWISE: Mapping[str, str] = {
    "stablehlo.abs": "Abs", "stablehlo.add": "Add", "stablehlo.and": "And", "stablehlo.ceil": "Ceil",
    "stablehlo.divide": "Div", "stablehlo.exponential": "Exp", "stablehlo.exponential_minus_one": "Expm1",
    "stablehlo.floor": "Floor", "stablehlo.log": "Log", "stablehlo.log_plus_one": "Log1p",
    "stablehlo.logistic": "Sigmoid", "stablehlo.maximum": "Max", "stablehlo.minimum": "Min",
    "stablehlo.multiply": "Mul", "stablehlo.negate": "Neg", "stablehlo.not": "Not", "stablehlo.or": "Or",
    "stablehlo.power": "Pow", "stablehlo.remainder": "Rem", "stablehlo.rsqrt": "Rsqrt", "stablehlo.select": "Where",
    "stablehlo.sqrt": "Sqrt", "stablehlo.subtract": "Sub", "stablehlo.tanh": "Tanh", "chlo.erf": "Erf",
}  # fmt: skip

DIRECTIONS = {
    "EQ": "Equal",
    "NE": "NotEqual",
    "GT": "Greater",
    "GE": "GreaterOrEqual",
    "LT": "Less",
    "LE": "LessOrEqual",
}


@handles(*ELEMENTWISE)
def elementwise(reader: Reader, op: Operation) -> Tensor:
    return applied(reader, op, ELEMENTWISE[op_name(op)])


@handles("stablehlo.compare")
def compare(reader: Reader, op: Operation) -> Tensor:
    direction = reader.words(op, "comparison_direction").split()[-1]
    return apply(reader.to, DIRECTIONS[direction], reader.operand(op, 0), reader.operand(op, 1))


@handles("stablehlo.clamp")
def clamp(reader: Reader, op: Operation) -> Tensor:
    low, x, high = reader.operands(op)
    return apply(reader.to, "Min", apply(reader.to, "Max", x, low), high)


@handles("chlo.square")
def square(reader: Reader, op: Operation) -> Tensor:
    x = reader.operand(op, 0)
    return apply(reader.to, "Mul", x, x)


@handles("chlo.erfc")
def complementary_error_function(reader: Reader, op: Operation) -> Tensor:
    one = reader.to.constant(np.array(1.0, np.float32))
    return apply(reader.to, "Sub", one, apply(reader.to, "Erf", reader.operand(op, 0)))


@handles("stablehlo.constant")
def constant(reader: Reader, op: Operation) -> Tensor:
    return reader.constant(op, "value")


@handles("stablehlo.iota")
def iota(reader: Reader, op: Operation) -> Tensor:
    """Elements that count along one axis."""
    shape, [axis] = reader.shape(op.results[0]), reader.integers(op, "iota_dimension")
    numbers = np.arange(shape[axis]).reshape([-1 if at == axis else 1 for at in range(len(shape))])
    return converted(reader, op, reader.to.constant(numbers, shape))


@handles("stablehlo.convert")
def convert(reader: Reader, op: Operation) -> Tensor:
    return converted(reader, op, reader.operand(op, 0))


@handles("stablehlo.optimization_barrier")
def same(reader: Reader, op: Operation) -> Sequence[Tensor]:
    return reader.operands(op)


@handles("stablehlo.broadcast_in_dim")
def broadcast(reader: Reader, op: Operation) -> Tensor:
    dimensions = reader.integers(op, "broadcast_dimensions")
    return reader.to.broadcast(reader.operand(op, 0), dimensions, reader.shape(op.results[0]))


@handles("stablehlo.reshape")
def reshape(reader: Reader, op: Operation) -> Tensor:
    return reader.to.reshape(reader.operand(op, 0), reader.shape(op.results[0]))


@handles("stablehlo.transpose")
def transpose(reader: Reader, op: Operation) -> Tensor:
    return reader.to.transpose(reader.operand(op, 0), reader.integers(op, "permutation"))


@handles("stablehlo.slice")
def slice_(reader: Reader, op: Operation) -> Tensor:
    x, names = reader.operand(op, 0), ("start_indices", "limit_indices", "strides")
    starts, limits, steps = (reader.integers(op, name) for name in names)
    if any(limit > extent for limit, extent in zip(limits, x.shape, strict=True)):
        raise reader.error(f"the limits {[*limits]} do not lie in {list(x.shape)}")
    return reader.to.slice(x, starts, [len(range(*each)) for each in zip(starts, limits, steps, strict=True)], steps)


@handles("stablehlo.reverse")
def reverse(reader: Reader, op: Operation) -> Tensor:
    """Elements in the opposite order along some axes."""
    x, axes = reader.to.whole(reader.operand(op, 0)), reader.integers(op, "dimensions")
    if x.array is not None:
        return reader.to.constant(np.flip(x.array, axes))
    ends = [-1] * len(axes), [-(x.shape[axis] + 1) for axis in axes]
    bounds = [reader.to.integers(each) for each in (*ends, axes, [-1] * len(axes))]
    return reader.to.node("Slice", [x, *bounds], x.shape)


@handles("stablehlo.concatenate")
def concatenate(reader: Reader, op: Operation) -> Tensor:
    [axis] = reader.integers(op, "dimension")
    return concat(reader.to, reader.operands(op), axis)


@handles("stablehlo.pad")
def pad(reader: Reader, op: Operation) -> Tensor:
    low, high = (reader.integers(op, f"edge_padding_{name}") for name in ("low", "high"))
    if any(reader.integers(op, "interior_padding")):
        raise reader.error("padding between elements is not supported")
    return padded(reader, reader.operand(op, 0), low, high, reader.operand(op, 1))


@handles("stablehlo.dot_general")
def dot_general(reader: Reader, op: Operation) -> Tensor:
    """A product whose result has the stacked axes, then the rows, then the columns."""
    lhs, rhs = reader.operands(op)
    words = reader.words(op, "dot_dimension_numbers")
    named = {
        name: [int(each) for each in axes.split(",") if each.strip()]
        for name, axes in re.findall(r"(\w+) = \[([^\]]*)\]", words)
    }
    left = [f"m{axis}" for axis in range(len(lhs.shape))]
    right = [f"n{axis}" for axis in range(len(rhs.shape))]
    stacked: list[str] = []
    for kind in ("batching", "contracting"):
        pairs = zip(named.get(f"lhs_{kind}_dimensions", ()), named.get(f"rhs_{kind}_dimensions", ()), strict=True)
        for at, (a, b) in enumerate(pairs):
            left[a] = right[b] = f"{kind[0]}{at}"
            stacked += [left[a]] if kind == "batching" else []
    result = [*stacked, *(each for each in left if each[0] == "m"), *(each for each in right if each[0] == "n")]
    equation = Equation.parse(f"{' '.join(left)}, {' '.join(right)} -> {' '.join(result)}")
    return contract(reader.to, equation, lhs, rhs, reader.shape(op.results[0]))


@handles("stablehlo.convolution")
def convolution(reader: Reader, op: Operation) -> Tensor:
    """A convolution with groups, strides, dilations and padding, whose axes `dimension_numbers` names."""
    image, filter = reader.operands(op)
    found = re.fullmatch(r"\[(.*)\]x\[(.*)\]->\[(.*)\]", reader.words(op, "dimension_numbers").replace(" ", ""))
    if found is None:
        raise reader.error(f"expected dimension_numbers such as [b, 0, f]x[0, i, o]->[b, 0, f], got {op}")
    [groups], [batches] = (reader.integers(op, f"{name}_group_count") for name in ("feature", "batch"))
    count = found[1].count(",") - 1
    ones = (1,) * count
    strides, dilations = reader.integers(op, "window_strides", ones), reader.integers(op, "rhs_dilation", ones)
    flipped = any(reader.integers(op, "window_reversal", (0,)))
    if batches != 1 or flipped or any(each != 1 for each in reader.integers(op, "lhs_dilation", ones)):
        raise reader.error("transposed convolutions and groups of samples are not supported")
    widths = reader.integers(op, "padding", (0,) * 2 * count)
    axes = found[1].split(",")
    low, high = [0] * len(axes), [0] * len(axes)
    for at in range(count):
        low[axes.index(str(at))], high[axes.index(str(at))] = widths[2 * at], widths[2 * at + 1]
    image = padded(reader, image, low, high, reader.to.constant(np.array(0.0, np.float32)))
    names = {"b": "n", "f": "c", "i": "c", "o": "o"}
    features = found[2].split(",").index("i")
    if groups > 1 and filter.shape[features] == 1:
        # Depthwise: a channel is a group, and the axis i is dropped.
        names |= {"f": "g", "i": "", "o": "g o"}
        filter = _split(reader, filter, found[2].split(",").index("o"), groups)
        at = features + (found[2].split(",").index("o") < features)
        filter = reader.to.reshape(filter, (*filter.shape[:at], *filter.shape[at + 1 :]))
    elif groups > 1:
        image = _split(reader, image, axes.index("f"), groups)
        filter = _split(reader, filter, found[2].split(",").index("o"), groups)
        names |= {"f": "g c", "o": "g o"}
    left = [names.get(each) or f"{strides[int(each)]}*y{each}+{dilations[int(each)]}*k{each}" for each in axes]
    right = [names.get(each, f"k{each}") for each in found[2].split(",")]
    names["f"] = names["o"]
    result = [names.get(each) or f"y{each}" for each in found[3].split(",")]
    equation = Equation.parse(f"{' '.join(left)}, {' '.join(right)} -> {' '.join(result)}")
    shape = list(reader.shape(op.results[0]))
    features = found[3].split(",").index("f")
    split = (groups, shape[features] // groups) if groups > 1 else (shape[features],)
    grouped = (*shape[:features], *split, *shape[features + 1 :])
    return reader.to.reshape(contract(reader.to, equation, image, filter, grouped), tuple(shape))


def _split(reader: Reader, tensor: Tensor, axis: int, groups: int) -> Tensor:
    """A tensor whose axis is split in groups."""
    if tensor.shape[axis] % groups:
        raise reader.error(f"{tensor.shape[axis]} channels do not make {groups} groups")
    shape = *tensor.shape[:axis], groups, tensor.shape[axis] // groups, *tensor.shape[axis + 1 :]
    return reader.to.reshape(tensor, shape)


def _reducer(reader: Reader, op: Operation) -> str:
    """The op that the region of a reduction repeats, which it has alone."""
    block = op.regions[0].block
    ops = [*block.ops]
    kind = ELEMENTWISE.get(op_name(ops[0]), "") if len(ops) == 2 else ""
    if kind not in REDUCTIONS or {*ops[0].operands} != {*block.args} or [*ops[1].operands] != [*ops[0].results]:
        raise reader.error("reduces by other than a sum, a maximum or a minimum, which is not supported")
    return kind


def _started(reader: Reader, kind: str, value: Tensor, start: Tensor) -> Tensor:
    """A reduction from a number on."""
    return value if kind == "Add" and is_number(start, 0.0) else apply(reader.to, kind, value, start)


@handles("stablehlo.reduce")
def reduction(reader: Reader, op: Operation) -> list[Tensor]:
    axes = reader.integers(op, "dimensions")
    if len(op.operands) == 4:
        return _greatest(reader, op, axes)
    if len(op.operands) != 2:
        raise reader.error("reduces several tensors at once, which is not supported")
    x, start = reader.operands(op)
    kind = _reducer(reader, op)
    value = reader.to.reshape(reduce(reader.to, REDUCTIONS[kind], x, axes), reader.shape(op.results[0]))
    return [_started(reader, kind, value, start)]


def _greatest(reader: Reader, op: Operation, axes: Sequence[int]) -> list[Tensor]:
    """The maximum along an axis and its index, as JAX computes an argmax: of numbers and their indices."""
    x, numbers = reader.operand(op, 0), reader.operand(op, 1)
    along = tuple(extent if axis in axes else 1 for axis, extent in enumerate(x.shape))
    counts = numbers.array is not None and len(axes) == 1 and numbers.stored == along
    counts = counts and bool((numbers.array.ravel() == np.arange(x.shape[axes[0]])).all())  # type: ignore[union-attr]
    start = reader.operand(op, 2).number
    lowest = start is not None and start <= np.finfo(np.float32).min
    if not counts or not lowest or not _takes_first_greatest(reader, op.regions[0].block):
        raise reader.error("reduces two tensors other than to a maximum and its index, which is not supported")
    made = greatest(reader.to, x, axes[0])
    return [reader.to.reshape(each, reader.shape(result)) for each, result in zip(made, op.results, strict=True)]


def _takes_first_greatest(reader: Reader, block: Block) -> bool:
    """True if a body takes the greater one of two numbers with its index, and the lower index of equal numbers.

    A body that only compares depends on nothing but the order of its arguments, of which each case is computed.
    """
    names = {op_name(each).removeprefix("stablehlo.") for each in block.ops}
    if len(block.args) != 4 or not names <= {"compare", "select", "and", "or", "return"}:
        return False
    for a, b in product((0, 1), repeat=2):
        for i, j in ((0, 1), (1, 0)):
            numbers = [reader.to.constant(np.array(each)) for each in (float(a), i, float(b), j)]
            found = [each.number for each in reader.run(block, numbers)]
            if found != ([a, i] if (-a, i) < (-b, j) else [b, j]):
                return False
    return True


@handles("stablehlo.reduce_window")
def reduce_window(reader: Reader, op: Operation) -> Tensor:
    if len(op.operands) != 2:
        raise reader.error("reduces several tensors at once, which is not supported")
    x, start = reader.operands(op)
    kind, ones = _reducer(reader, op), (1,) * len(x.shape)
    if kind == "Min" or any(each != 1 for each in reader.integers(op, "base_dilations", ones)):
        raise reader.error("only maxima and sums of windows without dilations of the image are supported")
    sizes = reader.integers(op, "window_dimensions")
    windows = Windows(sizes, reader.integers(op, "window_strides", ones), reader.integers(op, "window_dilations", ones))
    widths = reader.integers(op, "padding", (0,) * 2 * len(sizes))
    x = padded(reader, x, widths[::2], widths[1::2], start)
    pooled = pool(reader.to, "Max" if kind == "Max" else "Sum", x, windows, reader.shape(op.results[0]))
    return _started(reader, kind, pooled, start)
