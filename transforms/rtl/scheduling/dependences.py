"""Dependences through memories and streams between the ops of a block, within an iteration and across iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.transforms.rtl.scheduling.intervals import INDEX, Interval
from tinyml.transforms.rtl.scheduling.regions import counters_of


@dataclass(frozen=True)
class Edge:
    """A dependence: `later` of iteration k + distance begins at least a cycle after `earlier` of iteration k.

    carries: 1 if `later` uses the result of `earlier` and begins a cycle after it is available; else 0.
    """

    earlier: Operation
    later: Operation
    distance: int
    carries: int = 0


def edges(ops: Sequence[Operation], known: Mapping[SSAValue, Interval], loop: scf.ForOp | None = None) -> list[Edge]:
    """The dependences between accesses of memories and streams.

    known: intervals of addresses. loop: the loop whose body the ops are, unless they run once.
    """
    found: list[Edge] = []
    accesses = [op for op in ops if isinstance(op, rtl.LoadOp | rtl.StoreOp | rtl.ReceiveOp | rtl.SendOp)]
    for place, second in enumerate(accesses):
        for first in accesses[: place + 1]:
            found += _between(first, second, known, loop)
    return found


def _between(
    first: Operation, second: Operation, known: Mapping[SSAValue, Interval], loop: scf.ForOp | None
) -> Iterator[Edge]:
    stores = [isinstance(op, rtl.StoreOp) for op in (first, second)]
    if isinstance(first, rtl.LoadOp | rtl.StoreOp) and isinstance(second, rtl.LoadOp | rtl.StoreOp):
        if first.memory is not second.memory or not any(stores):
            return
        distance = NEVER if are_apart(first, second, known) else _distance(first, second, loop, known)
    elif type(first) is type(second):
        distance = None
    else:
        return
    if distance is None:
        if first is not second:
            yield Edge(first, second, 0)
        if loop is not None:
            yield Edge(second, first, 1)
    elif distance == 0 and first is not second:
        yield Edge(first, second, 0)
    elif 0 < distance < NEVER:
        yield Edge(first, second, distance)
    elif -NEVER < distance < 0:
        yield Edge(second, first, -distance)


NEVER = 1 << 31
"""The distance of accesses that never alias."""


def _distance(
    first: rtl.LoadOp | rtl.StoreOp,
    second: rtl.LoadOp | rtl.StoreOp,
    loop: scf.ForOp | None,
    known: Mapping[SSAValue, Interval],
) -> int | None:
    """Iterations from an access to the other one at the same address; None if unknown, `NEVER` if they do not alias."""
    if _elements(first) != _elements(second):
        return None
    counter = None if loop is None else loop.body.block.args[0]
    difference = terms(first.address)
    other = terms(second.address)
    slope = difference.get(counter, 0)
    if slope != other.get(counter, 0):
        return None
    for value, factor in other.items():
        difference[value] = difference.get(value, 0) - factor
    constant = difference.pop(None, 0)
    if any(factor for value, factor in difference.items() if value is not counter):
        return None
    if loop is None or counter is None:
        return NEVER if constant else 0
    step, trips = const_evaluate_operand(loop.step), trips_of(loop)
    if any(_inside(value, loop) for value in difference):
        return 0 if constant == 0 and _written_once(first, second, loop, known) else None
    if slope == 0 or step is None:
        return None if constant == 0 else NEVER
    if constant % (slope * step):
        return NEVER
    distance = constant // (slope * step)
    return NEVER if trips is not None and abs(distance) >= trips else distance


def are_apart(
    first: rtl.LoadOp | rtl.StoreOp, second: rtl.LoadOp | rtl.StoreOp, known: Mapping[SSAValue, Interval]
) -> bool:
    """True for accesses of the same memory that never alias, whatever the width of their elements."""
    (low, high), (other_low, other_high) = (_bits(op, known) for op in (first, second))
    return high <= other_low or other_high <= low


def _bits(op: rtl.LoadOp | rtl.StoreOp, known: Mapping[SSAValue, Interval]) -> Interval:
    """The half-open range of the bits of a memory that an access may touch."""
    low, high = known.get(op.address, INDEX)
    width = _elements(op).width.data
    return low * width, (high + 1) * width


def _elements(op: rtl.LoadOp | rtl.StoreOp) -> IntegerType[int, Any]:
    return cast("IntegerType[int, Any]", (op.result if isinstance(op, rtl.LoadOp) else op.value).type)


def _written_once(
    first: rtl.LoadOp | rtl.StoreOp,
    second: rtl.LoadOp | rtl.StoreOp,
    loop: scf.ForOp,
    known: Mapping[SSAValue, Interval],
) -> bool:
    """True for accesses of a flattened loop at the same address that no later iteration accesses after it is written.

    Each store happens when the counters of one or more outer loops advance, and the address differs for each of their
    values.
    """
    parts = terms(first.address)
    parts.pop(None, None)
    for store in (first, second):
        if not isinstance(store, rtl.StoreOp):
            continue
        if (rising := _rising(store, loop)) is None or {*parts} != {*rising}:
            return False
    reach = 1
    for counter, factor in sorted(parts.items(), key=lambda part: abs(part[1])):
        if counter is None or abs(factor) < reach:
            return False
        low, high = known.get(counter, INDEX)
        reach += abs(factor) * (high - low)
    return True


def _rising(store: rtl.StoreOp, loop: scf.ForOp) -> list[SSAValue] | None:
    """The counters of outer loops up to the one that advances when a store happens; None if there is none."""
    end = loop.body.block.last_op
    assert end is not None
    for place in range(0, counters_of(loop), 2):
        select = end.operands[place].owner
        following = select.lhs.owner if isinstance(select, arith.SelectOp) else None
        steps = [step.owner for step in following.operands] if isinstance(following, arith.AddiOp) else []
        if any(isinstance(step, arith.SelectOp) and step.cond is store.condition for step in steps):
            return [*loop.body.block.args[1 : place + 2 : 2]]
    return None


def trips_of(loop: scf.ForOp) -> int | None:
    bounds = [const_evaluate_operand(bound) for bound in (loop.lb, loop.ub, loop.step)]
    low, high, step = bounds
    return None if low is None or high is None or step is None else max(-(-(high - low) // step), 0)


def counts_from_zero(loop: scf.ForOp) -> bool:
    """True for a loop of a known number of iterations that counts from 0 by 1."""
    return (const_evaluate_operand(loop.lb), const_evaluate_operand(loop.step)) == (0, 1) and bool(trips_of(loop))


def _inside(value: SSAValue | None, loop: scf.ForOp) -> bool:
    """True for a value computed in an iteration, which may differ between iterations in an unknown way."""
    if value is None or value is loop.body.block.args[0]:
        return False
    return value.owner is loop.body.block or (
        isinstance(value.owner, Operation) and value.owner.parent is loop.body.block
    )


def terms(value: SSAValue) -> dict[SSAValue | None, int]:
    """An address as a sum of values with factors; the key None has the constant part."""
    if (constant := const_evaluate_operand(value)) is not None:
        return {None: constant}
    owner = value.owner
    if isinstance(owner, arith.AddiOp):
        total = terms(owner.lhs)
        for term, factor in terms(owner.rhs).items():
            total[term] = total.get(term, 0) + factor
        return total
    if isinstance(owner, arith.MuliOp) and (factor := const_evaluate_operand(owner.rhs)) is not None:
        return {term: factor * old for term, old in terms(owner.lhs).items()}
    return {value: 1}
