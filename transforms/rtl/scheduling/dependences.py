"""Dependences through memories and streams between the ops of a block, within an iteration and across iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.dialects.loops import trips_of
from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.accesses import DISJOINT_DISTANCE, Access, distance
from tinyml.transforms.ir.indices import AffineSum, affine_sum
from tinyml.transforms.ir.intervals import INDEX, Interval
from tinyml.transforms.rtl.scheduling.regions import RISES, counters_of


@dataclass(frozen=True)
class Edge:
    """A dependence: `later` in iteration k + distance begins at least one cycle after `earlier` in iteration k.

    carries: 1 if `later` uses the result of `earlier` and begins one cycle after this result is available; else 0.
    """

    earlier: Operation
    later: Operation
    distance: int
    carries: int = 0


def edges(ops: Sequence[Operation], known: Mapping[SSAValue, Interval], loop: scf.ForOp | None = None) -> list[Edge]:
    """The dependences between the accesses of ops to memories and streams.

    known: intervals of addresses.
    loop: the loop whose body consists of the ops; None if the ops run once.
    """
    found: list[Edge] = []
    accesses = [hardware_access(op, known) for op in ops if isinstance(op, rtl.AccessOp)]
    for place, second in enumerate(accesses):
        for first in accesses[: place + 1]:
            if (first.writes or second.writes) and first.memory is second.memory:
                found += _between(first.op, second.op, _iterations(first, second, loop, known), loop)
    for kind in (rtl.ReceiveOp, rtl.SendOp):
        streamed = [op for op in ops if isinstance(op, kind)]
        for place, second in enumerate(streamed):
            for first in streamed[: place + 1]:
                found += _between(first, second, None, loop)
    return found


def _between(first: Operation, second: Operation, distance: int | None, loop: scf.ForOp | None) -> Iterator[Edge]:
    if distance is None:
        if first is not second:
            yield Edge(first, second, 0)
        if loop is not None:
            yield Edge(second, first, 1)
    elif distance == 0 and first is not second:
        yield Edge(first, second, 0)
    elif 0 < distance < DISJOINT_DISTANCE:
        yield Edge(first, second, distance)
    elif distance < 0:
        yield Edge(second, first, -distance)


def _iterations(
    first: Access, second: Access, loop: scf.ForOp | None, known: Mapping[SSAValue, Interval]
) -> int | None:
    if loop is None:
        return distance(first, second)
    step = const_evaluate_operand(loop.step)
    found = distance(first, second, loop.body.block, step, trips_of(loop))
    if found is None and first.meets(second) and _written_once((first, second), loop, known):
        return 0
    return found


def _written_once(accesses: Sequence[Access], loop: scf.ForOp, known: Mapping[SSAValue, Interval]) -> bool:
    """Whether, in a flattened loop, no later iteration accesses an address after a store to this address.

    This is the case if each store takes effect when the counters of some outer loops advance, and each combination of
    values of these counters has a different address.

    accesses: all accesses, whose addresses are equal functions of the counters.
    known: intervals of addresses.
    """
    start = accesses[0].start
    assert start is not None
    for access in accesses:
        if access.writes and ((rising := _rising(access.op, loop)) is None or start.factors.keys() != {*rising}):
            return False
    reach = accesses[0].width
    for counter, factor in sorted(start.factors.items(), key=lambda part: abs(part[1])):
        if abs(factor) < reach:
            return False
        low, high = known.get(counter, INDEX)
        reach += abs(factor) * (high - low)
    return True


def _rising(store: Operation, loop: scf.ForOp) -> list[SSAValue] | None:
    if not isinstance(level := store.attributes.get(RISES), IntegerAttr):
        return None
    return [*loop.body.block.args[1 : counters_of(loop) - 2 * level.value.data + 2 : 2]]


def hardware_access(op: rtl.AccessOp, known: Mapping[SSAValue, Interval]) -> Access:
    """The access of an op to a hardware memory.

    known: intervals of addresses, which determine the range of bits that the access may touch.
    """
    width = cast("IntegerType[int, Any]", op.element.type).width.data
    low, high = known.get(op.address, INDEX)
    start = affine_sum(op.address).times(width)
    return Access(op, isinstance(op, rtl.StoreOp), op.memory, start, width, (low * width, (high + 1) * width))


def are_apart(first: rtl.AccessOp, second: rtl.AccessOp, known: Mapping[SSAValue, Interval]) -> bool:
    """Whether two accesses have no bit in common in any iteration. Their elements may have different widths.

    known: intervals of addresses.
    """
    return hardware_access(first, known).is_apart(hardware_access(second, known))


def forward(block: Block) -> None:
    """Replace each load in a block by the value that the block last stored to or loaded from its address, if there is
    one.
    """
    known: dict[SSAValue, list[tuple[AffineSum, SSAValue]]] = {}
    for op in list(block.ops):
        if op.regions:
            known.clear()
        elif isinstance(op, rtl.StoreOp):
            known[op.memory] = [(affine_sum(op.address), op.value)] if op.condition is None else []
        elif isinstance(op, rtl.LoadOp):
            here, values = affine_sum(op.address), known.setdefault(op.memory, [])
            same = (value for address, value in values if address == here and value.type == op.result.type)
            if (value := next(same, None)) is not None:
                Rewriter.replace_op(op, [], [value])
            else:
                values.append((here, op.result))
