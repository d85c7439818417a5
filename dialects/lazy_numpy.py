"""numpy, imported when it is first used: importing it takes longer than everything that `tinyml-opt --help` runs.

Files that only sometimes compute say so once, at their top:

    from tinyml.dialects.lazy_numpy import np

A module that cannot do without numpy (`numpy_machine`) imports it as usual, and is imported where it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _LazyModule:
        """A stand-in for a module, which keeps each attribute once it has been looked up."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            value = getattr(import_module(self._name), attribute)
            setattr(self, attribute, value)
            return value

    np = _LazyModule("numpy")

__all__ = ["np"]
