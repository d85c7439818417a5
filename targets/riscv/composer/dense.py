"""Dense products: a sum, those of four rows at once, or those of four channels with elements of their own."""

from __future__ import annotations

from itertools import pairwise

from tinyml.targets.composer.lines import Lines, joined
from tinyml.targets.kernel import Kernel
from tinyml.targets.riscv.composer.calls import kernel_of, time_of_call
from tinyml.targets.riscv.composer.fetch import loaded, scaled
from tinyml.targets.riscv.composer.loops import ends, in_blocks, time_of_step
from tinyml.targets.riscv.composer.multiply import added, added_wide

_ROWS = 4
_SUMS = ("t3", "t4", "t5", "t6")

_PORTABLE = """\
    for (int i = 0; i < n; i++)
        sum += (int32_t)w[i] * x[i];
    return sum;"""
_PORTABLE_ROWS = """\
    for (int row = 0; row < 4; row++) {{
        int32_t sum = start[row];
        for (int i = 0; i < n; i++)
            sum += (int32_t)*w++ * x[{place}];
        sums[row] = sum;
    }}"""


def dot(weights: int, vector: int, sum: int) -> Kernel:
    """The kernel for `sum` plus the products of two runs of elements of 8 or 16 bits."""
    symbol = f"tm_rv_dot_s{weights}_s{vector}_s{sum}"

    def step(number: int) -> Lines:
        fetched = joined(
            loaded(weights, "a0", number * weights // 8, "t0"), loaded(vector, "a1", number * vector // 8, "t1")
        )
        return joined(fetched, added("a3", "t0", "t1", "t1") if sum == 32 else added_wide("a3", "a4", "t0", "t1"))

    begin = ends(weights, "a0", "a2", "t2", "a2")
    end = joined((f"mv a{number}, a{3 + number}" for number in range(sum // 32)), "ret")
    pointers = {"a0": weights // 8, "a1": vector // 8}
    lines = joined(begin, in_blocks(step, pointers, "t2", "a2"), end)
    signature = f"int{sum}_t {symbol}({_runs(weights, vector)}, int n, int{sum}_t sum)"
    time = time_of_call(joined(begin, end), time_of_step(step, pointers), pointers)
    return kernel_of(symbol, (weights, vector, sum), "num.dot", 1, signature, lines, _PORTABLE, time)


def dot_rows(weights: int, vector: int) -> Kernel:
    """The kernel for four rows and a vector, with elements of 8 or 16 bits."""
    symbol = f"tm_rv_dot4_s{weights}_s{vector}_s32"
    rows = ("a0", "a5", "a6", "a7")

    def step(number: int) -> Lines:
        products = (
            joined(loaded(weights, row, number * weights // 8, "t1"), added(sum, "t1", "t0", "t1"))
            for row, sum in zip(rows, _SUMS, strict=True)
        )
        return joined(loaded(vector, "a1", number * vector // 8, "t0"), *products)

    begin = joined(_next_rows(weights, rows), _started("a3"), ends(weights, "a0", "a2", "a3", "a2"))
    pointers = {row: weights // 8 for row in rows} | {"a1": vector // 8}
    end = _ended("a4")
    lines = joined(begin, in_blocks(step, pointers, "a3", "a2"), end)
    signature = f"void {symbol}({_runs(weights, vector)}, int n, const int32_t *start, int32_t *sums)"
    time = time_of_call(joined(begin, end), time_of_step(step, pointers) / _ROWS, pointers)
    portable = _PORTABLE_ROWS.format(place="i")
    return kernel_of(symbol, (weights, vector, 32), "num.dot_rows", _ROWS, signature, lines, portable, time)


def channel_rows(weights: int, vector: int) -> Kernel:
    """The kernel for four channels, each with a row of weights, whose elements are `stride` apart."""
    symbol = f"tm_rv_channels4_s{weights}_s{vector}_s32"
    rows = ("a0", "a6", "a7", "t0")

    def step(number: int) -> Lines:
        products = (
            joined(
                loaded(weights, row, number * weights // 8, "t1"),
                loaded(vector, "a1", channel * vector // 8, "t2"),
                added(sum, "t1", "t2", "t2"),
            )
            for channel, (row, sum) in enumerate(zip(rows, _SUMS, strict=True))
        )
        return joined(*products, "add a1, a1, a3")

    begin = joined(
        _next_rows(weights, rows), scaled(vector, "a3", "a3"), _started("a4"), ends(weights, "a0", "a2", "a4", "a2")
    )
    pointers = {row: weights // 8 for row in rows}
    end = _ended("a5")
    lines = joined(begin, in_blocks(step, pointers, "a4", "a2"), end)
    signature = f"void {symbol}({_runs(weights, vector)}, int n, int stride,\n    const int32_t *start, int32_t *sums)"
    time = time_of_call(joined(begin, end), time_of_step(step, pointers) / _ROWS, pointers)
    portable = _PORTABLE_ROWS.format(place="i * stride + row")
    return kernel_of(symbol, (weights, vector, 32), "num.channel_dots", _ROWS, signature, lines, portable, time)


def _started(starts: str) -> Lines:
    return joined(*(loaded(32, starts, 4 * number, sum) for number, sum in enumerate(_SUMS)))


def _ended(sums: str) -> Lines:
    return joined((f"sw {sum}, {4 * number}({sums})" for number, sum in enumerate(_SUMS)), "ret")


def _next_rows(bits: int, rows: tuple[str, ...]) -> Lines:
    """The addresses of the rows behind the first one, each of a2 elements."""
    return joined(scaled(bits, "a2", "t1"), (f"add {row}, {before}, t1" for before, row in pairwise(rows)))


def _runs(weights: int, vector: int) -> str:
    return f"const int{weights}_t *w, const int{vector}_t *x"
