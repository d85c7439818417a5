"""A lower bound on the flash of a program's weights, which holds in all formats and layouts, known before any is tried.

A weight in flash takes at least one bit where a matrix is stored densely. Where zeros are left out, each entry takes at
least a gap and a value; the entries that no format of three bits and more rounds to zero, if it represents the greatest
one, are those of at least half its magnitude.
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
"""The bits of an entry of a sparse matrix: less than any layout takes."""

LEAST_WIDTH = 3
"""The bits of the narrowest formats for which the bound holds."""


def weights_of(program: ModuleOp) -> tuple[int, int]:
    """The number of the weights of products in a program at L0 or L1, and the least bytes of flash that they take."""
    matrices = [*_matrices(program)]
    return sum(matrix.size for matrix in matrices), math.ceil(sum(map(_least_bits, matrices)) / 8)


def _matrices(program: ModuleOp) -> Iterator[NDArray[Any]]:
    """The constants that products take, equal ones once, as numbers."""
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
