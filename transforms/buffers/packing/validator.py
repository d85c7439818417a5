"""Is a placement what it says it is? Shares with the packers nothing but the form of question and answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml.transforms.buffers.packing.rectangles import Placement, Rectangle

PATIENCE = 20_000
"""How many buffers the search for a lower placement places before it gives up."""


def complaints(rectangles: Sequence[Rectangle], placement: Placement, patience: int = PATIENCE) -> Iterator[str]:
    """Everything that is wrong: places, moves, the height, the lower bound. Nothing, if all is well.

    A lower bound that the buffers of no point need claims that a search has failed. This looks for a placement below
    it, with patience, and where it finds none the claim stands: it is refuted here, never proven.
    """
    if len(placement.offsets) != len(rectangles):
        yield f"{len(placement.offsets)} offsets for {len(rectangles)} buffers"
        return
    places = [*_places(rectangles, placement)]
    for i, start, _, _ in places:
        one = rectangles[i]
        if start < 0 or start % one.alignment:
            yield f"{one.name} lies at byte {start}, not at a multiple of {one.alignment}"
    yield from _overlaps(rectangles, places)
    yield from _disturbances(rectangles, placement)
    end = max((start + rectangles[i].size for i, start, _, _ in places), default=0)
    if end != placement.height:
        yield f"the height is {end} bytes, not {placement.height}"
    if placement.lower_bound > end:
        yield f"the lower bound of {placement.lower_bound} bytes is above the height of {end}"
    elif placement.lower_bound > _most_alive(rectangles):
        lower = _Lower(rectangles, placement.lower_bound, patience).find()
        if lower is not None:
            yield f"the lower bound is {placement.lower_bound} bytes, but {lower} are enough"


def _places(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[tuple[int, int, int, int]]:
    """Index, first byte and points, first and last, of every stay of a buffer at one place."""
    for i, (one, start) in enumerate(zip(rectangles, placement.offsets, strict=True)):
        since = one.first
        for move in placement.moves:
            if move.index == i and one.first < move.point <= one.last:
                if move.point > since:
                    yield i, start, since, move.point - 1
                start, since = move.offset, move.point
        yield i, start, since, one.last


def _overlaps(rectangles: Sequence[Rectangle], places: Sequence[tuple[int, int, int, int]]) -> Iterator[str]:
    alive: list[tuple[int, int, int, int]] = []
    for i, start, first, last in sorted(places, key=lambda place: place[2]):
        alive = [place for place in alive if place[3] >= first]
        for j, other, _, _ in alive:
            low, high = max(start, other), min(start + rectangles[i].size, other + rectangles[j].size)
            if low < high:
                yield f"{rectangles[j].name} and {rectangles[i].name} share bytes {low} to {high - 1} at point {first}"
        alive.append((i, start, first, last))


def _disturbances(rectangles: Sequence[Rectangle], placement: Placement) -> Iterator[str]:
    """Moves that happen where they cannot, or onto a buffer that is still there."""
    at = list(placement.offsets)
    for move in placement.moves:
        one = rectangles[move.index]
        if not one.first < move.point <= one.last:
            yield f"{one.name} moves before point {move.point}, where it holds nothing"
        for j, other in enumerate(rectangles):
            if j == move.index or not other.first < move.point <= other.last:
                continue
            if move.offset < at[j] + other.size and at[j] < move.offset + one.size:
                yield f"{one.name} moves onto {other.name} before point {move.point}"
        at[move.index] = move.offset
    if any(before.point > after.point for before, after in zip(placement.moves, placement.moves[1:], strict=False)):
        yield "the moves are not in the order of their points"


def _most_alive(rectangles: Sequence[Rectangle]) -> int:
    """The most bytes that are alive together."""
    changes = sorted(
        change for one in rectangles for change in ((one.first, 1, one.size), (one.last + 1, 0, -one.size))
    )
    most = now = 0
    for _, _, size in changes:
        now += size
        most = max(most, now)
    return most


class _Lower:
    """Looks for a placement below a limit, placing buffers in any order, each at its lowest free place."""

    def __init__(self, rectangles: Sequence[Rectangle], limit: int, patience: int) -> None:
        self.rectangles = [one for one in rectangles if one.size]
        self.limit = limit
        self.patience = patience

    def find(self) -> int | None:
        """The height of one, or None: there is none, or patience ended."""
        return self._place([], list(range(len(self.rectangles))))

    def _place(self, placed: list[tuple[int, int]], left: list[int]) -> int | None:
        if not left:
            return max((start + self.rectangles[i].size for i, start in placed), default=0)
        for i in left:
            if self.patience == 0:
                return None
            self.patience -= 1
            start = self._lowest(self.rectangles[i], placed)
            if start + self.rectangles[i].size >= self.limit:
                continue
            found = self._place([*placed, (i, start)], [j for j in left if j != i])
            if found is not None:
                return found
        return None

    def _lowest(self, one: Rectangle, placed: list[tuple[int, int]]) -> int:
        near = [(start, self.rectangles[j]) for j, start in placed]
        near = [(s, other) for s, other in near if not (other.last < one.first or one.last < other.first)]
        candidates = sorted({0, *(-(-(s + other.size) // one.alignment) * one.alignment for s, other in near)})
        return next(
            start for start in candidates if all(start + one.size <= s or s + other.size <= start for s, other in near)
        )
