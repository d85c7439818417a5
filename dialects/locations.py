"""Locations of operations: a position in a file, and the source operations that an operation is part of.

Both are stored in the location attribute of every operation; comparisons ignore it, and only `--print-debuginfo` prints
it. A position is a `FileLineColLoc`, and each name is a `NameLoc` around it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, LocationAttr, NameLoc, StringAttr
from xdsl.ir import Operation

from tinyml.dialects.errors import InputError


def named(location: LocationAttr, name: str) -> LocationAttr:
    """The location wrapped in one more name; the innermost part is last."""
    return NameLoc(StringAttr(name), location)


def place(location: LocationAttr) -> LocationAttr:
    """The location without its names: the callee of a call location, the first of a fused one."""
    match location:
        case NameLoc():
            return place(cast(LocationAttr, location.location))
        case CallSiteLoc():
            return place(cast(LocationAttr, location.callee))
        case FusedLoc(locations=ArrayAttr(data=(first, *_))):
            return place(cast(LocationAttr, first))
        case _:
            return location


def source_names(op: Operation) -> tuple[str, ...]:
    """Names of the source operations that an operation is part of, from the whole to the smallest part.

    An operation that a pass created without a name inherits the names of its first user; without users, those of its
    operands; otherwise those of its parent. Empty if no name is known.
    """
    return SourceNames().of(op)


class SourceNames:
    """The `source_names` of ops in a program that does not change in the meantime, each found once."""

    def __init__(self) -> None:
        self._known: dict[Operation, tuple[str, ...]] = {}
        self._places: dict[Operation, dict[Operation, int]] = {}

    def of(self, op: Operation) -> tuple[str, ...]:
        known = self._known
        names, seen = (), list[Operation]()
        current: Operation | None = op
        while current is not None and not names:
            if current in known:
                names = known[current]
                break
            # A cycle of users ends here.
            known[current] = ()
            seen.append(current)
            names = _names(current.location)
            if not names:
                users = [use.operation for result in current.results for use in result.uses]
                names = () if users else _names_of_operands(current)
                current = self._first(users) if users else current.parent_op()
        known.update(dict.fromkeys(seen, names))
        return names

    def _first(self, users: Sequence[Operation]) -> Operation:
        """The first user of an op in program order; the order of its uses depends on earlier passes."""
        different = set(users)
        around = _common(users) if len(different) > 1 else None
        if around is None or around in different:
            return users[0] if around is None else around
        inside: dict[Operation, list[Operation]] = {}
        for user in different:
            inside.setdefault(_directly_inside(around, user), []).append(user)
        return self._first(inside[min(inside, key=self._places_in(around).__getitem__)])

    def _places_in(self, op: Operation) -> Mapping[Operation, int]:
        """The place of each op directly in the regions of an op."""
        if op not in self._places:
            ops = (inner for region in op.regions for block in region.blocks for inner in block.ops)
            self._places[op] = {inner: place for place, inner in enumerate(ops)}
        return self._places[op]


def _directly_inside(around: Operation, op: Operation) -> Operation:
    """The direct child of `around` that is, or contains, an op."""
    while (parent := op.parent_op()) is not None and parent is not around:
        op = parent
    return op


def _common(users: Sequence[Operation]) -> Operation | None:
    """The innermost op that contains all users, which may be one of them."""
    around: Operation | None = users[0]
    while around is not None and not all(around.is_ancestor(user) for user in users):
        around = around.parent_op()
    return around


def _names_of_operands(op: Operation) -> tuple[str, ...]:
    owners = [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
    return next(filter(None, (_names(owner.location) or _names_of_operands(owner) for owner in owners)), ())


def _names(location: object) -> tuple[str, ...]:
    names: tuple[str, ...] = ()
    while isinstance(location, NameLoc):
        names = (location.desc.data, *names)
        location = location.location
    return names


def source_location(op: Operation) -> tuple[str, int, int] | None:
    """File, line and column of the nearest operation, from `op` outwards, that has a position in a file."""
    current: Operation | None = op
    while current is not None:
        location = place(current.location)
        if isinstance(location, FileLineColLoc):
            return location.filename.data, location.line.data, location.column.data
        current = current.parent_op()
    return None


def error_at(op: Operation, message: str, kind: type[InputError] = InputError) -> InputError:
    """An error of a kind at an operation, with its position in the file if known."""
    file, line, column = source_location(op) or (None, 0, 0)
    # Binary models have no lines; line numbers count from 1.
    return kind(message, file=file, line=line or None, column=column or None)
