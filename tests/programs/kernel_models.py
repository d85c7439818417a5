"""Small programs at L1 that lead to one kernel of a target each."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.minifloat import MinifloatType
from tinyml.dialects.formats.number_format import INTEGER, REGIME, TABLE
from tinyml.dialects.formats.posit.type import PositType
from tinyml.dialects.layouts.packed_bits import GAP_BITS, packed_widths
from tinyml.dialects.layouts.sparse_rows import entries_of_group
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import kernels_for


def elements(raws: NDArray[np.int64], bits: int) -> str:
    """The content of a dense attribute, in the notation that is parsed in the least time."""
    return f'"0x{raws.astype(f"<i{-(-bits // 8)}").tobytes().hex()}"'


ROWS = 3
"""Too few for kernels that take several at once."""

SPREAD = {0: 1, 4: 4, 8: 20}
"""Columns to each entry of a sparse matrix, by the bits that a kernel has for gaps: as its layout is good for."""

DENSE = ((3, 8), (4, 16), (6, 8), (6, 16), (7, 16), (9, 8), (10, 16), (11, 8), (11, 16), (12, 8))
"""Widths of packed weights and of the vector that they meet; other tests run the kernels themselves in all widths.

Left out are those for which packing prefers a wider one that takes less time: 5 bits, and 3 in sparse rows.
"""

SPARSE = ((4, 8), (6, 16), (7, 8), (9, 16), (10, 8), (12, 8))
"""The same of sparse rows."""

TABLES = ((4, 8), (6, 16), (8, 8), (8, 16))


def composed(target: str) -> list[Kernel]:
    """Kernels that a target composes for what is asked."""
    table = TABLE, INTEGER
    wanted = [
        *(Kernel("", bits, 8, sum) for bits, sum in ((4, 16), (6, 24))),
        *(Kernel("", *widths, 32) for widths in DENSE),
        *(Kernel("", *widths, 32, op="num.sparse_dot") for widths in SPARSE),
        *(Kernel("", *widths, 32, codings=table) for widths in TABLES),
        Kernel("", 8, 8, 32, codings=(TABLE, TABLE)),
    ]
    return [kernel for each in wanted for kernel in kernels_for(target, each)]


def program(kernel: Kernel) -> str:
    """A function of X whose only arithmetic is the kernel's."""
    special = {"num.distance": _distances, "num.axpy": _multiples, "num.channel_dots": _channels}
    return special.get(kernel.op, _products)(kernel)


def calls(kernel: Kernel) -> int:
    """Of the kernel in its program; one element times one other needs none."""
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
    """Of the rows in its program."""
    return (7, 496) if kernel.gaps == GAP_BITS else (1, 7, 64)


def _products(kernel: Kernel) -> str:
    """`sums(X)`: products of matrices of 3 or more rows and of every length with parts of X, one below the other.

    Weights are constant; those of a kernel for working memory are the end of X. In the place of a vector a kernel for
    columns gets a matrix.
    """
    lengths = lengths_of(kernel)
    rows, columns = rows_of(kernel), columns_of(kernel)
    formats = formats_of(kernel)
    weights, vector = (str(format.type) for format in formats)
    in_ram, sparse = kernel.flash is False, kernel.op == "num.sparse_dot"
    total = input_length(kernel)
    x = f"tensor<{total}x1x{vector}>"
    frac = sum(format.scale for format in formats)
    # The whole sum, where 32 bits hold it.
    result = f"!fixed.q<32, {frac if kernel.sum == 32 else 24}>"
    y = f"tensor<{rows * columns * len(lengths)}x1x{result}>"
    p, sums = f"tensor<{rows}x{columns}x{result}>", f"tensor<{rows * columns}x1x{result}>"
    lines = [
        f"func.func @sums(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> ({y}) {{",
        f"  %y0 = tdsl.fill {{value = 0.0 : f64}} -> {y}",
    ]
    starts = [0, *accumulate(lengths)]
    for i, (length, start) in enumerate(zip(lengths, starts, strict=False)):
        if in_ram:
            weights = f"!fixed.q<{greatest(kernel, length).bit_length() + 1}, {kernel.weights - 1}>"
        w = f"tensor<{rows}x{length}x{weights}{', #tdsl.csr' if sparse else ''}>"
        part, run = f"tensor<{length}x{columns}x{vector}>", f"tensor<{length * columns}x1x{vector}>"
        lines += [
            f"  %at{i} = arith.constant {columns * start} : index",
            f"  %zero{i} = arith.constant 0 : index",
            f"  %run{i} = tdsl.slice %X[%at{i}, %zero{i}] : {x} -> {run}",
            f"  %x{i} = tdsl.reshape %run{i} : {run} -> {part}",
        ]
        if in_ram:
            column, narrow = (f"tensor<{rows * length}x1x{element}>" for element in (vector, weights))
            lines += [
                f"  %place{i} = arith.constant {sum(lengths) + rows * start} : index",
                f"  %c{i} = tdsl.slice %X[%place{i}, %zero{i}] : {x} -> {column}",
                # What the accumulator allows is proven by a narrow format, which saturates.
                f"  %n{i} = tdsl.cast %c{i} : {column} -> {narrow}",
                f"  %W{i} = tdsl.reshape %n{i} : {narrow} -> {w}",
            ]
        else:
            raws = weights_of(kernel, length)
            bits = memory_bits(kernel)
            lines.append(f"  %W{i} = tdsl.const dense<{elements(raws, bits)}> : tensor<{rows}x{length}xi{bits}> -> {w}")
        proof = f"{{acc = !fixed.acc<{kernel.sum}, {frac}>}}"
        lines += [
            f"  %p{i} = tdsl.{'spmv' if sparse else 'matmul'} %W{i}, %x{i} {proof} : {w}, {part} -> {p}",
            f"  %s{i} = tdsl.reshape %p{i} : {p} -> {sums}",
            f"  %row{i} = arith.constant {rows * columns * i} : index",
            f"  %y{i + 1} = tdsl.insert_slice %s{i}, %y{i}[%row{i}, %zero{i}] : {sums}, {y} -> {y}",
        ]
    return "\n".join([*lines, f"  func.return %y{len(lengths)} : {y}", "}"])


def _distances(kernel: Kernel) -> str:
    """`distances(X)`: of 3 constant vectors of every length from parts of X; less than half of the widths is used."""
    lengths = lengths_of(kernel)
    format = f"!fixed.q<{kernel.vector - (kernel.vector == 16) * 4}, 3>"
    x = f"tensor<{sum(lengths)}x1x{format}>"
    acc = f"{{acc = !fixed.acc<{kernel.sum}, 6>}}"
    one, y = "tensor<1x1x!fixed.q<32, 6>>", f"tensor<{ROWS * len(lengths)}x1x!fixed.q<32, 6>>"
    lines = [
        f"func.func @distances(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> ({y}) {{",
        f"  %y0 = tdsl.fill {{value = 0.0 : f64}} -> {y}",
        "  %zero = arith.constant 0 : index",
    ]
    for i, (length, start) in enumerate(zip(lengths, [0, *accumulate(lengths)], strict=False)):
        w, part = f"tensor<{ROWS}x{length}x1x{format}>", f"tensor<{length}x1x{format}>"
        raws = np.trunc(weights_of(kernel, length)[..., None] / (16 if kernel.vector == 16 else 1)).astype(np.int64)
        lines += [
            f"  %at{i} = arith.constant {start} : index",
            f"  %x{i} = tdsl.slice %X[%at{i}, %zero] : {x} -> {part}",
            f"  %W{i} = tdsl.const dense<{elements(raws, kernel.weights)}>"
            f" : tensor<{ROWS}x{length}x1xi{kernel.weights}> -> {w}",
        ]
        for row in range(ROWS):
            n = ROWS * i + row
            lines += [
                f"  %n{n} = arith.constant {n} : index",
                f"  %row{n} = arith.constant {row} : index",
                f"  %w{n} = tdsl.index %W{i}[%row{n}] : {w} -> {part}",
                f"  %d{n} = tdsl.squared_distance %x{i}, %w{n} {acc} : {part}, {part} -> {one}",
                f"  %y{n + 1} = tdsl.insert_slice %d{n}, %y{n}[%n{n}, %zero] : {one}, {y} -> {y}",
            ]
    return "\n".join([*lines, f"  func.return %y{ROWS * len(lengths)} : {y}", "}"])


def _multiples(kernel: Kernel) -> str:
    """`multiples(X)`: sums over 3 constant vectors of every length, each times one element of X."""
    lengths = lengths_of(kernel)
    weights, factor = (f"!fixed.q<{width}, {width - 1}>" for width in (kernel.weights, kernel.vector))
    frac = kernel.weights + kernel.vector - 2
    x, one = f"tensor<{sum(lengths)}x1x{factor}>", f"tensor<1x1x{factor}>"
    y = f"tensor<{sum(lengths)}x1x!fixed.q<32, {frac}>>"
    lines = [
        f"func.func @multiples(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> ({y}) {{",
        f"  %y0 = tdsl.fill {{value = 0.0 : f64}} -> {y}",
        *(f"  %c{n} = arith.constant {n} : index" for n in (0, 1, ROWS)),
    ]
    for i, (length, start) in enumerate(zip(lengths, [0, *accumulate(lengths)], strict=False)):
        w, part = f"tensor<{ROWS}x{length}x1x{weights}>", f"tensor<{length}x1x{weights}>"
        sums, finished = f"tensor<{length}x1x!fixed.acc<32, {frac}>>", f"tensor<{length}x1x!fixed.q<32, {frac}>>"
        raws = weights_of(kernel, max(length, ROWS))[:, :length, None]
        lines += [
            f"  %W{i} = tdsl.const dense<{elements(raws, kernel.weights)}>"
            f" : tensor<{ROWS}x{length}x1xi{kernel.weights}> -> {w}",
            f"  %z{i} = tdsl.zero -> {sums}",
            f"  %s{i} = scf.for %i{i} = %c0 to %c{ROWS} step %c1 iter_args(%carried{i} = %z{i}) -> ({sums}) {{",
            f"    %w{i} = tdsl.index %W{i}[%i{i}] : {w} -> {part}",
            f"    %x{i} = tdsl.slice %X[%i{i}, %c0] : {x} -> {one}",
            f"    %m{i} = tdsl.mac %carried{i}, %w{i}, %x{i} : {sums}, {part}, {one} -> {sums}",
            f"    scf.yield %m{i} : {sums}",
            "  }",
            f"  %f{i} = tdsl.finish %s{i} : {sums} -> {finished}",
            f"  %at{i} = arith.constant {start} : index",
            f"  %y{i + 1} = tdsl.insert_slice %f{i}, %y{i}[%at{i}, %c0] : {finished}, {y} -> {y}",
        ]
    return "\n".join([*lines, f"  func.return %y{len(lengths)} : {y}", "}"])


def _channels(kernel: Kernel) -> str:
    """`channels(X)`: depthwise convolutions of parts of X with filters of every length, as high as the images."""
    lengths, channels = lengths_of(kernel), rows_of(kernel)
    formats = formats_of(kernel)
    weights, image = (str(format.type) for format in formats)
    frac = sum(format.scale for format in formats)
    result = f"!fixed.q<32, {frac}>"
    x, y = f"tensor<{input_length(kernel)}x1x{image}>", f"tensor<{channels * len(lengths)}x1x{result}>"
    pixel, sums = f"tensor<1x1x1x{channels}x{result}>", f"tensor<{channels}x1x{result}>"
    properties = f"groups = {channels} : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>"
    lines = [
        f"func.func @channels(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> ({y}) {{",
        f"  %y0 = tdsl.fill {{value = 0.0 : f64}} -> {y}",
        "  %zero = arith.constant 0 : index",
    ]
    for i, (length, start) in enumerate(zip(lengths, [0, *accumulate(lengths)], strict=False)):
        filters, shape = weights_of(kernel, length)[..., None, None], f"{channels}x{length}x1x1x"
        run, part = f"tensor<{length * channels}x1x{image}>", f"tensor<1x{length}x1x{channels}x{image}>"
        lines += [
            f"  %at{i} = arith.constant {channels * start} : index",
            f"  %run{i} = tdsl.slice %X[%at{i}, %zero] : {x} -> {run}",
            f"  %x{i} = tdsl.reshape %run{i} : {run} -> {part}",
            f"  %W{i} = tdsl.const dense<{elements(filters, kernel.weights)}> : tensor<{shape}i{kernel.weights}>"
            f" -> tensor<{shape}{weights}>",
            f"  %p{i} = tdsl.conv2d %W{i}, %x{i} {{acc = !fixed.acc<{kernel.sum}, {frac}>, {properties}}}"
            f" : tensor<{shape}{weights}>, {part} -> {pixel}",
            f"  %s{i} = tdsl.reshape %p{i} : {pixel} -> {sums}",
            f"  %row{i} = arith.constant {channels * i} : index",
            f"  %y{i + 1} = tdsl.insert_slice %s{i}, %y{i}[%row{i}, %zero] : {sums}, {y} -> {y}",
        ]
    return "\n".join([*lines, f"  func.return %y{len(lengths)} : {y}", "}"])


def rows_of(kernel: Kernel) -> int:
    """Of the matrices of a product: two blocks, and rows that are left."""
    return ROWS if kernel.rows == 1 else 2 * kernel.rows + ROWS


def columns_of(kernel: Kernel) -> int:
    """Of what weights are multiplied by."""
    return {"num.strided_dot": 3, "num.channel_dots": rows_of(kernel)}.get(kernel.op, 1)


def input_length(kernel: Kernel) -> int:
    return sum(lengths_of(kernel)) * (columns_of(kernel) + ROWS * (kernel.flash is False))


def memory_bits(kernel: Kernel) -> int:
    """Of a weight that is not packed."""
    return max(8, 1 << (kernel.weights - 1).bit_length())


def formats_of(kernel: Kernel) -> list[ExactFormat]:
    """Of weights and vector, as the kernel gets integers from them."""
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
    """The greatest weight; in working memory all of its bits are set, as the limit of a format."""
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
    """As large as the accumulator allows, in a sparse matrix half of them in all rows but the first."""
    random = np.random.default_rng(length)
    most = greatest(kernel, length)
    raws = random.integers(-most, most + 1, (rows_of(kernel), length))
    raws[0], raws[1, 0] = most, -most
    if kernel.op == "num.sparse_dot":
        raws[1:] *= random.random(raws[1:].shape) < 0.5
        raws *= np.arange(length) % SPREAD[kernel.gaps] == 0
    return raws


def inputs(kernel: Kernel) -> NDArray[np.signedinteger]:
    """The vectors' extremes and random ones; weights in X are as large as the accumulator allows."""
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
