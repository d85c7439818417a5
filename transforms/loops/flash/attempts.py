"""Flash limits for successive attempts, until the built program keeps its own limit."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.own_attributes import UNIT, OwnAttribute, Place

SPENT_FLASH = OwnAttribute(
    "tinyml.spent_flash",
    {Place.MODULE: UNIT},
    "Flash was spent to save time: `code-forests` or `spend-flash` took more than the least.",
)


def next_attempt(program: ModuleOp, within: int, taken: int, limit: int) -> int | None:
    """The estimated flash, in bytes, that the next attempt may use; None if the last one already spent nothing.

    program: the last attempt, which took `taken` bytes when built, more than `limit`. within: the limit of its
    estimate. Estimates are off by a few percent.
    """
    return max(within - (taken - limit), 1) if SPENT_FLASH in program.attributes else None
