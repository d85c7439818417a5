"""Where an operation came from: its place in a file, and the operations of the source that it computes a part of.

Both stand in xDSL's location of an operation, which no comparison of operations looks at and only
`--print-debuginfo` prints: a place is a `FileLineColLoc`, and each name is a `NameLoc` around it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, LocationAttr, NameLoc, StringAttr
from xdsl.ir import Operation

from tinyml.dialects.errors import InputError


def named(location: LocationAttr, name: str) -> LocationAttr:
    """A location that is also a part of what has the name; inside of what has names already."""
    return NameLoc(StringAttr(name), location)


def source_names(op: Operation) -> tuple[str, ...]:
    """The names of the source's operations that an operation is a part of, the whole first and the smallest part last.

    An operation that a pass has made without saying for what belongs where its first user belongs; one without users
    where what it uses was made, or else where the operation around it belongs. Empty where nothing is known.
    """
    seen: set[Operation] = set()
    at: Operation | None = op
    while at is not None and at not in seen:
        seen.add(at)
        if names := _names(at.location):
            return names
        users = [use.operation for result in at.results for use in result.uses]
        if not users and (names := _names_of_operands(at)):
            return names
        at = users[-1] if users else at.parent_op()
    return ()


def _names_of_operands(op: Operation) -> tuple[str, ...]:
    owners = [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
    return next(filter(None, (_names(owner.location) or _names_of_operands(owner) for owner in owners)), ())


def _names(location: object) -> tuple[str, ...]:
    names: tuple[str, ...] = ()
    while isinstance(location, NameLoc):
        names = (location.desc.data, *names)
        location = location.location
    return names


def source_place(op: Operation) -> tuple[str, int, int] | None:
    """File, line and column of the nearest operation, from `op` outwards, whose place in a file is known."""
    at: Operation | None = op
    while at is not None:
        location: object = at.location
        while isinstance(location, NameLoc):
            location = location.location
        if isinstance(location, FileLineColLoc):
            return location.filename.data, location.line.data, location.column.data
        at = at.parent_op()
    return None


def error_at(op: Operation, message: str) -> InputError:
    """An error of the user at an operation, with its place in the file where that is known."""
    file, line, column = source_place(op) or (None, None, None)
    return InputError(message, file=file, line=line, column=column)
