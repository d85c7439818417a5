"""A C program that calls kernels whose code contains rows of constant matrices. Its input selects a kernel and contains
the vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.layouts.coded_rows import CodedRows
from tinyml.runtime.devices.registry import Build, Runner
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.kernel import Kernel
from tinyml.targets.kernel_table import RowCoder
from tinyml.targets.registry import chip_of
from tinyml.tools.calibration.programs.measured_programs import include_flags

Values = NDArray[Any]
TWICE = 64
"""Added to the number of rows that are called twice."""

_HEADER = """\
#include <stdint.h>
#define coded_INPUT_LENGTH %d
#define coded_OUTPUT_LENGTH %d
void coded_predict(const int8_t *X);
const int8_t *coded_scores(void);
"""
_SOURCE = """\
#include "coded.h"
{definitions}
static int8_t out[{results}];
const int8_t *coded_scores(void) {{ return out; }}
void coded_predict(const int8_t *X)
{{
    switch (X[0] & {least}) {{
{cases}    }}
}}
"""


def random_rows(random: np.random.Generator, rows: int, lengths: Sequence[int]) -> CodedRows:
    """Rows that contain zeros, powers of two, extremes, and weights that occur twice in a column. Their sums fit 24
    bits.

    lengths: the number of columns of each matrix.
    """
    powers = [*(1 << np.arange(7)), *-(1 << np.arange(8))]

    def matrix(length: int) -> Values:
        kinds = [
            random.integers(-128, 128, (rows, length)),
            np.rint(random.normal(0, 20, (rows, length))).clip(-128, 127),
            random.choice(powers, (rows, length)),
            np.full((rows, length), random.choice([-128, 127, 0, 1, -1])),
        ]
        chosen = np.choose(random.choice(4, (rows, length), p=[0.1, 0.5, 0.3, 0.1]), kinds)
        return (chosen * (random.random((rows, length)) < random.choice([1, 0.9, 0.3, 0.02]))).astype(np.int64)

    weights = [matrix(length) for length in lengths]
    aligns = [0, *random.integers(0, 2, len(lengths) - 1).tolist()]
    right = int(random.integers(1, 20))
    starts = random.integers(-(1 << 16), 1 << 16, rows) * int(random.integers(0, 2)) + (1 << right - 1)
    return CodedRows(weights, aligns, starts, right)


def vectors(random: np.random.Generator, rows: CodedRows, count: int) -> list[Values]:
    """The concatenated vectors of calls: vectors of one value, of extremes, and random ones."""
    length = sum(matrix.shape[1] for matrix in rows.weights)
    flat = [np.full(length, value) for value in (0, -128, 127)]
    # The greatest sums, of the first row.
    signs = np.where(np.concatenate([matrix[0] for matrix in rows.weights]) < 0, -128, 127)
    return [*flat, signs, -1 - signs, *(random.integers(-128, 128, length) // 2 ** (i % 7) for i in range(count))]


def expected(rows: CodedRows, vector: Values) -> Values:
    """The results for a vector, computed in numpy by the definition of `CodedRows`."""
    sums, first = rows.starts.copy(), 0
    for matrix, align in zip(rows.weights, rows.aligns, strict=True):
        sums = (sums << align) + matrix @ vector[first : first + matrix.shape[1]]
        first += matrix.shape[1]
    return (sums >> rows.right).clip(-127, 127)


def kernels(target: str, some: Sequence[CodedRows]) -> list[Kernel]:
    [coder] = chip_of(target).entries_of(RowCoder)
    made = [coder.composed(f"rows_{number}", rows) for number, rows in enumerate(some)]
    return [kernel for kernel in made if kernel is not None]


class CodedProgram:
    """A program that contains kernels for several matrices of rows.

    target: the board whose coder writes the kernels.
    runner: runs the program.
    folder: the folder for the build.
    some: the matrices of rows, one kernel for each.
    """

    def __init__(self, target: str, runner: Runner, folder: Path, some: Sequence[CodedRows]):
        self.some, self.runner, source = some, runner, folder / "source"
        self.width = 1 + max(sum(matrix.shape[1] for matrix in rows.weights) for rows in some)
        self.interface = Interface(
            "coded", "int8_t", self.width, "int8_t", max(rows.rows for rows in some), has_label=False
        )
        cases, definitions = "", dict[str, str]()
        for number, (rows, kernel) in enumerate(zip(some, kernels(target, some), strict=True)):
            definitions |= dict(texts_of(kernel, target))
            places = np.cumsum([1, *(matrix.shape[1] for matrix in rows.weights)])[:-1]
            arguments = "".join(f"X + {place}, " for place in places)
            call = f"{kernel.symbol}({arguments}out);"
            cases += f"    case {number}: {call} if (X[0] & {TWICE}) {{ {call} }} break;\n"
        text = _SOURCE.format(
            definitions="\n".join(definitions.values()),
            results=self.interface.output_length,
            cases=cases,
            least=TWICE - 1,
        )
        source.mkdir(parents=True)
        (source / "coded.c").write_text(text)
        (source / "coded.h").write_text(_HEADER % (self.width, self.interface.output_length))
        self.build: Build = runner.build(source, self.interface, folder, "-Os", include_flags(runner.chip))

    def run(self, calls: Sequence[tuple[int, Values]]) -> tuple[list[Values], Values | None]:
        """The results and the cycles of calls, each given by the number of a kernel and its vectors."""
        inputs = np.zeros((len(calls), self.width), np.int8)
        for row, (number, vector) in zip(inputs, calls, strict=True):
            row[0] = number
            row[1 : 1 + len(vector)] = vector
        result = self.runner.run(self.build, self.interface, inputs)
        assert result.scores is not None
        lengths = [self.some[number & ~TWICE].rows for number, _ in calls]
        outputs = [scores[:length] for scores, length in zip(result.scores, lengths, strict=True)]
        return outputs, result.cycles
