"""The format `!hybrid.q<scale>`: 8-bit constants that are converted to floats before each multiplication.

SeeDot (section 7.1.3) compares its programs with TensorFlow Lite's hybrid quantisation, which this format reproduces:
`--format f32 --weights hybrid:8`.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from xdsl.dialects.builtin import FloatData, i8
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.universe import Universe

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws, Reals
    from tinyml.dialects.machine.machine import Machine

V = TypeVar("V")

GREATEST = 127
"""The greatest raw; the least is its negative."""


@irdl_attr_definition
class HybridType(ParametrizedAttribute, TypeAttribute, F32):
    """A format of 8-bit integers times `scale`, a power of two or any other float; its sums are those of `f32`."""

    name = "hybrid.q"
    factor: FloatData

    def __init__(self, scale: float):
        super().__init__(FloatData(float(np.float32(scale))))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [FloatData(float(parser.parse_number(allow_boolean=False)))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.factor.data:.9e}")

    @property
    def type(self) -> Attribute:
        return self

    @property
    def storage(self) -> Attribute:
        return i8

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int8)

    @property
    def bits(self) -> int:
        return 8

    def encode(self, reals: Reals) -> Raws:
        return np.clip(np.rint(np.asarray(reals) / self.factor.data), -GREATEST, GREATEST).astype(np.int8)

    def decode(self, raws: Raws) -> Reals:
        return (raws.astype(np.float32) * np.float32(self.factor.data)).astype(np.float64)

    @classmethod
    def of_width(cls, width: int | None) -> HybridType:
        if width not in (None, 8):
            raise InputError(f"hybrid is 8 bits wide, got width {width}")
        return HybridType(1 / GREATEST)

    def for_range(self, low: float, high: float) -> HybridType:
        return HybridType((max(abs(low), abs(high)) or 1.0) / GREATEST)

    def constant(self, m: Machine[V], real: float) -> V:
        return m.int_constant(int(self.encode(np.array(real))), 8)

    def from_f32(self, m: Machine[V], value: V) -> V:
        scaled = m.mulf(value, m.float_constant(1 / self.factor.data))
        low, high = (m.int_constant(limit, 32) for limit in (-GREATEST, GREATEST))
        return m.resize(m.call("tm_f32_to_even", scaled, low, high), 8)

    def to_f32(self, m: Machine[V], value: V) -> V:
        return m.mulf(m.call("tm_int_to_f32", m.resize(value, 32)), m.float_constant(self.factor.data))

    def greater(self, m: Machine[V], lhs: V, rhs: V) -> V:
        return m.cmp_sgt(lhs, rhs)


HYBRID = Universe(all_dialects={"hybrid": lambda: Dialect("hybrid", [], [HybridType])})

POINT = EntryPoint("hybrid", "programs.hybrid:HYBRID", "xdsl.universe")
"""Where `programs.plugins.installed` finds the format."""
