"""The contents of the arena over time, for the report of a compiled model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import source_names
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.tools.reports.memory_picture import draw_memory, fullest, occupied, overlaps
from tinyml.tools.reports.svg import Drawing
from tinyml.transforms.buffers.liveness.live_ranges import Placed, arena_views, memory_map, program_points


def memory_report(buffers: ModuleOp) -> dict[str, Any]:
    """The arena of a packed program at L2, in bytes.

    `height`; `lower_bound` of any packing; `peak`, the program point at which the most bytes are alive, with its
    operation (the first, if it is the point before, where the caller writes the input) and buffers; `waste`, the free
    bytes at the peak; `map`, the offset and size of each buffer and the program points, `first` to `last`, at which it
    is alive, the `ring` that it is, if it only holds the last rows or pixels of an image, and the bytes in which it
    `overlaps` buffers made before it, whose elements it replaces one by one. Operations get their names
    (`name_operations`).
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
    """The number of rows or pixels that a ring holds, and of the whole image; None for other buffers."""
    image = view.attributes.get(tdsl.RING)
    if image is None:
        return None
    height, width = cast("DenseArrayBase[IntegerType]", image).get_values()
    _, rows, columns, _ = tdsl.shape_of(view.result)
    if columns == width:
        return {"held": rows, "of": height, "by": "rows"}
    return {"held": columns, "of": height * width, "by": "pixels"}


def draw_report(name: str, memory: Mapping[str, Any]) -> Drawing:
    """The picture of the memory report of a model."""
    boxes = [Placed(_label(row), row["offset"], row["bytes"], row["first"], row["last"]) for row in memory["map"]]
    height, bound = memory["height"], memory["lower_bound"]
    proven = "optimal" if height == bound else f"at least {bound} are needed"
    return draw_memory(boxes, height, bound, f"{name}: arena of {height} bytes, {proven}")


def _label(row: Mapping[str, Any]) -> str:
    """The text in the box of a buffer."""
    ring = row["ring"]
    return row["buffer"] if ring is None else f"{row['buffer']}\n{ring['held']} of {ring['of']} {ring['by']}"


def _contents(buffer: SSAValue) -> str:
    """The name of a buffer, or else of the operation that writes it."""
    if buffer.name_hint is not None:
        return buffer.name_hint
    for user in (use.operation for use in buffer.uses):
        if isinstance(user, tdsl.TensorOp) and user.dest is buffer:
            return source_names(user)[-1]
    return next((_contents(op.result) for use in buffer.uses if isinstance(op := use.operation, scratch.SliceOp)), "?")
