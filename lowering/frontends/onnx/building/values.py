"""Values of a model while it is imported: constants, tensors in some order of axes, and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue

from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.tdsl import Shape
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Constant:
    """An array that is known while the model is imported.

    name: perhaps empty. raws, format: the source of dequantised numbers. axis: the axis of raws along which the format
    has scales, if it has several.
    """

    array: NDArray[Any]
    name: str = ""
    raws: NDArray[Any] | None = None
    format: NumberFormat | None = None
    axis: int = 0

    @property
    def shape(self) -> Shape:
        return self.array.shape

    @property
    def scales(self) -> int:
        """The number of scales of a quantised constant."""
        return 1 if self.format is None else len(getattr(self.format, "scale_values", (1,)))


@dataclass(frozen=True)
class Comparison:
    """The truth of `tensor >= threshold`, or of its opposite, for each element."""

    tensor: OrderedTensor
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
    """The index of the greatest element of a tensor; other nodes can only shape it, and look up the label of a class.

    classes: the label of each class, once it was looked up.
    """

    value: SSAValue
    shape: Shape
    classes: tuple[str | int, ...] = ()


Value: TypeAlias = Constant | OrderedTensor | Comparison | Indicator | Label
