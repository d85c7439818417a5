"""Codings: the ways in which kernels of a target decode raws into the integers that they multiply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

INTEGER = "integer"
TABLE = "table"
REGIME = "regime"


@dataclass(frozen=True)
class Coding:
    """The decoding of a format's raws, by a name that kernels know.

    name: `INTEGER` if raws are the integers themselves; `TABLE` if `table` lists 16-bit integers in the order of the
    raws, which are bytes, with the entry of raw 0 at index `zero`; `REGIME` if raws of 16 bits have a sign, a regime,
    an exponent and a fraction, as posits have; `parameters` are the bits of the exponent and the scale.
    segments: returns a table for kernels that decode piecewise linearly, and the number of extra fraction bits of the
    integers that it gives. Entry i of its 256 stands for the 16-bit raws whose upper byte is i - 128: it is
    c * 2^16 + 2^8 + s if all of them stand for (raw + c) * 2^s, and 0 otherwise.
    """

    name: str
    table: NDArray[np.signedinteger[Any]] | None = None
    zero: int = 0
    parameters: tuple[int, ...] = ()
    segments: Callable[[], tuple[NDArray[np.signedinteger[Any]], int]] | None = None


INTEGER_CODING = Coding(INTEGER)
