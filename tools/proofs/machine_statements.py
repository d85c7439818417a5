"""Statements about the ops that all formats share, at the limits of registers and for every amount of a shift.

The operations of a format use only some intervals and some amounts of a shift. The statements of this module cover the
limits. For each integer op of `exact`, one statement has operands whose result is the last one that a register can
represent. Another statement has operands whose result is the first one that a register cannot represent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, SSAValue

from tinyml.dialects import exact
from tinyml.dialects.machine.bounds import Bounds, Wire
from tinyml.dialects.machine.machine import WIDTHS, Int, limits, width_for
from tinyml.tools.proofs.step_statements import StepStatement, steps_in
from tinyml.transforms.ir.intervals import Interval

REGISTERS = WIDTHS[:-1]
"""Each register with the next wider one."""

NARROW_LIMITS = (-127, 127)
"""Limits of results that saturate at 8 bits, which a function of the runtime supports."""

DIVISORS = (3, 9, 49, 100)
LEFT = (1, 2, 7, 8, 9, 15, 16)
"""Amounts of left shifts: bits, bytes and both."""


def machine_statements() -> Iterator[StepStatement]:
    """Yield all machine statements; ops without a computation have none."""
    block = Block()
    for width in REGISTERS:
        _at_limits(block, *limits(width))
        _by_amounts(block, width)
    for right in range(REGISTERS[-1] - 8):
        # The greatest operand whose result does not saturate, and the first whose result does.
        last = (NARROW_LIMITS[1] << right) + (1 << right >> 1) - 1
        for most in (last, last + 1):
            _add(block, exact.RescaleToOp, (-most, most), right, *NARROW_LIMITS)
    for past in (0, 1):
        low, high = NARROW_LIMITS[0] - past, NARROW_LIMITS[1] + past
        _add(block, exact.ClampOp, (low, high), *NARROW_LIMITS)
        for threshold in (low, low + 1, high, high + 1):
            _add(block, exact.AtLeastOp, NARROW_LIMITS, threshold)
        _add(block, exact.SumToOp, (low, high), 1, (0, 1), 1, *NARROW_LIMITS)
        _add(block, exact.ProductToOp, (low, high), (-1, 1), 0, *NARROW_LIMITS)
    yield from steps_in(block)


def _at_limits(block: Block, low: int, high: int) -> None:
    """Append ops whose results are at the ends of a register, and for each end an op whose result is one beyond it."""
    for past in (0, 1):
        _add(block, exact.AddOp, (0, high - 1 + past), (0, 1))
        _add(block, exact.AddOp, (low + 1 - past, 0), (-1, 0))
        _add(block, exact.SubOp, (0, high - 1 + past), (-1, 0))
        _add(block, exact.SubOp, (low + 1 - past, 0), (0, 1))
        _add(block, exact.MulOp, (-1, high // 2 + past), (0, 2))
        _add(block, exact.MulOp, (low // 2 - past, 1), (0, 2))
        for width in (8, 16):
            _add(block, exact.WrappedOp, (low - past, high + past), width)
        for divisor in DIVISORS:
            _add(block, exact.NearestQuotientOp, (low - past, high + past), divisor)


def _by_amounts(block: Block, width: int) -> None:
    """Append shifts and roundings by each amount. The operands fit in a register; some of them no longer fit after half
    a unit is added.
    """
    low, high = limits(width)
    for left in LEFT:
        if left < width - 1:
            for past in (0, 1):
                _add(block, exact.ShiftLeftOp, ((low >> left) - past, (high >> left) + past), left)
    for right in range(1, width):
        half = 1 << right - 1
        _add(block, exact.ShiftRightOp, (low, high), right)
        _add(block, exact.QuotientOp, (low, high), right)
        _add(block, exact.LowBitsOp, (low, high), right)
        for most in (high - half, high - half + 1):
            _add(block, exact.RescaleOp, (low, most), right)


def _add(block: Block, op: type[exact.RecordedOp], *given: Interval | int) -> None:
    """Append an op on new arguments of a block, unless it has no computation.

    given: the arguments of the machine's method, each operand as its interval.
    """
    widths = [width_for(*one) if isinstance(one, tuple) else 0 for one in given]
    made: Int[Any] | Wire = getattr(Bounds(), op.METHOD)(
        *(
            Int(Wire(width), width, *one) if isinstance(one, tuple) else one
            for one, width in zip(given, widths, strict=True)
        )
    )
    if (made.value if isinstance(made, Int) else made).constant is not None:
        return
    arguments: list[SSAValue | int] = []
    for one, width in zip(given, widths, strict=True):
        if isinstance(one, tuple):
            within = exact.WithinOp(block.insert_arg(IntegerType(width), len(block.args)), *one)
            block.add_op(within)
            arguments.append(within.result)
        else:
            arguments.append(one)
    block.add_op(op(arguments, made))
