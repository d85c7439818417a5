"""Handlers of ONNX ops, a file per group."""

from importlib import import_module
from pkgutil import walk_packages


def load_handlers() -> None:
    """Import every file of handlers."""
    for module in walk_packages(__path__, f"{__name__}."):
        import_module(module.name)
