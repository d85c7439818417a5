"""A lower bound on the flash of a program's weights for all formats and layouts, known before any compilation.

A weight in flash needs at least one bit in a dense matrix. In a sparse matrix, each entry needs at least a gap and a
value. A format with three or more bits that represents the greatest entry does not round any entry of at least half its
magnitude to zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

_ENTRY_BITS = 4
"""The bits of an entry of a sparse matrix, a lower bound over all layouts."""

LEAST_WIDTH = 3
"""The width of the narrowest formats for which the bound is valid."""


def weights_of(program: ModuleOp) -> tuple[int, int]:
    """Return the number of weights in the products of a program at L0 or L1, and the minimum number of flash bytes that
    they occupy.
    """
    matrices = [*_matrices(program)]
    return sum(matrix.size for matrix in matrices), math.ceil(sum(map(_least_bits, matrices)) / 8)


def _matrices(program: ModuleOp) -> Iterator[NDArray[Any]]:
    seen: set[bytes] = set()
    for function in defined_functions(program):
        for op in function.walk():
            if not isinstance(op, tdsl.ContractionOp):
                continue
            for operand in dict.fromkeys(value for pair in op.pairs for value in pair):
                if isinstance(constant := operand.owner, tdsl.ConstOp):
                    content = constant.raws.tobytes()
                    if content not in seen:
                        seen.add(content)
                        yield tdsl.format_of(operand).decode(constant.raws)


def _least_bits(matrix: NDArray[Any]) -> int:
    magnitudes = np.abs(matrix)
    entries = int(np.count_nonzero(2 * magnitudes >= magnitudes.max(initial=0))) if magnitudes.any() else 0
    return min(matrix.size, _ENTRY_BITS * entries)
