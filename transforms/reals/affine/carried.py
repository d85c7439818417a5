"""Ops that move elements or choose among them: of an affine function they give one of the same ops on its argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.builtin import FloatAttr, f64
from xdsl.ir import Operation

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.reals.affine.affine_function import AffineFunction

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals


class Carried(NamedTuple):
    """An op of an affine function as the function of the same op on u.

    function: of the op's result on u. filling: the real that fills what no move writes; None for an op without filling.
    """

    function: AffineFunction
    filling: float | None = None

    def put(self, op: Operation) -> None:
        """Give the op, which reads u from now on, its new filling."""
        if isinstance(op, tdsl.PadOp) and self.filling is not None:
            op.properties.pop("value", None)
            if self.filling:
                op.properties["value"] = FloatAttr(self.filling, f64)


def carried(op: Operation, function: AffineFunction) -> Carried | None:
    """The function of u that an op gives whose operand is a function of u; None for other ops and functions.

    Computed indices need a function that does not change along their axes, a padding one that is the same everywhere,
    and the greatest element of a window one that is the same for all pixels, with positive factors.
    """
    parts = function.factors, function.addends
    match op:
        case tdsl.IndexOp() if all((part == part[:1]).all() for part in parts):
            return Carried(AffineFunction(*(part[0] for part in parts)))
        case tdsl.SliceOp():
            return _sliced(op, parts)
        case tdsl.TransposeOp() | tdsl.ReverseOp():
            return Carried(AffineFunction(*(op.moved([part[None]], 0)[0] for part in parts)))
        case tdsl.PadOp() if all((part == part.flat[0]).all() for part in parts):
            factor, addend = (float(part.flat[0]) for part in parts)
            shape = tdsl.shape_of(op.out)
            filling = ((op.filling or 0.0) - addend) / factor
            return Carried(AffineFunction(np.full(shape, factor), np.full(shape, addend)), filling)
        case tdsl.MaxPoolOp() if (function.factors > 0).all() and _by_channel(parts):
            shape = tdsl.shape_of(op.out)
            return Carried(AffineFunction(*(np.broadcast_to(part[:1, :1, :1], shape) for part in parts)))
        case _:
            return None


def _sliced(op: tdsl.SliceOp, parts: tuple[Reals, Reals]) -> Carried | None:
    """The function of a slice of a function that does not change along the axes of which it takes a part."""
    shape = tdsl.shape_of(op.out)
    for axis, extent in enumerate(shape):
        if extent < parts[0].shape[axis] or op.steps[axis] != 1:
            first = parts[0].take([0], axis), parts[1].take([0], axis)
            if any((part != one).any() for part, one in zip(parts, first, strict=True)):
                return None
            parts = first
    return Carried(AffineFunction(*(np.broadcast_to(part, shape) for part in parts)))


def _by_channel(parts: tuple[Reals, Reals]) -> bool:
    """True for a function that is the same for all pixels of an image, whose last axis is the channels."""
    return all((part == part[:1, :1, :1]).all() for part in parts)
