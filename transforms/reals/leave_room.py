"""`leave-room`: widens the ranges of weights, for models that are trained further (L0)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.attributes import PROFILE, Profile


def power_above(number: float) -> float:
    return math.ldexp(1.0, math.ceil(math.log2(number))) if number else 0.0


def beyond_room(model: str, size: int, what: str, room: int) -> str:
    """The error message for a model that was trained again and exceeds the capacity of the first model's program.

    model: the name of the part that exceeds the capacity, such as `sparse matrix`.
    size, what: the number of items in this part, and the plural name of an item, such as `entries`.
    room: the number of items for which the program has a capacity.
    """
    return (
        f"--weights-for: the {model} has {size} {what}, but the program has room for {room}: compile the model anew, "
        "or the first one with a greater --weights-margin"
    )


@dataclass(frozen=True)
class LeaveRoomPass(ModulePass):
    """Multiply the extremes in the profile of every constant by a factor. The scale of the constant is later derived
    from these extremes.

    weights_margin: the factor, at least 1.

    Raises `InputError` for a factor below 1, and for a constant without a profile.
    """

    name = "leave-room"
    weights_margin: float = 1.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not 1 <= self.weights_margin < math.inf:
            raise InputError(f"--weights-margin: expected a factor of at least 1, got {self.weights_margin:g}")
        factor = self.weights_margin
        for constant in op.walk():
            if isinstance(constant, tdsl.ConstOp):
                known = next(tdsl.result_profiles(constant.result), None)
                if known is None:
                    raise error_at(constant, "the constant has no profile: run the profile pass first")
                widened = Profile(factor * known.low.data, factor * known.high.data, known.percentiles)
                constant.attributes[PROFILE] = ArrayAttr([widened])
