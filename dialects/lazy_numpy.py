"""numpy, imported on first use, because its import takes longer than everything else that `tinyml-opt --help` executes.

Modules that need numpy only for some inputs import it at their top as follows:

    from tinyml.dialects.lazy_numpy import np

A module that always needs numpy (`numpy_machine`) imports it as usual, and is itself imported on demand.
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
