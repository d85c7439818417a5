"""Values of a model while it is imported: constants, tensors in some order of axes, and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.tdsl import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Constant:
    """An array that is known while the model is imported; `name` is empty if the file has none for it."""

    array: NDArray[Any]
    name: str = ""

    @property
    def shape(self) -> Shape:
        return self.array.shape


@dataclass(frozen=True)
class Tensor:
    """A tensor of the program. Axis `i` of `value` is axis `order[i]` of the model's tensor.

    Images are NHWC in the program and NCHW in a model: their order is 0, 2, 3, 1.
    """

    value: SSAValue
    order: tuple[int, ...]

    @classmethod
    def plain(cls, value: SSAValue) -> Tensor:
        """A tensor whose axes are in the model's order."""
        return cls(value, tuple(range(len(tdsl.shape_of(value)))))

    @property
    def is_plain(self) -> bool:
        return list(self.order) == sorted(self.order)

    @property
    def shape(self) -> Shape:
        """The shape of the model's tensor."""
        stored = tdsl.shape_of(self.value)
        return tuple(stored[self.order.index(axis)] for axis in range(len(stored)))


@dataclass(frozen=True)
class Comparison:
    """The truth of `tensor >= threshold`, or of its opposite, for each element."""

    tensor: Tensor
    threshold: float
    negated: bool

    @property
    def shape(self) -> Shape:
        return self.tensor.shape

    @property
    def opposite(self) -> Comparison:
        return Comparison(self.tensor, self.threshold, not self.negated)


@dataclass(frozen=True)
class Indicator:
    """The number 1 where all comparisons hold, else 0."""

    comparisons: Sequence[Comparison]

    @property
    def shape(self) -> Shape:
        return self.comparisons[0].shape


@dataclass(frozen=True)
class Label:
    """The index of the greatest element of a tensor, which no other node can read."""

    value: SSAValue
    shape: Shape


Value: TypeAlias = Constant | Tensor | Comparison | Indicator | Label
