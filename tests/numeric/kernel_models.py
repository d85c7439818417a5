"""Small programs at L1 that lead to one kernel of a target each."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tinyml.targets.kernels import Kernel

ROWS = 3
LENGTHS = (1, 7, 64)


def program(kernel: Kernel) -> str:
    """`sums(X)`: products of matrices of 3 rows and of every length with parts of X, one below the other.

    Weights are constant; those of a kernel for working memory are the start of X.
    """
    weights, vector = (f"!fixed.q<{width}, {width - 1}>" for width in (kernel.weights, kernel.vector))
    in_ram = kernel.flash is False
    total = input_length(kernel)
    x = f"tensor<{total}x1x{vector}>"
    frac = kernel.weights + kernel.vector - 2
    # The whole sum, where 32 bits hold it.
    result = f"!fixed.q<32, {frac if kernel.sum == 32 else frac - 6}>"
    y = f"tensor<{ROWS * len(LENGTHS)}x1x{result}>"
    p = f"tensor<{ROWS}x1x{result}>"
    lines = [
        f"func.func @sums(%X: {x} {{tdsl.range = #tdsl.range<-1.0, 1.0>}}) -> ({y}) {{",
        f"  %y0 = tdsl.fill {{value = 0.0 : f64}} -> {y}",
    ]
    starts = [0, *accumulate(LENGTHS)]
    for i, (length, start) in enumerate(zip(LENGTHS, starts, strict=False)):
        w = f"tensor<{ROWS}x{length}x{weights}{', #tdsl.csr' if kernel.sparse else ''}>"
        part = f"tensor<{length}x1x{vector}>"
        lines += [
            f"  %at{i} = arith.constant {start} : index",
            f"  %zero{i} = arith.constant 0 : index",
            f"  %x{i} = tdsl.slice %X[%at{i}, %zero{i}] : {x} -> {part}",
        ]
        if in_ram:
            column = f"tensor<{ROWS * length}x1x{vector}>"
            lines += [
                f"  %place{i} = arith.constant {sum(LENGTHS) + ROWS * start} : index",
                f"  %c{i} = tdsl.slice %X[%place{i}, %zero{i}] : {x} -> {column}",
                f"  %W{i} = tdsl.reshape %c{i} : {column} -> {w}",
            ]
        else:
            raws = weights_of(kernel, length)
            bits = f"tensor<{ROWS}x{length}xi{kernel.weights}>"
            lines.append(f"  %W{i} = tdsl.const dense<{raws.tolist()}> : {bits} -> {w}")
        proof = f"{{acc = !fixed.acc<{kernel.sum}, {frac}>}}"
        lines += [
            f"  %p{i} = tdsl.{'spmv' if kernel.sparse else 'matmul'} %W{i}, %x{i} {proof} : {w}, {part} -> {p}",
            f"  %row{i} = arith.constant {ROWS * i} : index",
            f"  %y{i + 1} = tdsl.insert_slice %p{i}, %y{i}[%row{i}, %zero{i}] : {p}, {y} -> {y}",
        ]
    return "\n".join([*lines, f"  func.return %y{len(LENGTHS)} : {y}", "}"])


def input_length(kernel: Kernel) -> int:
    return sum(LENGTHS) * (1 + ROWS * (kernel.flash is False))


def weights_of(kernel: Kernel, length: int) -> NDArray[np.int64]:
    """As large as the accumulator allows, in a sparse matrix half of them in all rows but the first."""
    random = np.random.default_rng(length)
    limit = (1 << (kernel.weights - 1)) - 1
    most = min(limit, ((1 << (kernel.sum - 1)) - 1) // (length << (kernel.vector - 1)))
    raws = random.integers(-most, most + 1, (ROWS, length))
    raws[0], raws[1, 0] = most, -most
    if kernel.sparse:
        raws[1:] *= random.random(raws[1:].shape) < 0.5
    return raws


def inputs(kernel: Kernel) -> NDArray[np.signedinteger]:
    """The vectors' extremes and random ones; weights in X are as large as the accumulator allows."""
    random = np.random.default_rng(0)
    limit = (1 << (kernel.vector - 1)) - 1
    shape = (6, input_length(kernel))
    values = random.integers(-limit, limit + 1, shape)
    values[0], values[1] = limit, -limit
    if kernel.flash is False:
        rows = [random.choice([-1, 1]) * weights_of(kernel, length).reshape(-1) for length in LENGTHS]
        values[:, sum(LENGTHS) :] = np.concatenate(rows)
    return values.astype(f"i{kernel.vector // 8}")
