"""How raws become the integers that products are made of, as the kernels of targets know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INTEGER = "integer"
TABLE = "table"


@dataclass(frozen=True)
class Coding:
    """name: `INTEGER` where raws are the integers themselves, `TABLE` where `table` has them, 16-bit ones for every raw
    of a byte from -128 on; any other name is that of kernels which decode such raws, from `parameters`, bytes."""

    name: str
    table: NDArray[np.signedinteger[Any]] | None = None
    parameters: tuple[int, ...] = ()


INTEGER_CODING = Coding(INTEGER)
