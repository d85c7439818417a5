"""The limits of a program on flash and RAM.

The limit on estimated flash is lowered in successive attempts until the built program fits.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from tinyml.dialects import tdsl
from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, integer
from tinyml.dialects.functions import defined_functions
from tinyml.targets.registry import board

SPENT_FLASH = DiscardableAttribute(
    "tinyml.spent_flash",
    {HolderKind.MODULE: integer(1)},
    "The estimated flash of the program in bytes, if `code-forests` or `spend-flash` spent flash to save time.",
)


def spend(program: ModuleOp, flash: float) -> None:
    """Record, as an attribute of the program, the flash that it needs with the choices of `spend-flash`.

    flash: the estimated size of the program in bytes.
    """
    program.attributes[SPENT_FLASH] = IntegerAttr(math.ceil(flash), i64)


def next_attempt(program: ModuleOp, within: int, taken: int, limit: int) -> int | None:
    """A lower limit, in bytes, on the estimated flash of the next attempt. None if the last attempt used no flash for
    speed, or if its limit was at most one byte.

    Estimates are off by a few percent. The next attempt always yields a different program.

    program: the last attempt.
    within: the limit on the estimated flash of the last attempt.
    taken: the bytes of flash that the last attempt occupied after it was built; this number exceeds `limit`.
    limit: the limit on the flash of the built program.
    """
    spent = program.attributes.get(SPENT_FLASH)
    if within <= 1 or not isinstance(spent, IntegerAttr):
        return None
    return max(min(within - (taken - limit), spent.value.data - 1), 1)


def ram_limit(module: ModuleOp, target: str, ram: int | None) -> float:
    """The limit on RAM in bytes: the least of the option `ram` and the limits that a search recorded (`tdsl.ram`).
    Without any of them, the RAM of the board, or infinity if that is unknown.
    """
    functions = defined_functions(module)
    searched = [function.attributes[tdsl.RAM] for function in functions if tdsl.RAM in function.attributes]
    limits = [ram, *(limit.value.data for limit in searched if isinstance(limit, IntegerAttr))]
    given = [limit for limit in limits if limit is not None]
    return min(given, default=board(target).ram or math.inf)
