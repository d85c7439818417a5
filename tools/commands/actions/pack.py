"""Packings of the buffers in a CSV file, which are checked, and the effort of the search.

The file is in MiniMalloc's format: one buffer per line, with the columns `id,lower,upper,size` and optional further
columns.
"""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.cli.guard import INTERRUPT_EXIT_CODE
from tinyml.tools.driver.pack_request import PackRequest
from tinyml.tools.reports.facts.memory_picture import check_svg_path, draw_memory
from tinyml.transforms.buffers.liveness.live_ranges import Placed
from tinyml.transforms.buffers.packing import Effort, Placement, Rectangle, lower_bound, pack, stays
from tinyml.transforms.buffers.packing.validator import complaints

_REQUIRED = ("id", "lower", "upper", "size")
_OPTIONAL = ("alignment", "gaps", "offset")

_GAP = re.compile(r"(-?[0-9]{1,40})-(-?[0-9]{1,40})(@.*)?")
"""A gap from a point until just before another one, and the bytes that stay in use, which MiniMalloc calls a window."""

_MAX_SIZE = 1 << 128
"""Limit on sizes, alignments and points: Python refuses to print integers of more than some thousand digits."""


def read_problem(path: Path) -> list[Rectangle]:
    """Parse the buffers of a problem. A buffer of `size` bytes is live from point `lower` until just before `upper`.

    The columns `alignment`, `gaps` and `offset` are optional. A buffer occupies no bytes in its gaps. A buffer with an
    offset is placed at this offset.

    Raises `InputError`, with the line, for a malformed file, for two buffers of the same name, and for a column that is
    unknown or that no packer supports. Raises `InputError` without a line for text that is not UTF-8, and for two
    pinned offsets that contradict each other.
    """
    try:
        text = read_bytes(path, "problem").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("the text is not UTF-8", file=str(path)) from error
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True, strict=True)
    rectangles: list[Rectangle] = []
    seen: set[str] = set()
    try:
        _check_header(reader.fieldnames or ())
        for row in reader:
            rectangle = _rectangle(row)
            if rectangle.name in seen:
                raise InputError(f"duplicate buffer '{rectangle.name}'")
            seen.add(rectangle.name)
            rectangles.append(rectangle)
    except InputError as error:
        raise InputError(error.message, file=str(path), line=max(reader.line_num, 1)) from error
    except csv.Error as error:
        raise InputError(str(error), file=str(path), line=reader.line_num + 1) from error
    pinned = [shape for shape in rectangles if shape.pinned is not None and shape.size]
    offsets = tuple(shape.pinned for shape in pinned if shape.pinned is not None)
    height = max((shape.pinned + shape.size for shape in pinned if shape.pinned is not None), default=0)
    if (fault := next(complaints(pinned, Placement(offsets, height, 0)), None)) is not None:
        raise InputError(f"pinned offsets contradict each other: {fault}", file=str(path))
    return rectangles


def _check_header(names: Sequence[str]) -> None:
    expected = f"expected a header with {','.join(_REQUIRED)} and optionally {','.join(_OPTIONAL)}"
    if missing := [name for name in _REQUIRED if name not in names]:
        raise InputError(f"no column '{missing[0]}'; {expected}")
    if unknown := [name for name in names if name not in (*_REQUIRED, *_OPTIONAL, "hint")]:
        raise InputError(f"unknown column {_quote(unknown[0])}; {expected}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"duplicate column '{twice[0]}'; {expected}")


def _rectangle(row: Mapping[str | None, object]) -> Rectangle:
    def number(name: str, least: int | None) -> int:
        text = row.get(name)
        try:
            value = int(str(text))
        except ValueError:
            raise InputError(f"{name} must be an integer, got {_quote(text)}") from None
        if least is not None and value < least:
            raise InputError(f"{name} must be at least {least}, got {_quote(text)}")
        if abs(value) > _MAX_SIZE:
            raise InputError(f"{name} must be at most 2^128, got {_quote(text)}")
        return value

    def given(name: str) -> bool:
        return bool(str(row.get(name) or "").strip())

    if None in row:
        raise InputError("more fields than the header has")
    if given("hint"):
        hint, name = _quote(row["hint"]), _quote(row["id"])
        raise InputError(f"hint {hint} of buffer {name} is not supported: no placement is preferred")
    lower, upper = number("lower", None), number("upper", None)
    if upper <= lower:
        raise InputError(f"upper must be above lower, got {lower} and {upper}")
    alignment = number("alignment", 1) if given("alignment") else 1
    offset = number("offset", 0) if given("offset") else None
    if offset is not None and offset % alignment:
        raise InputError(f"offset must be a multiple of alignment {alignment}, got {offset}")
    lives = _lives(str(row["gaps"]), lower, upper) if given("gaps") else [(lower, upper)]
    gaps = tuple((end, start - 1) for (_, end), (start, _) in pairwise(lives))
    return Rectangle(
        str(row["id"]), number("size", 0), alignment, lives[0][0], lives[-1][1] - 1, gaps=gaps, pinned=offset
    )


def _lives(text: str, lower: int, upper: int) -> list[tuple[int, int]]:
    """The intervals in which a buffer is live: from `lower` to `upper`, except for its gaps. Each interval is from a
    point until just before another point.

    text: gaps separated by blanks, as in `7-9 12-15`, which may touch and overlap each other.

    Raises `InputError` for a malformed gap, a gap outside the lifetime, and if the buffer is never live.
    """
    gaps: list[tuple[int, int]] = []
    for part in text.split():
        match = _GAP.fullmatch(part)
        if match is None:
            raise InputError(f"a gap must have the form 7-9, got {_quote(part)}")
        if match[3]:
            raise InputError(f"gap {_quote(part)} is not supported: a buffer is unused as a whole or not at all")
        start, end = int(match[1]), int(match[2])
        if not lower <= start < end <= upper:
            raise InputError(f"a gap must be a part of {lower}-{upper}, got {_quote(part)}")
        gaps.append((start, end))
    lives: list[tuple[int, int]] = []
    since = lower
    for start, end in [*sorted(gaps), (upper, upper)]:
        if since < start:
            lives.append((since, start))
        since = max(since, end)
    if not lives:
        raise InputError(f"the gaps leave nothing of {lower}-{upper}")
    return lives


def _quote(text: object) -> str:
    if text is None:
        return "nothing"
    spelled = repr(str(text))
    return spelled if len(spelled) <= 40 else f"{spelled[:20]}... ({len(str(text))} characters)"


def spell_solution(rectangles: Sequence[Rectangle], placement: Placement) -> str:
    """The solved problem as CSV with a column `offset`, and columns `alignment` and `gaps` if any buffer has them.

    A buffer that moves has a line for each of its offsets.
    """
    aligned = any(rectangle.alignment > 1 for rectangle in rectangles)
    gapped = any(rectangle.gaps for rectangle in rectangles)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_REQUIRED, *(["alignment"] if aligned else []), *(["gaps"] if gapped else []), "offset"])
    for stay in stays(rectangles, placement):
        rectangle = rectangles[stay.number]
        points = (stay.first, stay.last + 1)
        alignment = [rectangle.alignment] if aligned else []
        within = [(first, last) for first, last in rectangle.gaps if stay.first <= first and last <= stay.last]
        gaps = [" ".join(f"{first}-{last + 1}" for first, last in within)] if gapped else []
        writer.writerow([rectangle.name, *points, rectangle.size, *alignment, *gaps, stay.offset])
    return text.getvalue()


STEPS, SECONDS = 30_000_000_000, 120
"""Default limits, more generous than in a compilation, because packing is the only request."""

RESERVED_SECONDS = 2e-5
"""Seconds per buffer reserved for checking and writing."""


def pack_file(request: PackRequest) -> int:
    """Pack the buffers, write the result and return 0. After Ctrl-C, write the best packing so far and return 130, or
    raise `KeyboardInterrupt` if there is none.

    Raises `InputError` for a bad request and, after the result is written, if the packing exceeds the capacity.
    """
    request.check()
    if request.picture is not None:
        check_svg_path(request.picture)
    rectangles = read_problem(request.problem)
    effort = _effort(request, len(rectangles))
    before, interrupted = time.monotonic(), False
    try:
        placement = pack(rectangles, request.packer, effort, request.coarsen)
    except KeyboardInterrupt:
        if effort.best is None:
            raise
        placement, interrupted = effort.best, True
    searched = time.monotonic() - before
    for complaint in complaints(rectangles, placement):
        raise AssertionError(f"a defect of packer {request.packer}: {complaint}")
    checked = time.monotonic() - before - searched
    need = effort.need if request.coarsen == 1 and effort.need else lower_bound(rectangles)
    _write(request, rectangles, placement, need)
    for line in _report(effort, searched, checked):
        print(line, file=sys.stderr)
    print(f"{'interrupted; ' if interrupted else ''}{verdict(rectangles, placement, need)}", file=sys.stderr)
    if request.capacity is not None and placement.height > request.capacity:
        proven = placement.lower_bound > request.capacity
        raise InputError(f"{'no' if proven else 'found no'} packing of at most {request.capacity} bytes")
    return INTERRUPT_EXIT_CODE if interrupted else 0


def _effort(request: PackRequest, buffers: int) -> Effort:
    nodes, steps, limit = request.nodes, None, math.inf if request.seconds is None else request.seconds
    if request.nodes is None and request.seconds is None:
        steps, limit = STEPS, SECONDS
    return Effort(nodes, steps, max(limit - RESERVED_SECONDS * buffers, 0), request.capacity, not request.python)


def verdict(rectangles: Sequence[Rectangle], placement: Placement, need: int) -> str:
    """A one-line summary: the height of a packing and its quality.

    need: the peak of live bytes.
    """
    moved = sum(rectangles[move.index].size for move in placement.moves)
    text = f"{len(rectangles)} buffers in {placement.height} bytes"
    if moved:
        text += f", {moved} bytes moved"
    if placement.optimal:
        return f"{text}: optimal" + ("" if need == placement.height else f" ({need} alive at the peak)")
    ratio = f"{placement.height / need:.4f} x the {need} alive at the peak" if need else ""
    return f"{text}: {ratio}; lower bound {placement.lower_bound}, gap {placement.gap}"


def _report(effort: Effort, searched: float, checked: float) -> Iterator[str]:
    """Yield one line per phase and one for the total; consecutive phases that exhausted their nodes are combined.

    searched, checked: the seconds of the search and of the check.
    """
    for barren, phases in groupby(effort.phases, key=lambda phase: phase.outcome == "out of nodes"):
        for first, *more in [[*phases]] if barren else [[phase] for phase in phases]:
            name = f"{first.name} (and {len(more)} more)" if more else first.name
            nodes = sum((phase.nodes for phase in more), first.nodes)
            spent = sum((phase.seconds for phase in more), first.seconds)
            yield f"{name}: {first.outcome} ({f'{nodes:,} nodes, ' if nodes else ''}{spent:.3f} s)"
    nodes = sum(phase.nodes for phase in effort.phases)
    yield f"{nodes:,} nodes in {searched:.2f} s; checked in {checked:.2f} s"


def _write(request: PackRequest, rectangles: Sequence[Rectangle], placement: Placement, need: int) -> None:
    text = spell_solution(rectangles, placement)
    if request.out is None:
        print(text, end="")
    else:
        write_file(request.out, text)
    if request.picture is not None:
        boxes = [
            Placed(rectangles[i].name, offset, rectangles[i].size, max(first, since), min(last, until))
            for i, offset, first, last in stays(rectangles, placement)
            for since, until in rectangles[i].lives
            if since <= last and first <= until
        ]
        title = f"{request.problem.stem}: {verdict(rectangles, placement, need)}"
        picture = draw_memory(boxes, placement.height, placement.lower_bound, title)
        write_file(request.picture, picture.finished())
