"""numpy, imported on first use, because its import takes longer than everything else that `tinyml-opt --help` executes.

A module of this package imports it as follows:

    from tinyml.dialects.lazy_numpy import np
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _LazyModule:
        """A proxy that imports a module when one of its attributes is first used, and caches the attributes."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            value = getattr(import_module(self._name), attribute)
            setattr(self, attribute, value)
            return value

    np = _LazyModule("numpy")

__all__ = ["np"]
