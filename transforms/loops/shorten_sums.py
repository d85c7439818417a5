"""`shorten-sums`: replaces sums of numbers with unlike scales by sums of raws with constant weights (L3).

A sum of two zero-skew integers converts both numbers to a common scale and the sum to the scale of the result: three
products of 32 bits. On a chip with short products, one sum of raws with weights takes a fraction of this time. Its
results are the same only if each rounding agrees. For numbers of at most 8 bits, the pass proves this: it computes the
results of the op for all operands, and the interval of the start values with which the weights lead to these results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block

from tinyml.dialects import num
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.rewriting import Rewriter
from tinyml.targets.registry import board, chip_of, target_of
from tinyml.transforms.ir.conditional_pass import ConditionalPass, absent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

Sum: TypeAlias = num.AddOp | num.ConvertOp

_BYTE = 8
_UNIT = 1 << num.WEIGHTED_SUM_SHIFT
_NEARBY = (0, 1, -1, 2, -2)
"""Differences of the tried weights from the nearest ones."""

_CACHED = 64


@dataclass(frozen=True)
class ShortenSumsPass(ConditionalPass):
    """Replace additions and conversions of numbers of at most 8 bits by `num.weighted_sum` if the results are the same
    for all operands. Ops in exact formats, whose conversions are shifts, remain.

    Only programs for boards of a chip with `Chip.weighted_sums` are changed.
    """

    name = "shorten-sums"

    def obstacle(self, module: ModuleOp) -> str | None:
        target = target_of(module)
        needs = chip_of(target).weighted_sums
        if needs is None or needs not in ("", *board(target).features):
            return f"{target} has no weighted sums"
        return absent(module, num.AddOp, num.ConvertOp)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.obstacle(op) is not None:
            return
        for sum in list(op.walk()):
            if isinstance(sum, Sum) and (short := _shortened(sum)) is not None:
                Rewriter.replace_op(sum, short)


def _shortened(op: Sum) -> num.WeightedSumOp | None:
    types = [value.type for value in (*op.operands, op.result)]
    formats = [format for type in types if (format := _scaled(type)) is not None]
    if len(formats) < len(types) or len(set(types)) == 1:
        return None
    found = _weights(type(op), tuple(formats))
    return None if found is None else num.WeightedSumOp(op.operands, *found, op.result.type)


@dataclass(frozen=True)
class _Scaled:
    """A format of bytes whose numbers are multiples of a scale, relative to a zero point.

    type: the type of the format.
    low, high: the least and the greatest raw.
    scale: the difference between the numbers of adjacent raws.
    """

    type: Attribute
    low: int
    high: int
    scale: float

    @property
    def raws(self) -> Integers:
        return np.arange(self.low, self.high + 1)


@lru_cache(_CACHED)
def _scaled(type: Attribute) -> _Scaled | None:
    """The scale of a type; None for other formats, and for exact ones, whose conversions are shifts."""
    format = number_format(type)
    if format is None or format.dtype != np.int8 or isinstance(format, ExactNumbers):
        return None
    low, high = format.stored_limits or limits(_BYTE)
    # A matrix with one row: formats with a scale for each row decode it to several.
    numbers = format.decode(np.arange(low, high + 1).astype(np.int8)[None])
    if numbers.shape != (1, high - low + 1):
        return None
    scale = float(numbers[0, -1] - numbers[0, 0]) / (high - low)
    steps = np.diff(numbers[0])
    return _Scaled(type, low, high, scale) if scale > 0 and np.allclose(steps, scale, rtol=1e-9, atol=0) else None


@lru_cache(_CACHED)
def _weights(kind: type[Sum], formats: tuple[_Scaled, ...]) -> tuple[Sequence[int], int] | None:
    """The weights and the start value of a sum of raws that has the results of an op for all operands; None if none of
    the weights near the quotients of the scales has these results.

    formats: the formats of the operands and of the result.
    """
    *sources, result = formats
    operands = np.meshgrid(*(source.raws for source in sources), indexing="ij")
    expected = _results(kind, formats, operands)
    nearest = [math.floor(source.scale / result.scale * _UNIT + 0.5) for source in sources]
    for nearby in sorted(product(_NEARBY, repeat=len(sources)), key=lambda each: sum(map(abs, each))):
        weights = [weight + by for weight, by in zip(nearest, nearby, strict=True)]
        if min(weights) < 0 or max(weights) > limits(32)[1]:
            return None
        sums = sum((weight * raws for weight, raws in zip(weights, operands, strict=True)), np.int64(0))
        start = _start(np.asarray(sums), expected, result)
        if start is not None and num.weighted_sum_fits(weights, start):
            return weights, start
    return None


def _start(sums: Integers, expected: Integers, result: _Scaled) -> int | None:
    """The middle of the interval of the start values with which all sums become the expected results; None if there is
    no such value.
    """
    least = (expected * _UNIT - sums)[expected > result.low].max(initial=limits(64)[0])
    most = (expected * _UNIT + _UNIT - 1 - sums)[expected < result.high].min(initial=limits(64)[1])
    return None if least > most else (int(least) + int(most)) // 2


def _results(kind: type[Sum], formats: Sequence[_Scaled], operands: Sequence[Integers]) -> Integers:
    """The raws to which an op rounds all operands."""
    *types, result = (format.type for format in formats)
    op = kind.build(operands=Block(arg_types=types).args, result_types=[result])
    raws = op.computation()(NumpyMachine(), [raws.astype(np.int8) for raws in operands])
    return np.asarray(raws).astype(np.int64)
