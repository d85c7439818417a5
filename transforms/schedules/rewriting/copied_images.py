"""The choice of images with another order of axes that are copied to the usual order, which makes reads faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from xdsl.dialects import func
from xdsl.dialects.builtin import UnitAttr

from tinyml.dialects import tdsl
from tinyml.transforms.formats.tiling.axis_orders import COPIED, orders
from tinyml.transforms.ir.attributes import argument_attribute
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.plans.segmentation import Plan

GATHERING = 1
"""The rough cost of reading or writing an image in another order, in units of a plan's extra work."""

MOST = 3
"""The most images whose copies are decided one by one; beyond it, all are copied or none."""


def with_given_input(network: Network, function: func.FuncOp) -> Network:
    """Keep the input alive to the end if its channels come first and it is in the caller's array.

    Plans of other networks reuse its bytes once nothing reads them.
    """
    attributes = {name: argument_attribute(function, name) for name in (tdsl.ORDER, tdsl.REUSED, tdsl.RECEIVED)}
    if [name for name, value in attributes.items() if value is not None] != [tdsl.ORDER]:
        return network
    graph = network.graph
    return replace(network, graph=replace(graph, outputs=tuple(dict.fromkeys((*graph.outputs, *graph.inputs)))))


def weighed(function: func.FuncOp, plan: Callable[[Network], Plan], ram: int | None) -> Network:
    """The network of a function, after marking the images in another order of axes that are copied (`tinyml.copied`).

    plan: makes the plan of a network. ram: bytes within which the fastest plan is taken, if one fits; otherwise the one
    with the least peak.
    """
    open = list(orders(function))
    if not open:
        return network_of(function)

    def rank(copied: Sequence[bool]) -> tuple[bool, int, int, int]:
        _note(open, copied)
        chosen = plan(network_of(function))
        time = chosen.extra + GATHERING * copied.count(False)
        slow = ram is None or chosen.bits > 8 * ram
        return slow, 0 if slow else time, chosen.bits, time

    _note(open, min(_choices(len(open)), key=rank))
    return network_of(function)


def _choices(count: int) -> Iterator[tuple[bool, ...]]:
    if count > MOST:
        yield from ((copied,) * count for copied in (False, True))
    else:
        yield from product((False, True), repeat=count)


def _note(open: Sequence[tdsl.TransposeOp], copied: Sequence[bool]) -> None:
    for op, copy in zip(open, copied, strict=True):
        op.attributes.pop(COPIED, None)
        if copy:
            op.attributes[COPIED] = UnitAttr()
