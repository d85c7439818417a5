"""Calls of the kernels of 32-bit chips: inputs for the program of `chip_kernels_c`, and numpy's results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from programs.devices import definition_of
from programs.printed import WARNING_FLAGS
from tinyml.dialects.formats.number_format import INTEGER
from tinyml.dialects.layouts.digits import PAIRS, Digits
from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.dialects.layouts.sparse_rows import CompressedRows, gathered_rows
from tinyml.dialects.num import ComposedKernelAttr, KernelAttr, ListedKernelAttr
from tinyml.runtime.devices.registry import Build, Runner
from tinyml.runtime.model.interface import Interface

INTERFACE = Interface("kernels", "int8_t", 3360, "int32_t", 8, has_label=False)
PROGRAM = Path(__file__).parent / "chip_kernels_c"
ROWS = 8
LENGTHS = [*range(10), 63, 64, 65, 127, 300]

Values = NDArray[Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel, and the limits of its operands.

    w, x: the types of weights and vector.
    rows: the number of rows that a call multiplies.
    limit: the maximum magnitude of a sum.
    stride: the distance between consecutive elements of a channel; 0 for other kernels.
    packed: the width in bits of packed weights; 0 for other weights.
    paired: whether packed weights are pairs of halfwords.
    name: the name of its C function.
    """

    name: str
    w: type[np.signedinteger[Any]]
    x: type[np.signedinteger[Any]]
    rows: int = 1
    limit: int = 2**31 - 1
    stride: int = 0
    packed: int = 0
    paired: bool = False

    @property
    def attribute(self) -> KernelAttr:
        if not self.paired:
            return ListedKernelAttr.of(self.name)
        widths = self.packed, 8 * np.dtype(self.x).itemsize
        op = "num.dot_rows" if self.rows > 1 else "num.dot"
        return ComposedKernelAttr.of(op, (PAIRS, INTEGER), widths, 32, rows=self.rows)

    @property
    def is_sparse(self) -> bool:
        return "sparse" in self.name

    @property
    def gathered(self) -> int:
        """The number of elements of the vector that one instruction gathers for a sparse row; 0 for kernels that do not
        gather.
        """
        widest = max(np.dtype(self.w).itemsize, np.dtype(self.x).itemsize)
        return 16 // widest if self.is_sparse and self.name.startswith("tm_mve_") else 0

    @property
    def statements(self) -> str:
        """The C statements that call the kernel."""
        if self.limit > 2**31:
            halves = "results[0] = (int32_t)(uint32_t)sum64; results[1] = (int32_t)(sum64 >> 32);"
            return f"sum64 = {self.name}(w, x, n, sum64); {halves}"
        if self.rows > 1:
            return f"{self.name}(w, x, n, {f'{self.stride}, ' if self.stride else ''}starts, results);"
        if self.gathered:
            return f"results[0] = {self.name}((const int8_t *)w, x, starts[0]);"
        return f"results[0] = {self.name}(w, {'gaps, ' if self.is_sparse else ''}x, n, starts[0]);"


S8, S16 = np.int8, np.int16


def _dense(prefix: str) -> list[Kernel]:
    return [
        Kernel(f"{prefix}dot_s8_s8_s32", S8, S8),
        Kernel(f"{prefix}dot_s8_s16_s32", S8, S16),
        Kernel(f"{prefix}dot_s16_s16_s32", S16, S16),
        Kernel(f"{prefix}dot_s16_s16_s64", S16, S16, limit=2**63 - 1),
        Kernel(f"{prefix}dot4_s8_s8_s32", S8, S8, rows=4),
        Kernel(f"{prefix}dot4_s8_s16_s32", S8, S16, rows=4),
        Kernel(f"{prefix}dot4_s16_s16_s32", S16, S16, rows=4),
        Kernel(f"{prefix}dot_s16_s8_s32", S16, S8),
        Kernel(f"{prefix}channels4_s8_s8_s32", S8, S8, rows=4, stride=5),
        Kernel(f"{prefix}channels4_s8_s16_s32", S8, S16, rows=4, stride=5),
        Kernel(f"{prefix}channels4_s16_s16_s32", S16, S16, rows=4, stride=5),
    ]


def _sparse(prefix: str) -> list[Kernel]:
    return [
        Kernel(f"{prefix}dot_sparse_s8_s8_s32", S8, S8),
        Kernel(f"{prefix}dot_sparse_s8_s16_s32", S8, S16),
        Kernel(f"{prefix}dot_sparse_s16_s16_s32", S16, S16),
    ]


PACKED = [Kernel(f"tm_cm_dot4_p{bits}_s8_s32", S8, S8, rows=4, packed=bits) for bits in (5, 6, 7)]
PAIRED = [
    Kernel(f"tm_cm_{name}_pairs{bits}_s{vector}_s32", S8, type, rows=rows, packed=bits, paired=True)
    for name, rows in (("dot", 1), ("dot4", 4), ("dot7", 7), ("dot8", 8))
    for bits in (1, 2, 4)
    for vector, type in ((8, S8), (16, S16))
]
CORTEX_M = [*_dense("tm_cm_"), *_sparse("tm_cm_"), *PACKED, *PAIRED]
RISCV = [*_dense("tm_rv_"), *_sparse("tm_rv_")]
HELIUM = [
    *(kernel for kernel in _dense("tm_mve_") if not kernel.stride),
    *_sparse("tm_mve_"),
    Kernel("tm_mve_dot_p4_s8_s32", S8, S8, packed=4),
    Kernel("tm_mve_dot4_p4_s8_s32", S8, S8, rows=4, packed=4),
    Kernel("tm_mve_distance_s8_s8_s32", S8, S8),
    Kernel("tm_mve_distance_s16_s16_s32", S16, S16),
]
RVV = [kernel for kernel in _dense("tm_rvv_") if not kernel.stride and kernel.limit < 2**31]
"""Those of the package `rvv`."""


def built(runner: Runner, kernels: Sequence[Kernel], optimize: str, folder: Path) -> Build:
    """Build the program that calls the kernels of a chip. The number of a kernel is its index in the list."""
    texts = {name: text for kernel in kernels for name, text in definition_of(kernel.attribute)}
    cases = "".join(f"case {number}: {kernel.statements} break;\n" for number, kernel in enumerate(kernels))
    (folder / "composed.h").write_text("\n".join(texts.values()))
    (folder / "cases.h").write_text(cases)
    return runner.build(PROGRAM, INTERFACE, folder, optimize, [*WARNING_FLAGS, f"-I{folder}"])


def check(runner: Runner, program: Build, calls: Sequence[Call]) -> None:
    """Assert that calls return numpy's results."""
    result = runner.run(program, INTERFACE, np.stack([call.input() for call in calls]))
    assert result.scores is not None
    for call, scores in zip(calls, result.scores, strict=True):
        assert np.array_equal(scores, call.expected()), str(call)


@dataclass(frozen=True)
class Call:
    """The operands of a call.

    w: the weights, of shape (rows, n).
    x: the vector of n elements, or of 1 + the sum of the gaps for a sparse row.
    starts: the initial values of up to 8 sums; for a 64-bit sum, the first value may have 64 bits.
    gaps: the gaps of a sparse row; None for other kernels.
    offsets: the distances of w and x from a word boundary in bytes.
    """

    kernel: Kernel
    w: Values
    x: Values
    starts: Values
    gaps: Values | None = None
    offsets: tuple[int, int] = (0, 0)

    @property
    def weights(self) -> bytes:
        """The rows of weights as bytes in the layout of the kernel."""
        if self.kernel.packed:
            width = Digits(PAIRS, self.kernel.packed) if self.kernel.paired else self.kernel.packed
            return b"".join(pack_bits(row, width).tobytes() for row in self.w)
        if self.kernel.gathered:
            assert self.gaps is not None
            rows = CompressedRows(self.w.reshape(-1), self.gaps, np.array([self.w.size], np.uint16))
            found = gathered_rows(rows, self.kernel.gathered)
            assert found is not None
            return found.stream.tobytes()
        return self.w.tobytes()

    def input(self) -> Values:
        """The bytes of the program's input for this call."""
        words = self.starts.astype("<i4")
        if self.kernel.limit > 2**31:
            words[:2] = self.starts[:1].astype("<i8").view("<i4")
        kernels = next(kernels for kernels in (CORTEX_M, RISCV, HELIUM, RVV) if self.kernel in kernels)
        head = np.array([kernels.index(self.kernel)], np.uint8).tobytes()
        head += np.array([self.w.shape[1]], "<u2").tobytes()
        head += np.array(self.offsets, np.uint8).tobytes()
        head += np.array([len(self.weights), self.x.nbytes], "<u2").tobytes() + words.tobytes()
        gaps = b"" if self.gaps is None else self.gaps.tobytes()
        data = head + self.weights + self.x.tobytes() + gaps
        return np.frombuffer(data.ljust(INTERFACE.input_length, b"\xa5"), np.int8)

    def expected(self) -> Values:
        """The eight int32 results of the program for this call."""
        rows, n = self.w.shape
        x = self.x.astype(np.int64)[: n if self.gaps is None else None]
        if self.gaps is not None:
            x = x[np.cumsum(self.gaps.astype(np.int64))]
        if self.kernel.stride:
            channels = [self.x[row :: self.kernel.stride][:n].astype(np.int64) for row in range(rows)]
            sums = np.array([row @ channel for row, channel in zip(self.w.astype(np.int64), channels, strict=True)])
        elif "distance" in self.kernel.name:
            sums = np.square(self.w.astype(np.int64) - x).sum(1)
        else:
            sums = self.w.astype(np.int64) @ x
        result = self.starts.astype("<i4")
        if self.kernel.limit > 2**31:
            result[:2] = (self.starts[:1] + sums).astype("<i8").view("<i4")
        else:
            result[:rows] = self.starts[:rows] + sums
        return result


def _length(kernel: Kernel, n: int) -> int:
    """The number of elements of a row: `n`, but at most 50 for kernels with a stride, whose vector would not fit the
    program's buffer otherwise.
    """
    # The vector's buffer has room for no more.
    return min(n, 50) if kernel.stride else n


def bounded(call: Call) -> bool:
    """Whether every partial sum stays within its type in any order of additions."""
    x = np.abs(call.x.astype(np.int64))
    greatest = int(np.abs(call.w.astype(np.int64)).sum(axis=1).max(initial=0)) * int(x.max(initial=0))
    return greatest + int(np.abs(call.starts).max()) <= call.kernel.limit


def largest_weight(kernel: Kernel, n: int, start: int) -> int:
    """The greatest magnitude of weights with which no sum of a row of length n overflows. It is limited to the greatest
    magnitude in the type of the weights.

    start: the greatest magnitude of the initial value.
    """
    reach = int(-np.iinfo(kernel.x).min)
    most = 1 << kernel.packed - 1 if kernel.packed else int(-np.iinfo(kernel.w).min)
    return min(most, (kernel.limit - start) // max(1, n * reach))


Pick = Callable[[int, int, tuple[int, ...]], Values]


def pick(random: np.random.Generator, pattern: str) -> Pick:
    """A function that returns an array, given the least value, the greatest value and the shape.

    pattern: `lowest`, `highest`, `alternating` (between both limits) or `random`.
    """

    def values(low: int, high: int, shape: tuple[int, ...]) -> Values:
        count = int(np.prod(shape))
        table = {
            "lowest": np.full(count, low),
            "highest": np.full(count, high),
            "alternating": np.where(np.arange(count) % 2, high, low),
            "random": random.integers(low, high + 1, count),
        }
        return table[pattern].reshape(shape)

    return values


PATTERNS = ["lowest", "highest", "alternating", "random"]


def make_call(
    kernel: Kernel,
    n: int,
    random: np.random.Generator,
    *,
    patterns: tuple[str, str] = ("random", "random"),
    offsets: tuple[int, int] = (0, 0),
) -> Call:
    """A random call whose sums cannot overflow.

    n: the number of elements of a row, at most 50 for kernels with a stride.
    patterns: the patterns (`pick`) of weights and vector.
    offsets: the distances of both operands from a word boundary in elements.
    """
    n = _length(kernel, n)
    start = kernel.limit // 2
    top = largest_weight(kernel, n, start)
    w_high = min(top, (1 << kernel.packed - 1) - 1 if kernel.packed else int(np.iinfo(kernel.w).max))
    w = pick(random, patterns[0])(-top, w_high, (kernel.rows, n)).astype(kernel.w)
    if kernel.paired and kernel.packed == 1:
        w = np.where(w < 0, -1, 1).astype(kernel.w)
    gaps = None
    length = n
    if kernel.is_sparse:
        gaps = np.minimum(random.integers(0, 3, n), 1).astype(np.uint8)
        if n > 2:
            gaps[n // 2] = random.integers(0, 256) if n < 40 else 3
        length = 1 + int(gaps.sum())
    if kernel.stride:
        length = max(n - 1, 0) * kernel.stride + kernel.rows
    info = np.iinfo(kernel.x)
    x = pick(random, patterns[1])(int(info.min), int(info.max), (length,)).astype(kernel.x)
    starts = random.integers(-start, start, ROWS, endpoint=True)
    sizes = np.dtype(kernel.w).itemsize, np.dtype(kernel.x).itemsize
    call = Call(
        kernel,
        w,
        x,
        starts,
        gaps,
        (offsets[0] * sizes[0] % 4, offsets[1] * sizes[1] % 4),
    )
    assert bounded(call)
    return call


_EXTREMES = [(w, x) for w in ("lowest", "highest") for x in ("lowest", "highest")]
_PAIRS = [*_EXTREMES, ("alternating", "alternating"), ("random", "random")]
"""Patterns of the weights and of the vector."""


def extreme_calls(kernel: Kernel) -> list[Call]:
    """Calls of every length with the extremes of both operands and varying alignments."""
    random = np.random.default_rng(1)
    calls: list[Call] = []
    for n in LENGTHS:
        for patterns in _PAIRS:
            turn = len(calls)
            offsets = turn % 4, turn // 4 % 4
            calls.append(make_call(kernel, n, random, patterns=patterns, offsets=offsets))
    return calls


def short_calls(kernels: Sequence[Kernel]) -> list[Call]:
    """Calls of every kernel with every remainder of its unrolled loops, at several alignments."""
    random = np.random.default_rng(2)
    return [
        make_call(kernel, n, random, offsets=offsets)
        for kernel in kernels
        for n in range(10)
        for offsets in [(0, 0), (1, 0), (0, 1), (2, 3), (3, 2)]
    ]
