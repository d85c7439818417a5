"""`leave-forest-room`: bounds the forests that may replace the forest of a program later (L0)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, ModuleOp, f64
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.transforms.ir.forest_room import FOREST_ROOM, known_room, room_of, sizes_of
from tinyml.transforms.reals.leave_room import beyond_room, power_above

COUNTED = ("trees", "inner nodes", "leaves with different votes")
"""What the first numbers of `FOREST_ROOM` count."""


@dataclass(frozen=True)
class LeaveForestRoomPass(ModulePass):
    """Set `tinyml.forest_room` on the function of the model: the greatest numbers of trees, inner nodes and leaves of a
    forest that may later replace the forest of the program.

    The pass also limits the sums of the forest's votes to the number of trees times the least power of two that no
    profiled vote exceeds in magnitude. It removes the list of the features that the forest reads from the interface. A
    program without a forest is unchanged.

    weights_margin: the factor by which the numbers exceed those of the forest or, if `tinyml.forest_room` is already
        set, those that it states. Products are rounded up.

    Raises `InputError` for several forests, for a forest that exceeds the stated numbers, and for votes without a
    profile.
    """

    name = "leave-forest-room"
    weights_margin: float = 1.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        forests = [each for each in op.walk() if isinstance(each, tdsl.ForestOp)]
        if not forests:
            return
        if len(forests) > 1:
            raise error_at(forests[1], f"--weights-at: a blob holds one forest, the model has {len(forests)}")
        [forest] = forests
        function = predict_function(op)
        found = sizes_of(forest)
        room = [math.ceil(self.weights_margin * size) for size in known_room(function) or found]
        for size, most, what in zip(found, room, COUNTED, strict=True):
            if size > most:
                raise InputError(beyond_room("forest", size, what, most))
        constant = tdsl.constant_root(forest.votes)
        known = None if constant is None else next(tdsl.result_profiles(constant.result), None)
        if known is None:
            raise error_at(forest, "the votes have no profile: run the profile pass first")
        function.attributes[FOREST_ROOM] = room_of(room)
        forest.limit = FloatAttr(room[0] * power_above(known.magnitude), f64)
        tdsl.update_input(function, read=None)
