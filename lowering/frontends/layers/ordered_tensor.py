"""Tensors of the program, with the order in which they store the axes of the model's tensors.

Axes are named by letters: N (samples), H, W and C (height, width and channels of an image), L (steps of a sequence).
Programs store images as NHWC and sequences as NLC.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from tinyml.dialects.tdsl import Shape, format_of, shape_of

STORED = "NHWLC"
"""The order in which programs store the axes of images and sequences."""


@dataclass(frozen=True)
class OrderedTensor:
    """A tensor of the program. Axis `i` of `value` is axis `order[i]` of the model's tensor.

    An image that the model stores as NCHW has the order (0, 2, 3, 1).
    """

    value: SSAValue
    order: tuple[int, ...]

    @classmethod
    def plain(cls, value: SSAValue) -> OrderedTensor:
        """A tensor whose axes are in the model's order."""
        return cls(value, tuple(range(len(shape_of(value)))))

    @property
    def is_plain(self) -> bool:
        """True if the axes are in the model's order."""
        return list(self.order) == sorted(self.order)

    @property
    def is_quantised(self) -> bool:
        """True if the elements are raws of a format other than reals."""
        return format_of(self.value).type != f32

    @property
    def shape(self) -> Shape:
        """The shape of the model's tensor."""
        stored = shape_of(self.value)
        return tuple(stored[self.order.index(axis)] for axis in range(len(stored)))


def stored_order(axes: str) -> tuple[int, ...]:
    """The order in which programs store images or sequences of a model, such as (0, 2, 3, 1) for `NCHW`."""
    return permutation(axes, "".join(axis for axis in STORED if axis in axes))


def permutation(source: str, target: str) -> tuple[int, ...]:
    """The permutation that transposes axes in the order `source` to the order `target`."""
    return tuple(map(source.index, target))
