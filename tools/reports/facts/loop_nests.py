"""The loop nests of a program at L3, as data and as a drawing. A nest shows the trip counts of loops and the kernels
inside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from tinyml.dialects.functions import defined_functions
from tinyml.dialects.locations import SourceNames
from tinyml.dialects.loops import trips_of
from tinyml.tools.reports.svg import COLOURS, Drawing, shortened

KERNEL = "kernel"
"""The attribute by which an op names its kernel."""

WIDTH, LINE, INDENT = 960, 20, 16

MAX_LINES = 120
"""Maximum number of lines drawn; nests after them are only counted."""


@dataclass(frozen=True)
class LoopFacts:
    """A loop, a kernel, or the steps between loops and kernels.

    kind: "loop", "kernel" or "steps".
    label: `for i`, the kernel, or the names of the ops.
    turns: the trip count of a loop; None if it is computed at run time.
    operation: the source operation.
    inner: the parts inside a loop, in order.
    """

    kind: str
    label: str
    operation: str
    turns: int | None = None
    inner: list[LoopFacts] = field(default_factory=list["LoopFacts"])

    @property
    def operations(self) -> Iterator[str]:
        """Yield the source operations of the kernels and steps in this part, or of this part itself if it contains no
        other part.
        """
        if not self.inner:
            yield self.operation
        for each in self.inner:
            yield from each.operations

    @property
    def kernels(self) -> Iterator[tuple[str, str]]:
        """Yield the kernels inside this part, each with its source operation."""
        if self.kind == "kernel":
            yield self.label, self.operation
        for each in self.inner:
            yield from each.kernels


def loop_nests(loops: ModuleOp) -> list[LoopFacts]:
    """The loop nests of a program at L3 in order; steps outside loops and kernels are omitted."""
    nests = _inside(defined_functions(loops)[0].body.block, SourceNames())
    return [nest for nest in nests if nest.kind != "steps"]


def _inside(block: Block, sources: SourceNames) -> list[LoopFacts]:
    found: list[LoopFacts] = []
    for op in block.ops:
        names = sources.of(op)
        operation = names[0] if names else ""
        if isinstance(op, scf.ForOp):
            label = f"for {op.body.block.args[0].name_hint or ''}".rstrip()
            found.append(LoopFacts("loop", label, operation, trips_of(op), _inside(op.body.block, sources)))
        elif op.regions:
            inner = [each for region in op.regions for part in region.blocks for each in _inside(part, sources)]
            found += [LoopFacts("loop", op.name.partition(".")[2], operation, None, inner)] if inner else []
        elif (kernel := _kernel(op)) is not None:
            found.append(LoopFacts("kernel", kernel, operation))
        elif op.name.startswith(("num.", "memref.store")):
            name = op.name.partition(".")[2]
            if found and found[-1].kind == "steps":
                if name not in (steps := found[-1].label.split(", ")):
                    found[-1] = LoopFacts("steps", ", ".join([*steps, name]), operation)
            else:
                found.append(LoopFacts("steps", name, operation))
    return found


def _kernel(op: Operation) -> str | None:
    kernel = op.properties.get(KERNEL) or op.attributes.get(KERNEL)
    if kernel is None:
        return None
    name = re.search(r'"([^"]+)"', text := str(kernel))
    sizes = ", ".join(f"{word} {size}" for word, size in re.findall(r"(rows|runs|length|count) = (\d+)", text))
    called = name[1] if name else text
    return f"{called} ({sizes})" if sizes else called


def draw_loops(nests: Sequence[LoopFacts]) -> Drawing:
    """Draw the nests from top to bottom, each with the name of its operation. If the nests have more than `MAX_LINES`
    lines, the last nests are omitted and only counted.
    """
    shown: list[LoopFacts] = []
    lines = 0
    for nest in nests:
        if shown and lines + _lines(nest) > MAX_LINES:
            break
        lines += _lines(nest)
        shown.append(nest)
    left = len(nests) - len(shown)
    height = sum(_height(nest) + 8 for nest in shown) + (24 if left else 4)
    picture = Drawing(WIDTH, height, "The loop nests of the program, in order")
    colours: dict[str, str] = {}
    y = 4.0
    for nest in shown:
        colour = colours.setdefault(nest.operation, COLOURS[len(colours) % len(COLOURS)])
        for row, name in enumerate(_names(nest)):
            picture.text(4, y + 14 + 14 * row, shortened(name, 46), "start")
        _draw(picture, nest, 270, y, WIDTH - 274, colour)
        y += _height(nest) + 8
    if left:
        picture.text(4, y + 12, f"and {left} nests more", "start")
    return picture


def _names(nest: LoopFacts) -> Sequence[str]:
    names = list(dict.fromkeys(name for name in nest.operations if name))
    room = max(int(_height(nest) // 14), 1)
    return names if len(names) <= room else [*names[: room - 1], f"{len(names) - room + 1} more"]


def _draw(picture: Drawing, nest: LoopFacts, x: float, y: float, width: float, colour: str) -> None:
    letters = int(width / 5.4)
    if nest.kind == "loop":
        turns = "" if nest.turns is None else f"  × {nest.turns:,}"
        picture.frame(x, y, width, _height(nest), tip=f"{nest.label}{turns}, of {nest.operation}")
        picture.text(x + 6, y + 14, shortened(f"{nest.label}{turns}", letters), "start")
        y += LINE
        for each in nest.inner:
            _draw(picture, each, x + INDENT, y, width - INDENT - 4, colour)
            y += _height(each) + 3
    elif nest.kind == "kernel":
        picture.rectangle(x, y, width, LINE - 2, fill=colour, tip=f"kernel {nest.label}")
        picture.text(x + 6, y + 12, shortened(nest.label, letters), "start", kind="on")
    else:
        picture.text(x + 6, y + 13, shortened(nest.label, letters), "start", kind="small")


def _height(nest: LoopFacts) -> float:
    if nest.kind != "loop":
        return LINE - 2
    return LINE + sum(_height(each) + 3 for each in nest.inner) + 3


def _lines(nest: LoopFacts) -> int:
    return 1 + sum(map(_lines, nest.inner))
