"""Floats of half precision, `!half.f`: 16 bits in memory, with computations in single precision.

The two conversions are C functions in the header `half.h` of this package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, i16
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe

from tinyml.extend.formats import F32, RUNTIME_FUNCTIONS, InputError, IntegerParameters, Machine, RuntimeFunction

V = TypeVar("V")

GREATEST = 0x7BFF
"""The raw of 65504, the greatest number."""


def to_half(x: NDArray[np.float32]) -> NDArray[np.int16]:
    """The raws that `half_from_f32` computes: nearest numbers, ties to even.

    Magnitudes beyond the range become the greatest number, and so does NaN.
    """
    with np.errstate(over="ignore"):
        sizes = np.abs(np.asarray(x, np.float32)).astype(np.float16).view(np.int16)
    return np.where(np.less(x, 0), -np.minimum(sizes, GREATEST), np.minimum(sizes, GREATEST)).astype(np.int16)


def from_half(raws: NDArray[np.int16]) -> NDArray[np.float32]:
    """The numbers that `half_to_f32` computes from raws."""
    sizes = np.abs(np.asarray(raws, np.int16)).view(np.float16).astype(np.float32)
    return np.where(np.less(raws, 0), -sizes, sizes)


HEADER = Path(__file__).parent / "half.h"
RUNTIME_FUNCTIONS.update(
    half_from_f32=RuntimeFunction((f32,), i16, to_half, header=HEADER),
    half_to_f32=RuntimeFunction((i16,), f32, from_half, header=HEADER),
)


@irdl_attr_definition
class HalfType(IntegerParameters, F32):
    name = "half.f"
    GOOD_FOR = "floats of 16 bits with 11 significant ones"

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return i16

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int16)

    @property
    def bits(self) -> int:
        return 16

    def encode(self, reals: NDArray[Any]) -> NDArray[Any]:
        return to_half(np.asarray(reals).astype(np.float32))

    def decode(self, raws: NDArray[Any]) -> NDArray[np.float64]:
        return from_half(raws).astype(np.float64)

    @classmethod
    def of_width(cls, width: int | None) -> HalfType:
        if width not in (None, 16):
            raise InputError(f"half has 16 bits, got {width}")
        return HalfType()

    def constant(self, m: Machine[V], real: float) -> V:
        return m.int_constant(int(self.encode(np.array(real))), 16)

    def from_f32(self, m: Machine[V], value: V) -> V:
        return m.call("half_from_f32", value)

    def to_f32(self, m: Machine[V], value: V) -> V:
        return m.call("half_to_f32", value)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


HALF = Universe(all_dialects={"half": lambda: Dialect("half", [], [HalfType])})
