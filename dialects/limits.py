"""Limits on an input program: on the elements of its tensors and on the steps of its loops."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar
from math import prod

ELEMENT_LIMIT: ContextVar[int] = ContextVar("ELEMENT_LIMIT", default=5 * 10**7)
"""Maximum elements of an array in a file, of a tensor in a program, and of all constants of a module together.

The default admits the 60000 training images of MNIST, 784 pixels each: 0.6 GB as float64 with a copy as float32.
`--max-elements`, an option of every command, sets it.
"""


_ELEMENTS_PER_STEP = 200


def step_limit() -> int:
    """The maximum number of operations that the loops of a program may execute in one inference: 250,000 by default.

    The limit is proportional to `ELEMENT_LIMIT`. At the limit, one inference takes some seconds, both in the evaluator
    on a desktop computer and on a microcontroller.
    """
    return ELEMENT_LIMIT.get() // _ELEMENTS_PER_STEP


def counted_elements(shape: Iterable[int]) -> int:
    """The number of elements of a tensor with this shape, for a comparison with `ELEMENT_LIMIT`.

    An axis of length 0, or of unknown length, counts as 1, because numpy rejects an empty array whose other axes are
    too long.
    """
    return prod(max(extent, 1) for extent in shape)
