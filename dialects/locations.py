"""Locations of operations: a position in a file, the layer of the user's model, and the name of the source operation.

The location attribute of every operation stores all three. Comparisons of operations ignore this attribute, and only
`--print-debuginfo` prints it.

* A position is a `FileLineColLoc`.
* A layer is a `NameLoc` around the position, as MLIR's importers create it: `loc("conv1"("model.onnx":0:0))`.
* A name is the metadata of a `FusedLoc`: `loc(fused<"y = relu(x)">["conv1"("model.onnx":0:0)])`.

Position and layer are the *origin* of an operation. Every operation that is derived from it has the same origin. When
tensors are lowered to buffers, each operation is also assigned a name. Only the operations into which it is lowered
inherit this name. An operation that a pass creates from several operations has a `FusedLoc` of their origins.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Operation

from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import provider

MAX_LAYERS = 8
"""Maximum number of layers that a message or a row of a report names."""


def file_location(file: str) -> LocationAttr:
    """The location of an object in a file whose format has no lines: line 0, column 0."""
    return FileLineColLoc(StringAttr(file), IntAttr(0), IntAttr(0))


def in_layer(location: LocationAttr, layer: str) -> LocationAttr:
    """`location` with the layer `layer` of the user's model added to it; `location` itself if `layer` is empty."""
    return NameLoc(StringAttr(layer), location) if layer else location


def named(location: LocationAttr, name: str) -> LocationAttr:
    """The location, extended by the name of an operation. If the location already has a name, the result has both
    names.
    """
    return FusedLoc((location,), StringAttr(name))


def is_named(location: LocationAttr) -> bool:
    return isinstance(location, FusedLoc) and isinstance(location.metadata, StringAttr)


def origin(location: LocationAttr) -> LocationAttr:
    """The location without names of operations: only the position in the file and the layer."""
    return origin(_parts(location)[0]) if is_named(location) else location


def fused(locations: Iterable[LocationAttr]) -> LocationAttr:
    """The location of an operation that a pass creates from several operations.

    It consists of the origins of all these operations and the name of the first one.
    """
    first, *others = locations
    if is_named(first):
        name = cast(StringAttr, cast(FusedLoc, first).metadata).data
        return named(fused((_parts(first)[0], *others)), name)
    origins = dict[LocationAttr, None]()
    for each in (first, *map(origin, others)):
        several = isinstance(each, FusedLoc) and each.metadata == NoneAttr()
        origins |= dict.fromkeys(_parts(each) if several else (each,))
    known = [each for each in origins if not isinstance(each, UnknownLoc)]
    return FusedLoc(tuple(known), NoneAttr()) if len(known) > 1 else next(iter(known), UnknownLoc())


def layers(location: LocationAttr) -> tuple[str, ...]:
    """The layers of the user's model in a location, without repetitions.

    After the first `MAX_LAYERS` names, "others" stands for all remaining names.
    """
    found = dict[str, None]()
    for layer in _layers(location):
        # Thousands of layers that one loop computes would be listed again for each op of that loop.
        if layer not in found and len(found) == MAX_LAYERS:
            return (*found, "others")
        found[layer] = None
    return tuple(found)


def _layers(location: LocationAttr) -> Iterator[str]:
    if isinstance(location, NameLoc):
        yield location.desc.data
        return
    for part in _parts(location):
        yield from _layers(part)


def place(location: LocationAttr) -> LocationAttr:
    """The innermost location that contains a position in a file: `location` itself or a location nested in it.

    In a call location, the location of the callee is searched; in a fused location, the first of its parts.
    """
    parts = _parts(location)
    return place(parts[0]) if parts else location


def _parts(location: LocationAttr) -> Sequence[LocationAttr]:
    """The locations nested directly in a location, in the order in which they are searched for a position; empty for a
    position in a file.
    """
    match location:
        case NameLoc():
            return (cast(LocationAttr, location.location),)
        case CallSiteLoc():
            return (cast(LocationAttr, location.callee), cast(LocationAttr, location.caller))
        case FusedLoc(locations=ArrayAttr(data=parts)):
            return cast("Sequence[LocationAttr]", parts)
        case _:
            return ()


def source_names(op: Operation) -> tuple[str, ...]:
    """The names of the source operations from which an operation is derived, from the outermost to the innermost.

    An operation without a name, which a pass created, has the names of its first user. If it has no users, it has the
    names of its operands, or else those of its parent. The result is empty if no name is known.
    """
    return SourceNames().of(op)


class SourceNames:
    """A cache of `source_names` for a program that is not modified while the cache is used."""

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
        """The first of the users in program order. The order of xDSL's `uses` is not suitable, because it depends on
        earlier passes.
        """
        different = set(users)
        around = _common(users) if len(different) > 1 else None
        if around is None or around in different:
            return users[0] if around is None else around
        inside: dict[Operation, list[Operation]] = {}
        for user in different:
            inside.setdefault(_directly_inside(around, user), []).append(user)
        return self._first(inside[min(inside, key=self._places_in(around).__getitem__)])

    def _places_in(self, op: Operation) -> Mapping[Operation, int]:
        if op not in self._places:
            ops = (inner for region in op.regions for block in region.blocks for inner in block.ops)
            self._places[op] = {inner: place for place, inner in enumerate(ops)}
        return self._places[op]


def _directly_inside(around: Operation, op: Operation) -> Operation:
    """The ancestor of `op`, or `op` itself, that is directly in a region of `around`."""
    while (parent := op.parent_op()) is not None and parent is not around:
        op = parent
    return op


def _common(users: Sequence[Operation]) -> Operation | None:
    """The innermost op that contains all users, where an op also contains itself; None if there is no such op."""
    around: Operation | None = users[0]
    while around is not None and not all(around.is_ancestor(user) for user in users):
        around = around.parent_op()
    return around


def _names_of_operands(op: Operation) -> tuple[str, ...]:
    owners = [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
    return next(filter(None, (_names(owner.location) or _names_of_operands(owner) for owner in owners)), ())


def _names(location: LocationAttr) -> tuple[str, ...]:
    names: tuple[str, ...] = ()
    while is_named(location):
        names = (cast(StringAttr, cast(FusedLoc, location).metadata).data, *names)
        location = _parts(location)[0]
    return names


def source_location(op: Operation) -> tuple[str, int, int] | None:
    """The file, the line and the column of an op; None if no position is known.

    The position is that of `op` or else of the innermost enclosing op with a position in a file.
    """
    current: Operation | None = op
    while current is not None:
        location = place(current.location)
        if isinstance(location, FileLineColLoc):
            return location.filename.data, location.line.data, location.column.data
        current = current.parent_op()
    return None


def layers_of(op: Operation) -> tuple[str, ...]:
    """The layers of the user's model to which an op belongs.

    They are the layers of `op` or else of the innermost enclosing op with known layers.
    """
    current: Operation | None = op
    while current is not None and not layers(current.location):
        current = current.parent_op()
    return () if current is None else layers(current.location)


def error_at(op: Operation, message: str, kind: type[InputError] = InputError) -> InputError:
    """An error of class `kind` at an operation. It states the position in the file if known, otherwise the layer."""
    file, line, column = source_location(op) or (None, 0, 0)
    # Binary models have no lines; line numbers count from 1.
    if not line and (names := layers_of(op)):
        message = f"{', '.join(names)}: {message}"
    return kind(message, file=file, line=line or None, column=column or None)


def not_supported(op: Operation, lacking: str) -> InputError:
    """The error for an op without what `lacking`, the end of the message, states. It names the plug-in of the op."""
    plugin = provider(type(op).__module__)
    return error_at(op, f"{'' if plugin is None else f'{plugin}: '}{op.name} is not supported yet{lacking}")


@contextmanager
def errors_at(op: Operation) -> Generator[None]:
    """Locate each `InputError` without a file that is raised in the context at an operation, by `error_at`."""
    try:
        yield
    except InputError as error:
        if error.file is not None:
            raise
        raise error_at(op, f"{op.name}: {error.message}", type(error)) from error
