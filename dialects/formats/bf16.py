"""Builtin `bf16` as a number format: stored in 16 bits, computed in single precision (MinUn, section 7.1).

Raws are integers in the order of their numbers: the raw of a positive number is the bit pattern, and the raw of a
negative number is the negated bit pattern of its magnitude. Zero has a single raw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import bf16, i16
from xdsl.ir import Attribute

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.runtime_functions import from_bfloat, to_bfloat

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals

V = TypeVar("V")


class BF16(F32):
    """Builtin `bf16` as a number format: elements of 16 bits, arithmetic in single precision."""

    GOOD_FOR = "floats of 16 bits: half the memory of f32, in its time"

    @property
    def type(self) -> Attribute:
        return bf16

    @property
    def storage(self) -> Attribute:
        return i16

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int16)

    @property
    def bits(self) -> int:
        return 16

    def encode(self, reals: Reals) -> Raws:
        return to_bfloat(np.asarray(reals).astype(np.float32))

    def decode(self, raws: Raws) -> Reals:
        with np.errstate(invalid="ignore"):
            return from_bfloat(raws).astype(np.float64)

    @classmethod
    def of_width(cls, width: int | None) -> BF16:
        if width not in (None, 16):
            raise InputError(f"bf16 is 16 bits wide, got width {width}")
        return BF16_FORMAT

    def constant(self, m: Machine[V], real: float) -> V:
        return m.int_constant(int(self.encode(np.array(real))), 16)

    def from_f32(self, m: Machine[V], value: V) -> V:
        return m.call("tm_f32_to_bf16", value)

    def to_f32(self, m: Machine[V], value: V) -> V:
        return m.call("tm_bf16_to_f32", value)

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


BF16_FORMAT = BF16()
