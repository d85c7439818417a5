"""Handlers of ONNX ops, a file for each group of them."""

from importlib import import_module
from pkgutil import iter_modules


def load_handlers() -> None:
    """Import every file of handlers."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
