"""Chips of packages that still set the fields which `Chip.makers` replaces; gone with the next version."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from tinyml.targets import kernel
from tinyml.targets.makers import FarConstants, ForestCoder, ListedKernels, RowCoder, SumComposer
from tinyml.targets.nests import Maker

C = TypeVar("C")

PAGE = "see 'One question to a chip' in the documentation's 'Changes for packages'"

_MAKERS: Mapping[str, Callable[[Any], Sequence[Maker]]] = {
    "kernels": lambda kernels: [ListedKernels(kernels)] if kernels else [],
    "compose": lambda compose: [SumComposer(compose)],
    "tiles": list,
    "coder": lambda coder: [] if coder is None else [coder],
    "tile_coders": list,
    "forests": list,
    "far": lambda far: [] if far is None else [far],
}
"""The rows of a table for the value of each field, in the order of the table."""


for _moved in (RowCoder, ForestCoder, FarConstants):
    # Packages import these from where they were.
    setattr(kernel, _moved.__name__, _moved)


def takes_former_fields(usual: Sequence[Maker]) -> Callable[[type[C]], type[C]]:
    """A decorator of the class of chips, which makes `makers` of former fields and warns with the page of the change.

    usual: the rows of a chip that says nothing about forests.
    """

    def decorated(chip: type[C]) -> type[C]:
        initialise = chip.__init__

        @wraps(initialise)
        def __init__(self: C, *values: Any, **fields: Any) -> None:
            if given := [name for name in _MAKERS if name in fields]:
                warnings.warn(
                    f"a Chip lists its kernels in `makers` and no longer has {', '.join(given)}: {PAGE}",
                    DeprecationWarning,
                    stacklevel=2,
                )
                rest = fields.get("makers", () if "forests" in given else usual)
                fields["makers"] = (*(maker for name in given for maker in _MAKERS[name](fields.pop(name))), *rest)
            initialise(self, *values, **fields)

        chip.__init__ = __init__
        return chip

    return decorated
