"""The limits of a program on flash, for successive attempts until it keeps its own when it is built, and on RAM."""

from __future__ import annotations

import math

from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.own_attributes import UNIT, OwnAttribute, Place
from tinyml.targets.registry import board

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
    return max(within - (taken - limit), 1) if within > 1 and SPENT_FLASH in program.attributes else None


def ram_limit(module: ModuleOp, target: str, ram: int | None) -> float:
    """The limit on RAM in bytes: the least of an option's and of a search's, or else the RAM of the board."""
    functions = defined_functions(module)
    searched = [function.attributes[tdsl.RAM] for function in functions if tdsl.RAM in function.attributes]
    limits = [ram, *(limit.value.data for limit in searched if isinstance(limit, IntegerAttr))]
    given = [limit for limit in limits if limit is not None]
    return min(given, default=board(target).ram or math.inf)
