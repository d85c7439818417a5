"""How raws become the integers that products are made of, as the kernels of targets know it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.machine.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTEGER = "integer"
TABLE = "table"


@dataclass(frozen=True)
class Coding:
    """name: `INTEGER` where raws are the integers themselves, `TABLE` where `table` has them, 16-bit ones in the order
    of the raws, bytes, with entry number `zero` for raw 0; any other name is that of kernels which decode such
    raws, from `parameters`, bytes.

    segments: gives a table for those kernels that decode by lines, and by how many places the integers that it gives
    are finer. Its 256 entries stand for the upper bytes of 16-bit raws, from -128 on: c * 2^16 + 2^8 + s where all such
    raws stand for (raw + c) * 2^s, or 0.
    """

    name: str
    table: NDArray[np.signedinteger[Any]] | None = None
    zero: int = 0
    parameters: tuple[int, ...] = ()
    segments: Callable[[], tuple[NDArray[np.signedinteger[Any]], int]] | None = None


INTEGER_CODING = Coding(INTEGER)
