"""Exact cover with colours by dancing links.

This is Knuth's Algorithm C (The Art of Computer Programming 7.2.2.1, "XCC"). Algorithm X (MinUn 5.3) is the case
without secondary items and colours. A problem has items, and options, which are sets of items. A solution is a set of
options that contains each *primary* item exactly once. It contains each *secondary* item at most once, or several times
if all these options give the item the same *colour*.

    cover = ExactCover("abcdefg")
    for option in ("ce", "adg", "bcf", "adf", "bg", "deg"):
        cover.add(option)
    next(cover.solutions())  # (0, 3, 4): ce, adf, bg, in the order in which they were chosen

This module needs only Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple

Item = Hashable


class Coloured(NamedTuple):
    """A secondary item of an option with a colour. Options that give the item the same colour are compatible."""

    item: Item
    colour: Hashable


class ExactCover:
    """An exact cover problem, which is built option by option, and the search for its solutions.

    primary, secondary: the items, all different. Of primary items with equally few options, the first is covered first.

    Raises ValueError for a repeated item.
    """

    def __init__(self, primary: Iterable[Item], secondary: Iterable[Item] = ()) -> None:
        first, second = list(primary), list(secondary)
        self._number: dict[Item, int] = {item: i + 1 for i, item in enumerate([*first, *second])}
        if len(self._number) < len(first) + len(second):
            raise ValueError("an item is named twice")
        self._primary = len(first)
        last = len(self._number)
        # Nodes 1 to `last` are the heads of the items' lists. The options follow, each between two spacers.
        self._top = [*range(last + 1), 0]
        self._up = [*range(last + 1), 0]
        self._down = [*range(last + 1), 0]
        self._colour = [0] * (last + 2)
        self._length = [0] * (last + 1)
        # Only primary items are in the list that starts at 0: the others need not be covered.
        self._left = [self._primary, *range(self._primary), *range(self._primary + 1, last + 1)]
        self._right = [*range(1, self._primary + 1), 0, *range(self._primary + 1, last + 1)]
        self._colours: dict[Hashable, int] = {}
        self._option_of_spacer = {last + 1: 0}
        self._options = 0
        self.nodes = 0
        """The number of nodes of the search tree that the last search entered."""
        self.steps = 0
        """The steps of the last search: links removed from the lists of items, and items covered or compared."""
        self.exhausted = False
        """True if the last search covered the whole tree."""

    def __len__(self) -> int:
        """The number of options of the problem."""
        return self._options

    def add(self, items: Iterable[Item | Coloured]) -> int:
        """Add an option and return its number, counting from 0.

        Raises KeyError for an unknown item. Raises ValueError for an item that the option contains twice, for a primary
        item with a colour, and for an option without primary items, because no search would choose it.
        """
        named = [(item.item, item.colour) if isinstance(item, Coloured) else (item, None) for item in items]
        numbers = [self._number[item] for item, _ in named]
        if len({*numbers}) < len(numbers):
            raise ValueError("an option has an item twice")
        if all(number > self._primary for number in numbers):
            raise ValueError("an option needs a primary item")
        if any(
            number <= self._primary and colour is not None for number, (_, colour) in zip(numbers, named, strict=True)
        ):
            raise ValueError("only secondary items have colours")
        spacer = len(self._top) - 1
        for number, (_, colour) in zip(numbers, named, strict=True):
            node, above = len(self._top), self._up[number]
            self._top.append(number)
            self._up.append(above)
            self._down.append(number)
            self._colour.append(0 if colour is None else self._colours.setdefault(colour, len(self._colours) + 1))
            self._down[above] = self._up[number] = node
            self._length[number] += 1
        self._down[spacer] = len(self._top) - 1
        self._top.append(0)
        self._up.append(spacer + 1)
        self._down.append(0)
        self._colour.append(0)
        self._options += 1
        self._option_of_spacer[len(self._top) - 1] = self._options
        return self._options - 1

    def solutions(
        self, nodes: float = math.inf, steps: float = math.inf, stop: Callable[[], bool] | None = None
    ) -> Iterator[tuple[int, ...]]:
        """Yield all solutions, each as the numbers of its options in the order in which they were chosen.

        The item with the fewest options is covered first. The iterator may be abandoned at any point; only one
        may run at a time.

        nodes: the maximum number of nodes of the search tree.
        steps: the number of steps after which the search ends at the next node.
        stop: called every 256 nodes; the search ends when it returns true.
        """
        self.nodes, self.steps, self.exhausted = 0, 0, False
        chosen: list[int] = []
        try:
            while True:
                if self.nodes >= nodes or self.steps > steps:
                    return
                if stop is not None and self.nodes % 256 == 255 and stop():
                    return
                self.nodes += 1
                if self._right[0] == 0:
                    yield tuple(self._option(node) for node in chosen)
                else:
                    item = self._fewest()
                    self._cover(item)
                    chosen.append(item)
                if not self._next(chosen):
                    self.exhausted = True
                    return
        finally:
            while chosen:
                self._give_up(chosen)

    def _next(self, chosen: list[int]) -> bool:
        while chosen:
            node = chosen[-1]
            if node > len(self._number):
                self._uncommit(node)
            node = self._down[node]
            if node > len(self._number):
                self._commit(node)
                chosen[-1] = node
                return True
            self._uncover(node)
            chosen.pop()
        return False

    def _give_up(self, chosen: list[int]) -> None:
        node = chosen.pop()
        if node > len(self._number):
            self._uncommit(node)
        self._uncover(self._top[node])

    def _option(self, node: int) -> int:
        while self._top[node] > 0:
            node -= 1
        return self._option_of_spacer[node]

    def _fewest(self) -> int:
        right, length = self._right, self._length
        item = best = right[0]
        steps = 0
        while item:
            if length[item] < length[best]:
                best = item
            item = right[item]
            steps += 1
        self.steps += steps
        return best

    def _commit(self, node: int) -> None:
        top, sibling = self._top, node + 1
        while sibling != node:
            item = top[sibling]
            if item == 0:
                sibling = self._up[sibling]
                continue
            if self._colour[sibling] == 0:
                self._cover(item)
            elif self._colour[sibling] > 0:
                self._purify(sibling)
            sibling += 1

    def _uncommit(self, node: int) -> None:
        top, sibling = self._top, node - 1
        while sibling != node:
            item = top[sibling]
            if item == 0:
                sibling = self._down[sibling]
                continue
            if self._colour[sibling] == 0:
                self._uncover(item)
            elif self._colour[sibling] > 0:
                self._unpurify(sibling)
            sibling -= 1

    def _cover(self, item: int) -> None:
        down, node = self._down, self._down[item]
        while node != item:
            self._hide(node)
            node = down[node]
        self.steps += 1
        left, right = self._left[item], self._right[item]
        self._right[left], self._left[right] = right, left

    def _uncover(self, item: int) -> None:
        left, right = self._left[item], self._right[item]
        self._right[left] = self._left[right] = item
        up, node = self._up, self._up[item]
        while node != item:
            self._unhide(node)
            node = up[node]

    def _hide(self, node: int) -> None:
        top, up, down, colour, length = self._top, self._up, self._down, self._colour, self._length
        sibling, steps = node + 1, 0
        while sibling != node:
            item = top[sibling]
            if item == 0:
                sibling = up[sibling]
                continue
            if colour[sibling] >= 0:
                above, below = up[sibling], down[sibling]
                down[above], up[below] = below, above
                length[item] -= 1
                steps += 1
            sibling += 1
        self.steps += steps

    def _unhide(self, node: int) -> None:
        top, up, down, colour, length = self._top, self._up, self._down, self._colour, self._length
        sibling = node - 1
        while sibling != node:
            item = top[sibling]
            if item == 0:
                sibling = down[sibling]
                continue
            if colour[sibling] >= 0:
                down[up[sibling]] = up[down[sibling]] = sibling
                length[item] += 1
            sibling -= 1

    def _purify(self, node: int) -> None:
        colour, item = self._colour[node], self._top[node]
        below = self._down[item]
        while below != item:
            if self._colour[below] == colour:
                self._colour[below] = -1
            else:
                self._hide(below)
            below = self._down[below]

    def _unpurify(self, node: int) -> None:
        colour, item = self._colour[node], self._top[node]
        above = self._up[item]
        while above != item:
            if self._colour[above] < 0:
                self._colour[above] = colour
            else:
                self._unhide(above)
            above = self._up[above]
