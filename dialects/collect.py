"""Construction of dialects from the modules that define their ops and attributes."""

from __future__ import annotations

from types import ModuleType

from xdsl.ir import Attribute, Dialect, Operation


def dialect_of(name: str, *modules: ModuleType) -> Dialect:
    """A dialect of the ops and attributes that the modules define, sorted by class name."""
    classes = [
        member
        for module in modules
        for member in vars(module).values()
        if isinstance(member, type) and member.__module__ == module.__name__ and "name" in vars(member)
    ]
    classes.sort(key=lambda member: member.__name__)
    operations = [member for member in classes if issubclass(member, Operation)]
    attributes = [member for member in classes if issubclass(member, Attribute)]
    return Dialect(name, operations, attributes)
