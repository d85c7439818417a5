"""Expansion of `exact` ops: each op calls its `Machine` method on a machine that emits `arith` ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from tinyml.dialects.exact.recorded import IntegerOp, RecordedOp, WithinOp, integer_of
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.machine.emitter import EmissionContext, EmittedOp, Emitter
from tinyml.dialects.machine.machine import Int
from tinyml.dialects.operations import width_of
from tinyml.dialects.rewriting import Rewriter

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Expander(Emitter):
    """The machine that emits `arith` ops in place of one op. Instead of creating a constant for a look-up table, it
    uses the next table operand of the op.
    """

    def __init__(self, op: RecordedOp | WithinOp, context: EmissionContext):
        super().__init__(op, context)
        self.tables = iter(op.given_tables if isinstance(op, RecordedOp) else ())

    def table(self, name: str, table: NDArray[np.signedinteger[Any]]) -> SSAValue:
        return next(self.tables)


def expand(function: FuncOp, context: EmissionContext) -> None:
    """Replace the ops of `exact`, and of the dialects that formats define, by `arith` ops on registers."""
    emitted: dict[SSAValue, Int[SSAValue]] = {}

    def operand(value: SSAValue) -> Int[SSAValue]:
        return emitted[value] if value in emitted else integer_of(value)

    recorded = [op for op in function.walk() if isinstance(op, RecordedOp | WithinOp)]
    for op in recorded:
        [result] = op.results
        emitter, width = _Expander(op, context), width_of(result)
        made = op.computed(emitter, operand) if isinstance(op, RecordedOp) else operand(op.value)
        if isinstance(made, Int):
            assert isinstance(op, IntegerOp)
            # After constant folding, the proven interval of a result may be wider than that implied by its operands.
            made = Int(emitter.held(made, width), width, *op.interval.ends)
        else:
            made = Int(made, width, 0, 1)
        made.value.name_hint = made.value.name_hint or result.name_hint
        emitted[result] = made
    for op in recorded:
        op.results[0].replace_all_uses_with(emitted[op.results[0]].value)
    for op in recorded:
        Rewriter.erase_op(op)
    for op in [op for op in function.walk() if isinstance(op, EmittedOp)]:
        values = op.emit(Emitter(op, context))
        for result, value in zip(op.results, values, strict=True):
            value.name_hint = value.name_hint or result.name_hint
            result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
