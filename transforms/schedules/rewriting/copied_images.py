"""The choice between copies and transpositions in place for images that are not stored in the order of pixels.

A copy makes reads faster. After a transposition, the bytes of the image become free pixel by pixel, as they do for
other images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import product

from xdsl.dialects import func
from xdsl.dialects.builtin import UnitAttr

from tinyml.dialects import tdsl
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.segments import Plan
from tinyml.transforms.schedules.tiling.axis_orders import can_turn, needs_no_memory, orders

MAX_DECIDED_IMAGES = 3
"""Maximum images that are decided individually; of more images all are copied, or as few as possible."""


class ImageTreatment(IntEnum):
    """The treatment of an image in an unusual order of axes: a copy in the order of pixels (`COPIED`), use in its own
    order (`LEFT`), or a transposition in place (`TURNED`). The value of a member is its rough time in units of a
    plan's extra work.
    """

    COPIED = 0
    LEFT = 1
    TURNED = 4


def with_given_input(network: Network, function: func.FuncOp) -> Network:
    """The network with an input that is live to the end, if the interface states the order of the input's axes and the
    input is in the caller's array. Otherwise the given network.

    Without this change, a plan would reuse the bytes of the input after its last read.
    """
    given = tdsl.read_input(function)
    if given.order is None or given.reused or given.received is not None:
        return network
    graph = network.graph
    return replace(network, graph=replace(graph, outputs=tuple(dict.fromkeys((*graph.outputs, *graph.inputs)))))


def without_given_input(network: Network, function: func.FuncOp) -> Network:
    """The network in which an input in the caller's array is not counted in the memory."""
    given = tdsl.read_input(function)
    if given.reused or given.received is not None:
        return network
    graph = network.graph
    names = {network.names[value] for value in function.body.block.args if value in network.names}
    tensors = {name: image._replace(bits=0) if name in names else image for name, image in graph.tensors.items()}
    return replace(network, graph=replace(graph, tensors=tensors))


def weighed(function: func.FuncOp, plan: Callable[[Network], Plan], ram: int | None, *, turns: bool) -> Network:
    """Choose which images in an unusual order of axes are copied or transposed, and mark them. Return the network
    of the function.

    plan: returns the plan of a network.
    ram: the limit in bytes for the fastest plan; if no plan fits, the plan with the lowest peak is chosen.
    turns: whether the target can transpose in place.
    """
    open = {op: ways for op in orders(function) if len(ways := _ways(op, turns)) > 1}
    if not open:
        return network_of(function)

    def rank(ways: Sequence[ImageTreatment]) -> tuple[bool, int, int, int]:
        _note(open, ways)
        chosen = plan(network_of(function))
        time = chosen.extra + sum(ways)
        slow = ram is None or chosen.bits > 8 * ram
        return slow, 0 if slow else time, chosen.bits, time

    _note(open, min(_choices([*open.values()]), key=rank))
    return network_of(function)


def _ways(op: tdsl.TransposeOp, turns: bool) -> list[ImageTreatment]:
    """The possible treatments of an image. If the image can be used without a copy, this treatment is the first.

    turns: whether the target can transpose in place.
    """
    left, turned = needs_no_memory(op), turns and can_turn(op)
    return [ImageTreatment.LEFT] * left + [ImageTreatment.COPIED] + [ImageTreatment.TURNED] * turned


def _choices(ways: Sequence[Sequence[ImageTreatment]]) -> Iterator[tuple[ImageTreatment, ...]]:
    if len(ways) > MAX_DECIDED_IMAGES:
        yield tuple(each[0] for each in ways)
        yield (ImageTreatment.COPIED,) * len(ways)
    else:
        yield from product(*ways)


def _note(open: Iterable[tdsl.TransposeOp], ways: Sequence[ImageTreatment]) -> None:
    for op, way in zip(open, ways, strict=True):
        op.in_place, op.copied = UnitAttr() if way is ImageTreatment.TURNED else None, None
        if way is ImageTreatment.COPIED and needs_no_memory(op):
            op.copied = UnitAttr()
