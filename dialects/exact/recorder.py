"""A machine that records each operation of a format as an op of `exact`. `lower-exact-to-arith` expands these ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.exact import EXACT
from tinyml.dialects.exact.ops import SubOp
from tinyml.dialects.exact.recorded import RecordedOp, WithinOp, integer_of
from tinyml.dialects.machine.bounds import Bounds, Wire
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.machine.machine import Int, limits

SIGNED_GREATER = 4
"""The predicate `sgt` of arith.cmpi."""


class Recorder(Emitter):
    """A machine that inserts ops before a given op: an `exact` op if the operation has one, otherwise `arith` ops.

    An operation that needs no computation inserts no op: its result is an operand or a constant.
    """

    def known(self, value: SSAValue) -> tuple[int, int] | None:
        return super().known(value) or self._known_greater(value)

    def _known_greater(self, value: SSAValue) -> tuple[int, int] | None:
        """The interval (least, greatest) of a value that is the maximum of two others, computed by `arith.select`; None
        for any other value.

        If one of the two values is the negation of the other, the maximum is their magnitude, so that the interval
        begins at 0 or above.
        """
        if not isinstance(owner := value.owner, arith.SelectOp) or not isinstance(owner.cond.owner, arith.CmpiOp):
            return None
        lhs, rhs = owner.lhs, owner.rhs
        if owner.cond.owner.predicate.value.data != SIGNED_GREATER or [*owner.cond.owner.operands] != [lhs, rhs]:
            return None
        intervals = [self.known(side) or limits(self.width_of(side)) for side in (lhs, rhs)]
        low, high = (max(ends) for ends in zip(*intervals, strict=True))
        return (max(low, 0) if _is_negative_of(lhs, rhs) or _is_negative_of(rhs, lhs) else low), high

    def operand(self, x: Int[SSAValue]) -> SSAValue:
        """A register whose stated interval is that of `x`: the register of `x`, or the result of an inserted
        `exact.within`.
        """
        stated = integer_of(x.value)
        if (stated.low, stated.high) == (x.low, x.high):
            return x.value
        within = self.insert(WithinOp(x.value, x.low, x.high))
        within.name_hint = x.value.name_hint
        return within


def _recording(op: type[RecordedOp]) -> Callable[..., Any]:
    def record(self: Recorder, *arguments: Any) -> Any:
        bounds = Bounds(cast(Any, self.known))
        made: Int[Any] | Wire = getattr(bounds, op.METHOD)(*arguments)
        value = made.value if isinstance(made, Int) else made
        if not isinstance(value, Wire):
            return made
        if value.constant is not None and isinstance(made, Int):
            return Int(self.int_constant(value.constant, made.width), made.width, made.low, made.high)
        for function in bounds.functions:
            self.context.declare(function)
        tables = [self.context.table(*one) for one in bounds.tables]
        given = [self.operand(cast("Int[SSAValue]", one)) if isinstance(one, Int) else one for one in arguments]
        result = self.insert(op(given, made, tables))
        return Int(result, made.width, made.low, made.high) if isinstance(made, Int) else result

    return record


def _is_negative_of(value: SSAValue, other: SSAValue) -> bool:
    op = value.owner
    if isinstance(op, arith.SubiOp):
        return op.rhs is other and const_evaluate_operand(op.lhs) == 0
    if not isinstance(op, SubOp) or const_evaluate_operand(op.a) != 0 or op.b.type != value.type:
        return False
    return (op.b.owner.value if isinstance(op.b.owner, WithinOp) else op.b) is other


for step in EXACT.operations:
    if issubclass(step, RecordedOp):
        setattr(Recorder, step.METHOD, _recording(step))
