"""Construction of an xDSL dialect from the classes that a Python package exports, so that no list of ops is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from xdsl.ir import Attribute, Dialect, Operation


class _CompletedDialect(Dialect):
    """A dialect whose ops and attributes are defined in two places: some in a package, the others in an optional
    extension.

    The extension is imported when the list of all ops or attributes is requested.
    """

    def __init__(self, name: str, exports: Mapping[str, object], others: Callable[[], Mapping[str, object]]) -> None:
        super().__init__(name)
        self._exports, self._others = exports, others

    @cached_property
    def _whole(self) -> Dialect:
        return dialect_of(self.name, {**self._others(), **self._exports})

    @property
    def operations(self) -> Iterator[type[Operation]]:
        return self._whole.operations

    @property
    def attributes(self) -> Iterator[type[Attribute]]:
        return self._whole.attributes


def dialect_of(
    name: str, exports: Mapping[str, object], others: Callable[[], Mapping[str, object]] | None = None
) -> Dialect:
    """The dialect `name` with the ops and attributes that a package exports, each sorted by class name.

    exports: the package's `globals()`. Classes that other packages define are ignored.
    others: returns the exports of an optional extension with further ops and attributes of the dialect. It is called
        when the list of the dialect's ops or attributes is first requested.
    """
    if others is not None:
        return _CompletedDialect(name, exports, others)
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
