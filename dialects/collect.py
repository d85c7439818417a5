"""Construction of a dialect from the exports of its package, so that no list names its ops a second time."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Attribute, Dialect, Operation


def dialect_of(name: str, exports: Mapping[str, object]) -> Dialect:
    """A dialect of the ops and attributes among the names of its package, sorted by class name.

    exports: the package's `globals()`, in which classes of other packages do not count.
    """
    classes = [
        member
        for member in exports.values()
        if isinstance(member, type)
        and member.__module__.startswith(f"{exports['__name__']}.")
        and "name" in vars(member)
    ]
    classes.sort(key=lambda member: member.__name__)
    operations = [member for member in classes if issubclass(member, Operation)]
    attributes = [member for member in classes if issubclass(member, Attribute)]
    return Dialect(name, operations, attributes)
