"""The capacity of a program for the samples that its estimator may store after another training: the attribute
`tinyml.sample_room`.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from tinyml.dialects import tdsl
from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, integer

SAMPLE_ROOM = DiscardableAttribute(
    "tinyml.sample_room",
    {HolderKind.FUNCTION: integer(1)},
    "The greatest number of samples that an estimator whose weights are data may store.",
)


def known_sample_room(function: FuncOp) -> int | None:
    """The number of samples that `SAMPLE_ROOM` states; None for a function without the attribute."""
    known = function.attributes.get(SAMPLE_ROOM)
    return cast("IntegerAttr[Any]", known).value.data if isinstance(known, IntegerAttr) else None


def multiplies_samples(op: Operation, samples: int) -> bool:
    """Whether the left factor of a product with a column is a constant with a row for each sample."""
    if not isinstance(op, tdsl.MatrixProductsOp) or tdsl.shape_of(op.out) != (samples, 1):
        return False
    return all(isinstance(lhs.owner, tdsl.ConstOp) for lhs, _ in op.pairs)


def has_added_samples(function: FuncOp) -> bool:
    """Whether a program has a capacity for more samples than its estimator stores."""
    stored, room = tdsl.read_interface(function).stored, known_sample_room(function)
    return stored is not None and room is not None and room > stored.number
