"""The contents of the arena over time, for the report of a compiled model and as a figure.

In the figure, buffers are boxes; time increases to the right and addresses increase upwards.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp
from xdsl.ir import SSAValue

from tinyml.dialects import scratch, tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import source_names
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.tools.reports.svg import COLOURS, Drawing, ticks
from tinyml.transforms.buffers.liveness.live_ranges import Placed, arena_views, memory_map, program_points
from tinyml.transforms.buffers.packing import FIRST_FIT, Proof


def memory_report(buffers: ModuleOp) -> dict[str, Any]:
    """The arena of a packed program at L2, in bytes.

    `height`: the size of the arena. `lower_bound`: the minimum size for any packing. Its `proof` is the need at the
    peak or a search; `checked` is the algorithm that verified the bound, if any. `packer`: the algorithm that packed
    the buffers. `peak`: the program point with the most live bytes, with its operation and buffers. If it is the point
    at which the caller writes the input, the operation is the first one. `waste`: the free bytes at the peak.

    `map`: the offset and size of each buffer, and the program points `first` to `last` at which it is alive. `ring` is
    set if a buffer stores only the last rows or pixels of an image. `overlaps` lists the bytes that a buffer shares
    with earlier buffers, whose elements it replaces one by one. Operations get names (`name_operations`). Raises
    `InputError` for views without a live range.
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


def draw_report(name: str, memory: Mapping[str, Any]) -> Drawing:
    """Draw the memory report of a model."""
    boxes = [Placed(_label(row), row["offset"], row["bytes"], row["first"], row["last"]) for row in memory["map"]]
    height, bound = memory["height"], memory["lower_bound"]
    proven = "optimal" if height == bound else f"at least {bound} are needed"
    return draw_memory(boxes, height, bound, f"{name}: arena of {height} bytes, {proven}")


def _label(row: Mapping[str, Any]) -> str:
    """The text in the box of a buffer in the figure."""
    ring = row["ring"]
    return row["buffer"] if ring is None else f"{row['buffer']}\n{ring['held']} of {ring['of']} {ring['by']}"


def _contents(buffer: SSAValue) -> str:
    """The name of a buffer, or else of the operation that writes the buffer."""
    if buffer.name_hint is not None:
        return buffer.name_hint
    for user in (use.operation for use in buffer.uses):
        if isinstance(user, tdsl.TensorOp) and user.dest is buffer:
            return source_names(user)[-1]
    return next((_contents(op.result) for use in buffer.uses if isinstance(op := use.operation, scratch.SliceOp)), "?")


LEFT, RIGHT, TOP = 70, 990, 30
"""The edges of the panels, in pixels."""

TALLEST, FOR_A_BOX = 480, 45
"""Maximum height of the panel of buffers, and the height that each buffer adds, in pixels."""


def occupied(boxes: Sequence[Placed], point: int) -> int:
    """The number of bytes in use at a program point; bytes shared by two buffers count once."""
    total = top = 0
    for start, end in sorted((box.offset, box.offset + box.size) for box in boxes if box.first <= point <= box.last):
        total += max(end - max(start, top), 0)
        top = max(top, end)
    return total


class SharedBytes(NamedTuple):
    """The `size` bytes from `offset` on that two boxes share from point `first` to `last`.

    under: the box that begins earlier. over: the box that begins later, such as a result whose elements replace the
    elements of an operand.
    """

    over: Placed
    under: Placed
    offset: int
    size: int
    first: int
    last: int


def overlaps(boxes: Sequence[Placed]) -> list[SharedBytes]:
    """The bytes that boxes share while both are alive. Of two boxes that begin together, the first in `boxes` is
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
    """The earliest program point at which the most bytes are in use; point 0 if there are no boxes."""
    needs = _needs(boxes, sorted({box.first for box in boxes}))
    return max(needs, key=needs.__getitem__, default=0)


def _needs(boxes: Sequence[Placed], points: Sequence[int]) -> Mapping[int, int]:
    """By program point, the bytes in use. points: the program points, in ascending order."""
    needs: dict[int, int] = {}
    coming, alive = deque(sorted(boxes, key=lambda box: box.first)), list[Placed]()
    for point in points:
        while coming and coming[0].first <= point:
            alive.append(coming.popleft())
        alive = [box for box in alive if point <= box.last]
        needs[point] = occupied(alive, point)
    return needs


def check_svg_path(path: Path) -> None:
    """Raise `InputError` for a file without the suffix .svg. Callers check the path before any long work."""
    if path.suffix.lower() != ".svg":
        raise InputError("a picture of memory ends in .svg", file=str(path))


def draw_memory(boxes: Sequence[Placed], height: int, bound: int, title: str) -> Drawing:
    """Draw the buffers of an arena over time.

    height: the size of the arena in bytes. bound: the lower bound on the bytes of any packing. Bytes that boxes share
    are dotted. A second panel shows the bytes alive at each point and, hatched, the free bytes. A line through both
    panels marks the peak. The label of this line states the bytes wasted at the peak. The tooltip of a box shows the
    buffer's name, bytes, byte offset and points.
    """
    buffers = TOP, TOP + min(140 + FOR_A_BOX * len(boxes), TALLEST)
    alive = buffers[1] + 20, buffers[1] + 20 + min(130, (buffers[1] - TOP) // 2)
    bottom = alive[1]
    picture = Drawing(1000, bottom + 40, title)
    picture.hatch("shared", "M2 2h0M6 6h0", "#fff")
    picture.hatch("free", "M0 8L8 0", "#bab0ac")
    start, end = min((box.first for box in boxes), default=0), max((box.last for box in boxes), default=0) + 1
    top = max(height, 1) * 1.02

    def x(point: float) -> float:
        return LEFT + (point - start) * (RIGHT - LEFT) / (end - start)

    def y(panel: tuple[int, int], address: float) -> float:
        return panel[1] - address * (panel[1] - panel[0]) / top

    def area(panel: tuple[int, int], first: int, last: int, low: int, size: int, fill: str, tip: str = "") -> None:
        upper = y(panel, low + size)
        picture.rectangle(x(first), upper, x(last) - x(first), y(panel, low) - upper, fill=fill, tip=tip)

    picture.text((LEFT + RIGHT) / 2, 20, title)
    for i, box in enumerate(sorted(boxes, key=lambda box: (box.first, box.offset))):
        tip = f"{box.name}: {box.size} bytes at {box.offset}, points {box.first} to {box.last}"
        area(buffers, box.first, box.last + 1, box.offset, box.size, COLOURS[i % len(COLOURS)], tip)
    for each in overlaps(boxes):
        area(buffers, each.first, each.last + 1, each.offset, each.size, "url(#shared)", f"{each.size} bytes overlap")
    for box in boxes:
        if (box.last + 1 - box.first) * 40 >= end - start and box.size * 40 >= height:
            middle = y(buffers, box.offset + box.size / 2)
            lines, at = box.name.split("\n"), x((box.first + box.last + 1) / 2)
            for row, text in enumerate(lines):
                picture.text(at, middle + 3 + 10 * (row - (len(lines) - 1) / 2), text, kind="on")
    points = sorted({start, end, *(box.first for box in boxes), *(box.last + 1 for box in boxes)})
    needs = _needs(boxes, points)
    for first, last in itertools.pairwise(points):
        need = needs[first]
        area(alive, first, last, 0, need, "#bab0ac")
        area(alive, first, last, need, height - need, "url(#free)")
    picture.line(LEFT, y(buffers, height), RIGHT, y(buffers, height))
    if bound < height:
        picture.line(LEFT, y(buffers, bound), RIGHT, y(buffers, bound), "1 3")
    for panel, label, most in ((buffers, "address [bytes]", 10), (alive, "alive [bytes]", 4)):
        picture.line(LEFT, panel[0], LEFT, panel[1])
        picture.line(LEFT, panel[1], RIGHT, panel[1])
        picture.text(16, sum(panel) / 2, label, turned=True)
        for tick in ticks(0, height, most):
            picture.line(LEFT - 4, y(panel, tick), LEFT, y(panel, tick))
            picture.text(LEFT - 8, y(panel, tick) + 4, f"{tick}", "end")
    picture.marks_below(bottom, ((x(tick), f"{tick}") for tick in ticks(start, end, 12)))
    picture.text((LEFT + RIGHT) / 2, bottom + 34, "program point")
    peak = fullest(boxes)
    most, time = occupied(boxes, peak), x(peak + 0.5)
    picture.line(time, buffers[0], time, alive[1], "5 4")
    label, right = f"{most} alive at {peak}, {height - most} wasted", 2 * peak > start + end
    left = time - 5 - 6 * len(label) if right else time + 5
    picture.rectangle(left, y(alive, most) + 1, 6 * len(label), 15, kind="paper")
    picture.text(left + 3 * len(label), y(alive, most) + 12, label)
    return picture
