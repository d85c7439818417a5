"""Small programs at L1, each of which calls one kernel of a target."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.ir import Block, SSAValue

from programs.kernel_tables import kernels_for, kernels_of
from programs.network_writer import NetworkWriter
from tinyml.dialects import tdsl
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.minifloat import MinifloatType
from tinyml.dialects.formats.number_format import INTEGER, REGIME, TABLE, NumberFormat
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.layouts.packed_bits import GAP_BITS, packed_widths
from tinyml.dialects.layouts.sparse_rows import entries_of_group
from tinyml.targets.kernel import Kernel

ROWS = 3
"""Too few for kernels that take several at once."""

SPREAD = {0: 1, 4: 4, 8: 20, 9: 8, 10: 8}
"""Columns to each entry of a sparse matrix, by the bits that a kernel has for gaps: as its layout is good for."""

DENSE = ((3, 8), (4, 16), (6, 8), (6, 16), (7, 16), (9, 8), (10, 16), (11, 8), (11, 16), (12, 8))
"""Widths of packed weights and of the vector that they meet; other tests run the kernels themselves in all widths.

Left out are those for which packing prefers a wider one that takes less time: 5 bits, and 3 in sparse rows.
"""

SPARSE = ((4, 8), (6, 16), (7, 8), (9, 16), (10, 8), (12, 8))
"""The same of sparse rows."""

TABLES = ((4, 8), (6, 16), (8, 8), (8, 16))


def composed(target: str) -> list[Kernel]:
    """The kernels that a target composes for a list of sums with different widths and codings, without those that no
    program calls because a wider listed kernel takes less time.
    """
    table = TABLE, INTEGER
    wanted = [
        *(Kernel("", bits, 8, sum) for bits, sum in ((4, 16), (6, 24))),
        *(Kernel("", *widths, 32) for widths in DENSE),
        *(Kernel("", *widths, 32, op="num.sparse_dot") for widths in SPARSE),
        *(Kernel("", *widths, 32, codings=table) for widths in TABLES),
        Kernel("", 8, 8, 32, codings=(TABLE, TABLE)),
    ]
    packed = [kernel for kernel in kernels_of(target) if kernel.weights % 8]
    found = [kernel for each in wanted for kernel in kernels_for(target, each)]
    return [kernel for kernel in found if not any(_is_preferred(one, kernel) for one in packed)]


def _is_preferred(one: Kernel, other: Kernel) -> bool:
    """Whether packing prefers wider weights because a listed kernel reads them in less time."""
    same = (one.op, one.vector, one.sum, one.codings) == (other.op, other.vector, other.sum, other.codings)
    return same and other.weights % 8 > 0 and other.weights < one.weights and one.step < other.step


def program(kernel: Kernel) -> ModuleOp:
    """The program of a kernel: a function of X without arithmetic other than calls of the kernel. Its name is `calls_`
    and the name of the kernel.
    """
    special = {
        "num.distance": _distances,
        "num.axpy": _multiples,
        "num.channel_dots": _channels,
        # Products of matrices are computed from copies of columns (`split-columns`).
        "num.strided_dot": _channels,
    }
    return special.get(kernel.op, _products)(kernel)


def calls(kernel: Kernel) -> int:
    """The number of calls of a kernel in its program. A product of two single elements needs no call."""
    lengths = lengths_of(kernel)
    longer = [length for length in lengths if length > 1]
    if kernel.gaps == GAP_BITS and entries_of_group(kernel.weights) > lengths[0]:
        longer = longer[1:]
    if kernel.weights % 8:
        # Smaller weights are packed into fewer bits, and single elements are no rows.
        return sum(packed_widths(weights_of(kernel, length))[0] == kernel.weights for length in longer)
    if kernel.gaps == GAP_BITS:
        # For few entries a kernel of less code is better.
        return 1
    if kernel.op in ("num.axpy", "num.strided_dot", "num.channel_dots"):
        return len(longer)
    return ROWS * len(lengths) if kernel.op == "num.distance" else len(lengths)


def lengths_of(kernel: Kernel) -> tuple[int, ...]:
    """The lengths of the rows in a kernel's program. For kernels with vector instructions, all rows are long, because
    `vectorise-loops` computes short rows in loops.
    """
    if kernel.needs == "mve":
        return (129, 136, 193)
    return (7, 496) if kernel.gaps == GAP_BITS else (1, 7, 64)


class KernelWriter(NetworkWriter):
    """The writer of a kernel's program. The results are concatenated to one column of a format.

    length: the number of elements of X.
    format: the format of X.
    results: the number of results.
    result: the format of the results.
    """

    def __init__(self, kernel: Kernel, length: int, format: NumberFormat, results: int, result: FixedType):
        super().__init__((length, 1), format=format, name=f"calls_{kernel.symbol}")
        self.column = self.insert(tdsl.FillOp(0.0, TensorType(result, (results, 1))))
        self.zero = self.index(0)

    def part(self, start: int, length: int) -> SSAValue:
        """Append the column of `length` elements of X from `start` on."""
        return self.insert(tdsl.SliceOp(self.input, [self.index(start), self.zero], (length, 1)))

    def put(self, results: SSAValue, row: int) -> None:
        """Store results in the result column, from `row` on."""
        self.column = self.insert(tdsl.InsertSliceOp(results, self.column, [self.index(row), self.zero]))

    def shaped(self, value: SSAValue, *shape: int) -> SSAValue:
        return self.insert(tdsl.ReshapeOp(value, shape))

    def finish(self) -> ModuleOp:
        module = self.module(self.column)
        tdsl.update_input(module, range=(-1.0, 1.0))
        return module


def _products(kernel: Kernel) -> ModuleOp:
    """A program that multiplies matrices of at least 3 rows, of every length, by parts of X.

    Weights are constant, or the end of X for a kernel with weights in working memory. A kernel for several columns
    multiplies by a matrix instead of a vector.
    """
    lengths, rows, columns = lengths_of(kernel), rows_of(kernel), columns_of(kernel)
    formats = formats_of(kernel)
    weights, vector = formats
    frac = sum(format.scale for format in formats)
    # The whole sum, where 32 bits hold it.
    result = FixedType(32, frac if kernel.sum == 32 else 24)
    net = KernelWriter(kernel, input_length(kernel), vector, rows * columns * len(lengths), result)
    for i, (length, start) in enumerate(zip(lengths, _starts(lengths), strict=True)):
        x = net.shaped(net.part(columns * start, length * columns), length, columns)
        if kernel.flash is False:
            # What the accumulator allows is proven by a narrow format, which saturates.
            narrow = FixedType(greatest(kernel, length).bit_length() + 1, kernel.weights - 1)
            column = net.part(sum(lengths) + rows * start, rows * length)
            matrix = net.shaped(net.insert(tdsl.CastOp(column, narrow)), rows, length)
        else:
            encoding = tdsl.Csr() if kernel.op == "num.sparse_dot" else None
            matrix = net.insert(tdsl.ConstOp(weights_of(kernel, length), weights, encoding), f"W{i}")
        product = (tdsl.SpmvOp if kernel.op == "num.sparse_dot" else tdsl.MatmulOp)(matrix, x, result)
        product.acc = AccumulatorType(kernel.sum, frac)
        net.put(net.shaped(net.insert(product), rows * columns, 1), rows * columns * i)
    return net.finish()


def _distances(kernel: Kernel) -> ModuleOp:
    """A program that computes the distances of parts of X from constant vectors, 3 of each length. The numbers of these
    vectors have few bits, so that sums do not overflow.
    """
    lengths = lengths_of(kernel)
    spare = 4 if kernel.vector == 16 else 0
    format, acc = FixedType(kernel.vector - spare, 3), AccumulatorType(kernel.sum, 6)
    net = KernelWriter(kernel, sum(lengths), format, ROWS * len(lengths), FixedType(32, 6))
    for i, (length, start) in enumerate(zip(lengths, _starts(lengths), strict=True)):
        x = net.part(start, length)
        raws = np.trunc(weights_of(kernel, length)[..., None] / (1 << spare)).astype(np.int64)
        vectors = net.constant(raws, name=f"W{i}")
        for row in range(ROWS):
            vector = net.insert(tdsl.IndexOp(vectors, net.index(row)))
            distance = tdsl.SquaredDistanceOp(x, vector, FixedType(32, 6), acc, None)
            net.put(net.insert(distance), ROWS * i + row)
    return net.finish()


def _multiples(kernel: Kernel) -> ModuleOp:
    """A program of sums over 3 constant vectors of every length, each multiplied by one element of X."""
    lengths = lengths_of(kernel)
    weights, factor = (FixedType(width, width - 1) for width in (kernel.weights, kernel.vector))
    frac = kernel.weights + kernel.vector - 2
    result, acc = FixedType(32, frac), AccumulatorType(kernel.sum, frac)
    net = KernelWriter(kernel, sum(lengths), factor, sum(lengths), result)
    step, end = net.index(1), net.index(ROWS)
    for i, (length, start) in enumerate(zip(lengths, _starts(lengths), strict=True)):
        raws = weights_of(kernel, max(length, ROWS))[:, :length, None]
        vectors = net.constant(raws, weights, f"W{i}")
        sums = net.insert(tdsl.ZeroOp(TensorType(acc, (length, 1))))
        body = Block(arg_types=[IndexType(), sums.type])
        vector = tdsl.IndexOp(vectors, body.args[0])
        element = tdsl.SliceOp(net.input, [body.args[0], net.zero], (1, 1))
        more = tdsl.MacOp(body.args[1], vector.out, element.out)
        body.add_ops([vector, element, more, scf.YieldOp(more.out)])
        sums = net.insert(scf.ForOp(net.zero, end, step, [sums], body))
        net.put(net.insert(tdsl.FinishOp(sums, result, None)), start)
    return net.finish()


def _channels(kernel: Kernel) -> ModuleOp:
    """A program of depthwise convolutions of parts of X, with filters of every length that are as high as the
    images.
    """
    lengths, channels = lengths_of(kernel), rows_of(kernel)
    formats = formats_of(kernel)
    weights, image = formats
    frac = sum(format.scale for format in formats)
    result = FixedType(32, frac)
    net = KernelWriter(kernel, input_length(kernel), image, channels * len(lengths), result)
    for i, (length, start) in enumerate(zip(lengths, _starts(lengths), strict=True)):
        x = net.shaped(net.part(channels * start, length * channels), 1, length, 1, channels)
        filter = net.constant(weights_of(kernel, length)[..., None, None], weights, f"W{i}")
        convolution = tdsl.Conv2dOp(filter, x, groups=channels, element=result)
        convolution.acc = AccumulatorType(kernel.sum, frac)
        net.put(net.shaped(net.insert(convolution), channels, 1), channels * i)
    return net.finish()


def _starts(lengths: Sequence[int]) -> Sequence[int]:
    """The start indices of consecutive parts of the given lengths."""
    return [0, *accumulate(lengths[:-1])]


def rows_of(kernel: Kernel) -> int:
    """The number of rows of a matrix in the program of a product. For a kernel that computes several rows at once,
    there are two blocks of rows and `ROWS` more rows.
    """
    return ROWS if kernel.rows == 1 else 2 * kernel.rows + ROWS


def columns_of(kernel: Kernel) -> int:
    """The number of channels of an image that is filtered; 1 for a column that is multiplied by the weights."""
    return rows_of(kernel) if kernel.op in ("num.strided_dot", "num.channel_dots") else 1


def input_length(kernel: Kernel) -> int:
    return sum(lengths_of(kernel)) * (columns_of(kernel) + ROWS * (kernel.flash is False))


def formats_of(kernel: Kernel) -> list[ExactFormat]:
    """The formats of weights and vector. The kernel decodes their raws to integers."""
    widths = kernel.weights, kernel.vector
    coded: dict[tuple[str, int], ExactFormat] = {
        (TABLE, 8): PositType(8, 0, -6, 7),
        (TABLE, 6): MinifloatType(2, 3, 3),
        (TABLE, 4): MinifloatType(2, 1, 1),
        (REGIME, 16): PositType(16, 1, -28, 1),
    }
    return [
        coded.get((coding, width)) or FixedType(width, width - 1)
        for coding, width in zip(kernel.codings, widths, strict=True)
    ]


def greatest(kernel: Kernel, length: int) -> int:
    """The greatest magnitude of a weight with which no sum of `length` products overflows.

    For weights in working memory, it is a number of the form 2^k - 1.
    """
    weights, vector = formats_of(kernel)
    most = ((1 << (kernel.sum - 1)) - 1 - 32) // (-(-length // SPREAD[kernel.gaps]) * vector.integer_limits[1])
    if not isinstance(weights, FixedType):
        raws = np.arange(weights.raw_limits[1] + 1).astype(weights.dtype)
        return int(raws[weights.integers(raws) <= most].max())
    bits = min(kernel.weights - 1, most.bit_length() - 1)
    limit = (1 << (kernel.weights - 1)) - 1
    if kernel.chunk:
        # A chunk of products and a byte fit 16 bits.
        limit = ((1 << 15) - 1 - 255) // (kernel.chunk << kernel.vector - 1)
    return (1 << bits) - 1 if kernel.flash is False else min(limit, most)


def weights_of(kernel: Kernel, length: int) -> NDArray[np.int64]:
    """Weights as great as the accumulator permits, of shape (rows, length). For a sparse product, about half of the
    entries of all rows but the first are zero; if the width of gaps limits the entries (`SPREAD`), only every
    SPREAD[kernel.gaps]-th column is nonzero.
    """
    random = np.random.default_rng(length)
    most = greatest(kernel, length)
    raws = random.integers(-most, most + 1, (rows_of(kernel), length))
    raws[0], raws[1, 0] = most, -most
    if kernel.op == "num.sparse_dot":
        raws[1:] *= random.random(raws[1:].shape) < 0.5
        raws *= np.arange(length) % SPREAD[kernel.gaps] == 0
    return raws


def inputs(kernel: Kernel) -> NDArray[np.signedinteger]:
    """Inputs with extreme and random vectors; weights in X are as great as the accumulator permits."""
    lengths = lengths_of(kernel)
    random = np.random.default_rng(0)
    spare = 4 if kernel.op == "num.distance" and kernel.vector == 16 else 0
    limit = (1 << (kernel.vector - 1 - spare)) - 1
    shape = (6, input_length(kernel))
    values = random.integers(-limit, limit + 1, shape)
    values[0], values[1] = limit, -limit
    if kernel.flash is False:
        rows = [random.choice([-1, 1]) * weights_of(kernel, length).reshape(-1) for length in lengths]
        values[:, sum(lengths) :] = np.concatenate(rows)
    return values.astype(f"i{kernel.vector // 8}")
