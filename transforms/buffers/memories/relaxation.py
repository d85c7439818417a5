"""A lower bound on the cost of a choice, by Lagrangian relaxation of the capacity constraints.

At every program point the live bytes in a memory must not exceed its capacity. The relaxation replaces these
constraints by nonnegative prices per byte. Each item is then assigned to the memory in which it is cheapest. The sum of
these costs minus the price of all capacities is a lower bound on the cost of every choice (Geoffrion 1974). Subgradient
steps raise the bound (Held, Wolfe and Crowder 1974).
"""

from __future__ import annotations

from math import ceil

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.buffers.memories.choice import Problem
from tinyml.transforms.buffers.packing.rectangles import saving

_STEPS = 300
_SLACK = 1e-6
"""The part of a cycle by which rounding may raise the bound."""


class Relaxation:
    """The prices per byte that give the highest lower bound found, and the cost of each item in each memory with these
    prices added.

    target: the cost of a known choice, which scales the subgradient steps.
    """

    def __init__(self, problem: Problem, target: int) -> None:
        items, capacities = problem.items, problem.capacities
        costs = [[np.inf if cost is None else float(cost) for cost in item.costs] for item in items]
        self._costs = np.array(costs, dtype=np.float64).reshape(len(items), len(capacities))
        limited = np.array([capacity is not None for capacity in capacities])
        self._capacities = np.array([capacity or 0 for capacity in capacities], dtype=np.float64)
        sizes = _live_bytes(problem)
        prices = np.zeros((len(capacities), sizes.shape[1]))
        self.prices, self.bound = prices, -np.inf
        scale = 1.0
        for step in range(_STEPS):
            priced, bound = self._priced(prices, sizes)
            if bound > self.bound:
                self.prices, self.bound = prices, bound
            elif step % 20 == 19:
                scale /= 2
            taken = priced.argmin(axis=1)
            used = np.array([sizes[taken == m].sum(axis=0) for m in range(len(capacities))])
            excess = np.where(limited[:, None], used - self._capacities[:, None], 0.0)
            if not (length := float((excess**2).sum())):
                break
            prices = np.maximum(prices + scale * max(target - bound, 1.0) / length * excess, 0.0)
        self.priced, _ = self._priced(self.prices, sizes)
        self.constant = float((self.prices.sum(axis=1) * self._capacities).sum())

    def _priced(self, prices: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, float]:
        """Return the cost of each item in each memory, including prices, and the lower bound for these prices."""
        priced = self._costs + sizes @ prices.T
        paid = (prices.sum(axis=1) * self._capacities).sum()
        return priced, float(priced.min(axis=1).sum() - paid) if len(priced) else 0.0


def rounded_up(bound: float) -> int:
    """A bound rounded up to whole cycles, at least 0. A tolerance for rounding errors is subtracted first."""
    return max(ceil(bound - _SLACK * max(1.0, abs(bound))), 0)


def _live_bytes(problem: Problem) -> np.ndarray:
    """The bytes of each item at certain program points, of shape (items, points). Bytes that overlaps may save are
    subtracted.

    The points are those at which a buffer becomes live, or from which on an overlap no longer saves bytes. They
    suffice, because the live bytes of a memory increase at no other points.
    """
    points = sorted({shape.first for shape in problem.rectangles}) or [0]
    points += [saving(problem.rectangles, shape).until + 1 for shape in problem.rectangles if shape.overlaps]
    points = sorted(set(points))
    sizes = np.zeros((len(problem.items), len(points)))
    for row, item in zip(sizes, problem.items, strict=True):
        row[:] = item.permanent
        if item.rectangle is not None:
            shape = problem.rectangles[item.rectangle]
            saved, until = saving(problem.rectangles, shape)
            for column, point in enumerate(points):
                if shape.first <= point <= shape.last:
                    row[column] = shape.size - (saved if point <= until else 0)
    return sizes
