"""RequantShift, by which exporters of the PULP platform (QuantLib, Deeploy) write quantisers of integers.

The op computes `clamp(floor((x * mul + add) / div + 1/2))`. The program computes the same integers without overflow,
even where 32-bit registers, which Deeploy's kernels use, would wrap around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.builder import Builder, Constant, Inputs, needed
from tinyml.lowering.frontends.onnx.graph import Declared, OnnxNode
from tinyml.lowering.frontends.qonnx.integer_formats import MAX_BITS, ExactInteger, format_of_range, rounds_to_even
from tinyml.lowering.frontends.qonnx.quantiser import Quantiser
from tinyml.lowering.frontends.qonnx.readers import by_channel
from tinyml.lowering.frontends.qonnx.staircases import SIZES, Lines
from tinyml.lowering.frontends.qonnx.values import Stack, Stored
from tinyml.lowering.frontends.qonnx.whole import Whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]

SHIFT = "RequantShift"

INPUT_LIMITS = -255, 255
"""The range of inputs whose type the file does not state. It contains both kinds of bytes."""

GREATEST_PARAMETER = 1 << 31


def input_limits(declared: Declared) -> tuple[int, int]:
    """The range of the integers of an input that is not annotated: that of its element type if this has 8 bits."""
    if declared.element in ("int8", "uint8"):
        kind = np.iinfo(declared.element)
        return int(kind.min), int(kind.max)
    return INPUT_LIMITS


@dataclass(frozen=True, eq=False)
class Shift(Quantiser):
    """The quantiser `level = clamp((factor * x + addend + half) >> bits)` of exact integers x, where `half` is half of
    the divisor.

    factors, addends: a number for each channel, or one number for all channels.
    bits: the number of bits of the shift.
    """

    factors: Integers = field(kw_only=True)
    addends: Integers = field(kw_only=True)
    bits: int = field(kw_only=True)

    @property
    def format(self) -> ExactInteger:
        return format_of_range(self.first, self.last, 0)

    def levels_of(self, integers: Integers, reals: Any) -> Integers:
        sums = integers * self.factors[:, None] + self.addends[:, None] + (1 << self.bits >> 1)
        return np.clip(sums >> self.bits, self.low, self.high)

    @property
    def channels(self) -> int:
        return max(self.factors.size, self.addends.size)

    @property
    def line(self) -> Lines | None:
        """The linear function of x that the quantiser computes. Where its product or its sum saturates at 32 bits, the
        level saturates, too. Returns None if `bits` is 0, or if a factor or an addend does not fit.

        If the format rounds halves to even, the function is doubled and increased by 1, and `bits` by 1, so that no sum
        lies halfway between two levels.
        """
        factors, addends, guard = self.factors, self.addends, self.bits
        if rounds_to_even(self.format):
            factors, addends, guard = 2 * factors, 2 * addends + 1, guard + 1
        farthest = max(-self.low, self.high + 1) << guard
        if not guard or farthest + int(np.abs(addends).max()) >= GREATEST_PARAMETER:
            return None
        bits = next((bits for bits, _ in SIZES if int(np.abs(factors).max()) >> bits == 0), None)
        return None if bits is None else Lines(factors, addends, bits, 0, guard)


def shifted(to: Builder, node: OnnxNode, inputs: Inputs) -> Whole:
    """Import RequantShift. Raises `InputError` for operands that are not integers, for an unsupported number of levels,
    and for parameters that are not constant or that vary along two axes.
    """
    value = needed(to, inputs, 0)
    if not isinstance(value, Whole):
        raise node.error("expected integers: let a RequantShift or a sum of integers precede it")
    bits = _exponent(node)
    name = "n_levels_out" if "n_levels_out" in node.attributes else "n_levels"
    levels = _whole(node, name)
    if not 2 <= levels <= 1 << MAX_BITS:
        raise node.error(f"{name} = {levels} is not supported, only 2 to {1 << MAX_BITS}")
    low = -(levels // 2) if _whole(node, "signed") else 0
    value, before = _sums(to, value)
    value, factors = _parameter(to, value, inputs, 1)
    value, addends = _parameter(to, value, inputs, 2)
    addends = addends + factors * before
    high = low + levels - 1
    by = Shift(np.ones(1, np.float32), low, high, factors=factors, addends=addends, bits=bits)
    return value.quantised(to, by)


def _sums(to: Builder, value: Whole) -> tuple[Whole, Integers]:
    """Separate the integers of a tensor from the addends, such as biases, that follow them. Return the tensor without
    the addends, and the total addend of each channel. Raises `InputError` if a scale or another function follows the
    integers, and for an addend that is not an integer.
    """
    addends = np.zeros(1, np.int64)
    if value.is_rounded:
        value = value.whole(to)
    if (value.units != 1).any() or value.source.frac or not all(step.adds for step in value.steps):
        raise to.error("expected integers: a scale or a function precedes it")
    for step in value.steps:
        if (step.constant != np.rint(step.constant)).any() or np.abs(step.constant).max() >= GREATEST_PARAMETER:
            raise to.error("expected integers: a bias that is no integer precedes it")
        addends = addends + step.constant.astype(np.int64)
    return replace(value, steps=()), addends


def _parameter(to: Builder, value: Whole, inputs: Inputs, position: int) -> tuple[Whole, Integers]:
    """The integers of a constant input, one for each channel. Return the tensor, whose channels lie along the
    constant's axis, and the integers. Raises `InputError` for an input that is not a constant of such integers.

    Deeploy accepts any shape with one number for each position along the second axis.
    """
    constant = needed(to, inputs, position)
    if not isinstance(constant, Constant) or constant.array.dtype.kind not in "fiu":
        raise to.error(f"its input {position} must be a constant")
    numbers = constant.array
    if not numbers.size or (numbers != np.rint(numbers)).any() or np.abs(numbers).max() >= GREATEST_PARAMETER:
        raise to.error(f"its input {position} must have integers of 32 bits")
    numbers = numbers.astype(np.int64)
    if numbers.size == 1:
        return value, numbers.ravel()
    shape, source = value.shape, value.source
    if isinstance(source, Stack):
        value = replace(value, source=Stored.of(source.sums(to), source.low, source.high))
    placed = by_channel(value, numbers)
    if placed is None and len(shape) > 1 and numbers.size == shape[1] and shape[1] in numbers.shape:
        placed = by_channel(value, numbers.reshape(-1, *(1,) * (len(shape) - 2)))
    if placed is None:
        found, expected = list(numbers.shape), list(shape)
        raise to.error(f"parameters {found} for {expected}: expected one number for each position along one axis")
    return placed


def _exponent(node: OnnxNode) -> int:
    divisor = _whole(node, "div")
    if divisor < 1 or divisor & divisor - 1 or divisor > GREATEST_PARAMETER:
        raise node.error(f"div = {divisor} is not supported, only powers of two up to 2^31")
    return divisor.bit_length() - 1


def _whole(node: OnnxNode, name: str) -> int:
    value = node.attributes.get(name)
    numbers = np.ravel(value) if isinstance(value, int | float | Sequence | np.ndarray) else np.empty(0)
    if numbers.size != 1 or numbers.dtype.kind not in "fiu" or numbers[0] != np.rint(numbers[0]):
        raise node.error(f"needs the attribute '{name}', an integer")
    return int(numbers[0])
