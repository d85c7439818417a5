"""The contents of the arena over time, for the report of a compiled model."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import source_names
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.transforms.buffers.liveness.live_ranges import Placed, arena_views, memory_map, program_points
from tinyml.transforms.buffers.packing import FIRST_FIT, Proof


def memory_report(buffers: ModuleOp) -> dict[str, Any]:
    """The arena of a packed program at L2, in bytes. Operations get names (`name_operations`).

    `height`: the size of the arena.
    `lower_bound`: a lower bound on the size for any packing; 0 if there is none.
    `proof`: the reason for the bound: the need at the peak, or a search.
    `checked`: the algorithm that verified the bound; None if none did.
    `packer`: the algorithm that packed the buffers.
    `peak`: the program point with the most live bytes, with its operation and buffers. If it is the point at which the
        caller writes the input, the operation is the first one.
    `waste`: the free bytes at the peak.
    `map`: the offset and size of each buffer, and the program points `first` to `last` at which it is live. `ring` is
        set if a buffer stores only the last rows or pixels of an image. `overlaps` lists the bytes that a buffer shares
        with earlier buffers, whose elements it replaces one by one.

    Raises `InputError` for views without a live range.
    """
    name_operations(buffers)
    function = defined_functions(buffers)[0]
    arenas = [op for op in function.walk() if isinstance(op, scratch.ArenaOp)]
    contents = [_contents(view.result) for view in arena_views(function)]
    boxes = [box._replace(name=name) for name, box in zip(contents, memory_map(function), strict=True)]
    peak, shared = fullest(boxes), overlaps(boxes)
    most = occupied(boxes, peak)
    height = sum(arena.size for arena in arenas)
    return {
        "height": height,
        "lower_bound": sum(arena.lower_bound.value.data for arena in arenas if arena.lower_bound is not None),
        "proof": next((arena.proof.data for arena in arenas if arena.proof is not None), Proof.PEAK.value),
        "packer": next((arena.packer.data for arena in arenas if arena.packer is not None), FIRST_FIT),
        "checked": next((arena.checked.data for arena in arenas if arena.checked is not None), None),
        "waste": height - most,
        "peak": {
            "point": peak,
            "operation": " / ".join(source_names(program_points(function)[max(peak, 0)])),
            "bytes": most,
            "buffers": [{"buffer": box.name, "bytes": box.size} for box in boxes if box.first <= peak <= box.last],
        },
        "map": [
            {
                "buffer": box.name,
                "offset": box.offset,
                "bytes": box.size,
                "first": box.first,
                "last": box.last,
                "ring": _ring(view),
                "overlaps": [{"buffer": each.under.name, "bytes": each.size} for each in shared if each.over is box],
            }
            for box, view in zip(boxes, arena_views(function), strict=True)
        ],
    }


def _ring(view: scratch.ViewOp) -> dict[str, Any] | None:
    """The number of rows or pixels in a ring buffer, and in the whole image; None for other buffers."""
    image = view.attributes.get(tdsl.RING)
    if image is None:
        return None
    height, width = cast("DenseArrayBase[IntegerType]", image).get_values()
    _, rows, columns, _ = tdsl.shape_of(view.result)
    if columns == width:
        return {"held": rows, "of": height, "by": "rows"}
    return {"held": columns, "of": height * width, "by": "pixels"}


def _contents(buffer: SSAValue) -> str:
    if buffer.name_hint is not None:
        return buffer.name_hint
    for user in (use.operation for use in buffer.uses):
        if isinstance(user, tdsl.TensorOp) and user.dest is buffer:
            return source_names(user)[-1]
    return next((_contents(op.result) for use in buffer.uses if isinstance(op := use.operation, scratch.SliceOp)), "?")


def occupied(boxes: Sequence[Placed], point: int) -> int:
    """The number of bytes in use at a program point; bytes shared by two buffers count once."""
    total = top = 0
    for start, end in sorted((box.offset, box.offset + box.size) for box in boxes if box.first <= point <= box.last):
        total += max(end - max(start, top), 0)
        top = max(top, end)
    return total


class SharedBytes(NamedTuple):
    """The `size` bytes from `offset` on that two boxes share from point `first` to `last`.

    under: the box that begins earlier.
    over: the box that begins later, such as a result whose elements replace the elements of an operand.
    """

    over: Placed
    under: Placed
    offset: int
    size: int
    first: int
    last: int


def overlaps(boxes: Sequence[Placed]) -> list[SharedBytes]:
    """The bytes that boxes share while both are live. Of two boxes that begin together, the first in `boxes` is
    `under`.
    """
    shared: list[SharedBytes] = []
    earlier: list[Placed] = []
    for over in sorted(boxes, key=lambda box: box.first):
        earlier = [box for box in earlier if over.first <= box.last]
        for under in earlier:
            low, high = max(over.offset, under.offset), min(over.offset + over.size, under.offset + under.size)
            if low < high:
                shared.append(SharedBytes(over, under, low, high - low, over.first, min(over.last, under.last)))
        earlier.append(over)
    return shared


def fullest(boxes: Sequence[Placed]) -> int:
    """The earliest program point at which the most bytes are in use; 0 without boxes."""
    needs = needs_at(boxes, sorted({box.first for box in boxes}))
    return max(needs, key=needs.__getitem__, default=0)


def needs_at(boxes: Sequence[Placed], points: Sequence[int]) -> Mapping[int, int]:
    """The bytes in use at each of some program points in ascending order."""
    needs: dict[int, int] = {}
    coming, alive = deque(sorted(boxes, key=lambda box: box.first)), list[Placed]()
    for point in points:
        while coming and coming[0].first <= point:
            alive.append(coming.popleft())
        alive = [box for box in alive if point <= box.last]
        needs[point] = occupied(alive, point)
    return needs
