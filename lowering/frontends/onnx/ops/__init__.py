"""Handlers of ONNX ops, one file per group of ops."""

from importlib import import_module
from pkgutil import walk_packages


def load_handlers() -> None:
    """Import every module of handlers, which registers them."""
    for module in walk_packages(__path__, f"{__name__}."):
        import_module(module.name)
