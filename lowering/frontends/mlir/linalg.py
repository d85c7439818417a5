"""Ops of `linalg` and `tensor`. `linalg.generic` is imported by its index maps and body, and named ops by their
equations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr, AffineExpr

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.mlir.contraction import (
    REDUCTIONS,
    Equation,
    Indices,
    Position,
    Windows,
    contract,
    greatest,
    is_lowest,
    pool,
    reduce,
    takes_first_greatest,
    with_initial,
)
from tinyml.lowering.frontends.mlir.graph import Shape, Tensor, error_at, op_name
from tinyml.lowering.frontends.mlir.loops import concat, taken
from tinyml.lowering.frontends.mlir.reader import Reader, handles
from tinyml.lowering.frontends.mlir.scalars import ELEMENTWISE

NAMED: Mapping[str, str] = {
    "dot": "k, k ->",
    "matmul": "m k, k n -> m n",
    "matmul_transpose_a": "k m, k n -> m n",
    "matmul_transpose_b": "m k, n k -> m n",
    "matvec": "m k, k -> m",
    "vecmat": "k, k n -> n",
    "batch_matmul": "b m k, b k n -> b m n",
    "batch_matvec": "b m k, b k -> b m",
    "batch_vecmat": "b k, b k n -> b n",
    "conv_1d_ncw_fcw": "n c x+l, f c l -> n f x",
    "conv_1d_nwc_wcf": "n x+l c, l c f -> n x f",
    "conv_2d_nchw_fchw": "n c y+k x+l, f c k l -> n f y x",
    "conv_2d_nhwc_fhwc": "n y+k x+l c, f k l c -> n y x f",
    "conv_2d_nhwc_hwcf": "n y+k x+l c, k l c f -> n y x f",
    "conv_2d_ngchw_fgchw": "n g c y+k x+l, f g c k l -> n g f y x",
    "conv_2d_ngchw_gfchw": "n g c y+k x+l, g f c k l -> n g f y x",
    "conv_2d_nhwgc_gfhwc": "n y+k x+l g c, g f k l c -> n y x g f",
    "depthwise_conv_1d_ncw_cw": "n c x+l, c l -> n c x",
    "depthwise_conv_1d_nwc_wc": "n x+l c, l c -> n x c",
    "depthwise_conv_1d_nwc_wcm": "n x+l c, l c m -> n x c m",
    "depthwise_conv_2d_nchw_chw": "n c y+k x+l, c k l -> n c y x",
    "depthwise_conv_2d_nhwc_hwc": "n y+k x+l c, k l c -> n y x c",
    "depthwise_conv_2d_nhwc_hwcm": "n y+k x+l c, k l c m -> n y x c m",
}
"""The sum of products of each named op. y and x have strides as factors, k and l dilations."""

POOLS: Mapping[str, str] = {
    f"pooling_{axes}_{kind}": spatial
    for axes, spatial in (("nchw", "23"), ("nhwc", "12"), ("ncw", "2"), ("nwc", "1"))
    for kind in ("max", "sum")
}
"""The axes along which the windows of each pool move."""


@handles(*(f"linalg.{name}" for name in NAMED))
def named_product(reader: Reader, op: Operation) -> Tensor:
    text = NAMED[op_name(op).removeprefix("linalg.")]
    if "+" not in text:
        equation = _mapped(reader, op) or Equation.parse(text)
    else:
        factors: dict[str, int] = {}
        for name, axes in (("strides", "yx"), ("dilations", "kl")):
            numbers = reader.integers(op, name, (1, 1))
            factors |= dict(zip(axes[-len(numbers) :], numbers, strict=True))
        equation = Equation.parse(text, factors)
    lhs, rhs, start = reader.operands(op)
    return contract(reader.to, equation, lhs, rhs, reader.shape(op.results[0]), start)


def _mapped(reader: Reader, op: Operation) -> Equation | None:
    if "indexing_maps" not in op.properties and "indexing_maps" not in op.attributes:
        return None
    lhs, rhs, result = (_indices(reader, map) for map in _maps(reader, op))
    return Equation(lhs, rhs, result)


@handles(*(f"linalg.{name}" for name in POOLS))
def named_pool(reader: Reader, op: Operation) -> Tensor:
    name = op_name(op).removeprefix("linalg.")
    x, window, start = reader.operands(op)
    axes = [int(axis) for axis in POOLS[name]]
    sizes, strides, dilations = ([1] * len(x.shape) for _ in range(3))
    for at, axis in enumerate(axes):
        sizes[axis] = window.shape[at]
        strides[axis] = reader.integers(op, "strides", (1, 1))[at]
        dilations[axis] = reader.integers(op, "dilations", (1, 1))[at]
    kind = "Max" if name.endswith("max") else "Sum"
    windows = Windows(sizes, strides, dilations)
    result = pool(reader.to, kind, x, windows, reader.shape(op.results[0]))
    return with_initial(reader.to, "Max" if kind == "Max" else "Add", result, start)


def _maps(reader: Reader, op: Operation) -> list[AffineMapAttr]:
    maps = [attribute for attribute in _items(reader, op, "indexing_maps") if isinstance(attribute, AffineMapAttr)]
    if len(maps) != len(op.operands):
        raise reader.error("expected an affine map for each operand as its indexing_maps")
    return maps


def _indices(reader: Reader, attribute: AffineMapAttr) -> Indices:
    return tuple(_position(reader, expression) for expression in attribute.data.results)


def _position(reader: Reader, expression: AffineExpr) -> Position:
    match expression:
        case AffineDimExpr():
            return ((f"d{expression.position}", 1),)
        case AffineConstantExpr(value=0):
            return ()
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            return (*_position(reader, expression.lhs), *_position(reader, expression.rhs))
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul) if isinstance(expression.rhs, AffineConstantExpr):
            factor = expression.rhs.value
            return tuple((name, number * factor) for name, number in _position(reader, expression.lhs))
        case _:
            raise reader.error(f"the index {expression} is not supported")


@handles("linalg.map")
def map_(reader: Reader, op: Operation) -> list[Tensor]:
    """Import `linalg.map`: an elementwise op on all operands except the last. The body need not use every operand."""
    shape, block = reader.shape(op.results[0]), op.regions[0].block
    operands = [reader.to.broadcast(operand, range(len(shape)), shape) for operand in reader.operands(op)]
    _number_indices(reader, block, shape)
    [result] = reader.run(block, operands[: len(block.args)])
    return [reader.to.broadcast(result, (), shape) if not result.shape else result]


@handles("linalg.reduce")
def reduction(reader: Reader, op: Operation) -> Tensor:
    """Import a sum, a maximum or a minimum over some axes."""
    if len(op.operands) != 2:
        raise reader.error("reduces several tensors at once, which is not supported")
    x, axes = reader.operand(op, 0), reader.integers(op, "dimensions")
    indices: Indices = tuple(((f"d{axis}", 1),) for axis in range(len(x.shape)))
    kept = tuple(index for axis, index in enumerate(indices) if axis not in axes)
    extents = {f"d{axis}": extent for axis, extent in enumerate(x.shape)}
    summed, shape = [f"d{axis}" for axis in axes], reader.shape(op.results[0])
    return _reduction(reader, op.regions[0].block, reader.operands(op), (indices, kept), extents, summed, shape)


@handles("linalg.generic")
def generic(reader: Reader, op: Operation) -> list[Tensor]:
    """Import `linalg.generic`: an elementwise op over parallel indices, or sums of products, sums or maxima over
    reduced indices.
    """
    [inputs, outputs], block = reader.integers(op, "operandSegmentSizes"), op.regions[0].block
    operands, maps = reader.operands(op), [_indices(reader, map) for map in _maps(reader, op)]
    if len(operands) != inputs + outputs or len(maps) != len(operands):
        raise reader.error("its maps, operands and segments differ in number")
    kinds = [str(attribute) for attribute in _items(reader, op, "iterator_types")]
    dims = [f"d{at}" for at in range(len(kinds))]
    summed = [dim for dim, kind in zip(dims, kinds, strict=True) if "parallel" not in kind]
    extents: dict[str, int] = {}
    for tensor, of in zip(operands, maps, strict=True):
        extents |= {p[0][0]: n for p, n in zip(of, tensor.shape, strict=True) if len(p) == 1 and p[0][1] == 1}
    if missing := [dim for dim in dims if dim not in extents]:
        raise reader.error(f"no operand says how far its index {missing[0]} goes")
    shapes = [reader.shape(result) for result in op.results]
    if summed:
        if outputs != 1:
            return _greatest(reader, block, operands, maps, summed, shapes)
        return [_reduction(reader, block, operands, maps, extents, summed, shapes[0])]
    space = tuple(extents[dim] for dim in dims)
    inner = [_aligned(reader, x, of, dims, space) for x, of in zip(operands, maps, strict=True)]
    _number_indices(reader, block, space)
    results = reader.run(block, inner)
    triples = zip(results, maps[inputs:], shapes, strict=True)
    return [_placed(reader, result, dims, space, of, shape) for result, of, shape in triples]


def _items(reader: Reader, op: Operation, name: str) -> Sequence[Attribute]:
    items = reader.attribute(op, name)
    return cast("ArrayAttr[Attribute]", items).data if isinstance(items, ArrayAttr) else ()


def _aligned(reader: Reader, tensor: Tensor, of: Indices, dims: Sequence[str], space: Shape) -> Tensor:
    to, names = reader.to, [p[0][0] if p else "" for p in of]
    if any(len(p) > 1 or (p and p[0][1] != 1) for p in of) or len({*names} - {""}) < len([n for n in names if n]):
        raise reader.error("an operand has an index that is computed, which is supported in sums of products only")
    kept = tuple(extent for extent, name in zip(tensor.shape, names, strict=True) if name)
    tensor = to.reshape(tensor, kept)
    return to.broadcast(tensor, [dims.index(name) for name in names if name], space)


def _placed(reader: Reader, tensor: Tensor, dims: Sequence[str], space: Shape, of: Indices, shape: Shape) -> Tensor:
    if not tensor.shape:
        tensor = reader.to.broadcast(tensor, (), space)
    names = [name for position in of for name, factor in position if factor == 1]
    if sorted(names) != sorted(dims) or any(len(position) > 1 for position in of):
        raise reader.error("its result does not have each index once")
    return reader.to.reshape(reader.to.transpose(tensor, [dims.index(name) for name in names]), shape)


def _reduction(
    reader: Reader, block: Block, operands: Sequence[Tensor], maps: Sequence[Indices], extents: Mapping[str, int],
    summed: Sequence[str], shape: Shape,
) -> Tensor:  # fmt: skip
    last = block.last_op
    assert last is not None
    joined, start = last.operands[0].owner, block.args[-1]
    kind = ELEMENTWISE.get(op_name(joined), "") if isinstance(joined, Operation) else ""
    if not isinstance(joined, Operation) or kind not in REDUCTIONS or start not in joined.operands:
        raise reader.error("its body is no sum, maximum or minimum")
    [element] = [operand for operand in joined.operands if operand is not start]
    producer = element.owner
    factors = producer.operands if isinstance(producer, Operation) and op_name(producer) == "arith.mulf" else ()
    to = reader.to
    if kind == "Add" and len(factors) == 2 and all(isinstance(factor, BlockArgument) for factor in factors):
        a, b = (factor.index for factor in factors if isinstance(factor, BlockArgument))
        if a != b:
            return contract(to, Equation(maps[a], maps[b], maps[-1]), operands[a], operands[b], shape, operands[-1])
    if isinstance(element, BlockArgument) and any(len(p) > 1 for p in maps[element.index]):
        if kind == "Min":
            raise reader.error("the minimum of each window is not supported")
        windows, moved = _windows(reader, maps[element.index], summed, extents), _moved(maps[element.index], summed)
        space = tuple(extents[dim] for dim in moved)
        value = pool(to, "Max" if kind == "Max" else "Sum", operands[element.index], windows, space)
        return with_initial(reader.to, kind, _placed(reader, value, moved, space, maps[-1], shape), operands[-1])
    dims = [f"d{at}" for at in range(len(extents))]
    space = tuple(extents[dim] for dim in dims)
    reader.values |= {
        argument: _aligned(reader, x, of, dims, space)
        for argument, x, of in zip(block.args[:-1], operands[:-1], maps[:-1], strict=True)
    }
    _number_indices(reader, block, space)
    for op in block.ops:
        if op is not joined and op is not last:
            to.source = op
            reader.values |= dict(zip(op.results, reader.read(op), strict=True))
    value = to.broadcast(reader.value(element), range(len(dims)), space)
    reduced = reduce(to, REDUCTIONS[kind], value, [dims.index(dim) for dim in summed])
    rest = [dim for dim in dims if dim not in summed]
    space = tuple(extents[dim] for dim in rest)
    value = _placed(reader, to.reshape(reduced, space), rest, space, maps[-1], shape)
    return with_initial(reader.to, kind, value, operands[-1])


def _greatest(
    reader: Reader, block: Block, operands: Sequence[Tensor], maps: Sequence[Indices], summed: Sequence[str],
    shapes: Sequence[Shape],
) -> list[Tensor]:  # fmt: skip
    """Emit the maximum along the index `summed` and the position of its first occurrence. PyTorch exports argmax as
    such a reduction.
    """
    dims = [position[0][0] for position in maps[0] if len(position) == 1 and position[0][1] == 1]
    kept = tuple(position for position in maps[0] if position[0][0] not in summed)
    aligned = len(dims) == len(maps[0]) == len({*dims}) and len(operands) == 3 and maps[1] == maps[2] == kept
    if len(summed) != 1 or not aligned or not _compares(block):
        raise reader.error("reduces to several results other than a maximum and its index, which is not supported")
    x, most, where = operands

    def step(arguments: Sequence[Tensor]) -> Sequence[Tensor]:
        so_far, at, element, index = arguments
        reader.values |= {op.results[0]: index for op in block.ops if op_name(op) == "linalg.index"}
        return reader.run(block, (element, so_far, at))

    along = {f"d{at}" for op in block.ops if op_name(op) == "linalg.index" for at in reader.integers(op, "dim")}
    started = is_lowest(most) and where.number == 0
    if along != {*summed} or not started or not takes_first_greatest(reader.to, step, in_order=True):
        raise reader.error("reduces to several results other than a maximum and its index, which is not supported")
    results = greatest(reader.to, x, dims.index(summed[0]))
    return [reader.to.reshape(tensor, shape) for tensor, shape in zip(results, shapes, strict=True)]


def _compares(block: Block) -> bool:
    kinds = {"linalg.index", "linalg.yield", *(f"arith.{name}" for name in COMPARING)}
    return all(op_name(op) in kinds for op in block.ops)


COMPARING = ("andi", "cmpf", "cmpi", "index_cast", "maximumf", "maxnumf", "ori", "select")
"""Ops of `arith` whose results depend only on the order of their operands."""


def _number_indices(reader: Reader, block: Block, space: Shape) -> None:
    for op in block.ops:
        if op_name(op) == "linalg.index":
            [axis] = reader.integers(op, "dim")
            if not 0 <= axis < len(space):
                raise error_at(op, f"there is no index {axis}", reader.to.file)
            along = np.arange(space[axis]).reshape([-1 if at == axis else 1 for at in range(len(space))])
            reader.values[op.results[0]] = reader.to.constant(along, space)


@handles("linalg.index")
def index(reader: Reader, op: Operation) -> Tensor:
    """The result of a `linalg.index` op, which the import of the enclosing op has assigned."""
    if op.results[0] not in reader.values:
        raise reader.error("expected it in the body of an op of linalg")
    return reader.value(op.results[0])


def _windows(reader: Reader, of: Indices, summed: Sequence[str], extents: Mapping[str, int]) -> Windows:
    """The pooling windows that an index map with the summed indices `summed` describes. The index of each axis is a
    window position, an offset in the window, or their sum.
    """
    sizes, strides, dilations = [1] * len(of), [1] * len(of), [1] * len(of)
    for axis, position in enumerate(of):
        inner = [term for term in position if term[0] in summed]
        moved = [term for term in position if term[0] not in summed]
        if len(inner) > 1 or len(moved) != 1:
            raise reader.error("its index maps move no windows over an image")
        strides[axis] = moved[0][1]
        if inner:
            sizes[axis], dilations[axis] = extents[inner[0][0]], inner[0][1]
    return Windows(sizes, strides, dilations)


def _moved(of: Indices, summed: Sequence[str]) -> list[str]:
    return [name for position in of for name, _ in position if name not in summed]


@handles("linalg.fill")
def fill(reader: Reader, op: Operation) -> Tensor:
    return reader.to.broadcast(reader.operand(op, 0), (), reader.shape(op.results[0]))


@handles("linalg.broadcast")
def broadcast(reader: Reader, op: Operation) -> Tensor:
    shape, added = reader.shape(op.results[0]), reader.integers(op, "dimensions")
    return reader.to.broadcast(reader.operand(op, 0), [axis for axis in range(len(shape)) if axis not in added], shape)


@handles("linalg.transpose")
def transpose(reader: Reader, op: Operation) -> Tensor:
    return reader.to.transpose(reader.operand(op, 0), reader.integers(op, "permutation"))


@handles("tensor.empty")
def empty(reader: Reader, op: Operation) -> Tensor:
    """A placeholder for `tensor.empty`. No op reads its elements."""
    return reader.to.broadcast(reader.to.constant(np.array(0.0, np.float32)), (), reader.shape(op.results[0]))


@handles("tensor.expand_shape", "tensor.collapse_shape")
def reshape(reader: Reader, op: Operation) -> Tensor:
    return reader.to.reshape(reader.operand(op, 0), reader.shape(op.results[0]))


@handles("tensor.pad")
def pad(reader: Reader, op: Operation) -> Tensor:
    low, high = (reader.integers(op, f"static_{name}") for name in ("low", "high"))
    block = op.regions[0].block
    [number] = reader.run(block, [reader.to.constant(np.array(0))] * len(block.args))
    return padded(reader, reader.operand(op, 0), low, high, number)


def padded(reader: Reader, x: Tensor, low: Sequence[int], high: Sequence[int], number: Tensor) -> Tensor:
    """Pad each axis of a tensor by `low` and `high` elements before and after it, with the known `number`."""
    if number.number is None or min((*low, *high)) < 0:
        raise reader.error("expected a constant number around it, and no negative width")
    if not any((*low, *high)):
        return x
    if x.array is not None:
        known = np.broadcast_to(x.array, x.shape)
        return reader.to.constant(np.pad(known, list(zip(low, high, strict=True)), constant_values=number.number))
    widths = reader.to.integers((*low, *high))
    shape = tuple(n + before + after for n, before, after in zip(x.shape, low, high, strict=True))
    return reader.to.node("Pad", [reader.to.whole(x), widths, number], shape, broadcasts=False)


@handles("tensor.concat")
def concatenate(reader: Reader, op: Operation) -> Tensor:
    [axis] = reader.integers(op, "dim")
    return concat(reader.to, reader.operands(op), axis)


@handles("tensor.extract")
def extract(reader: Reader, op: Operation) -> Tensor:
    """Extract a known element, or the element at the position of a loop iteration."""
    x, *at = reader.operands(op)
    return reader.to.reshape(taken(reader, x, at, (1,) * len(at)), ())
