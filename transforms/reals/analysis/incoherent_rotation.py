"""Rotations of points that minimise their greatest coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import Reals

STARTS = 50
"""The number of random rotations, the best of which is improved."""

SWEEPS = 20
"""The most times that every plane is rotated."""

SMALL = 0.3
"""Points nearer to the origin than this share of the greatest distance are ignored."""

NEARER = 0.7
"""A share of the greatest distance, below sqrt(1/2)."""


def level_rotation(points: Reals) -> NDArray[np.float64]:
    """An orthogonal matrix Q of shape (n, n) such that the greatest magnitude in `points @ Q.T` is small.

    The search starts from the best of several random rotations, as in incoherence processing (Chee et al., "QuIP",
    2023); then it rotates one plane of two coordinates after the other by the angle that minimises the greater of both,
    as in Jacobi's method. points: (count, n).
    """
    n = points.shape[1]
    norms = np.linalg.norm(points, axis=1)
    points = points[norms > SMALL * norms.max()]
    random = np.random.default_rng(0)
    starts = [np.eye(n), *(np.linalg.qr(random.normal(size=(n, n)))[0] for _ in range(STARTS))]
    rotation = min(starts, key=lambda start: float(np.abs(points @ start.T).max(initial=0.0)))
    turned = points @ rotation.T
    angles = np.geomspace(0.002, 0.8, 12)
    cosines, sines = (np.concatenate([part(angles), part(-angles)])[:, None] for part in (np.cos, np.sin))
    for _ in range(SWEEPS):
        moved = False
        for i in range(n):
            for j in range(i):
                a, b = turned[:, i], turned[:, j]
                greatest = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
                # At any angle the farthest point has a coordinate of at least sqrt(1/2) of its distance, and nearer
                # points have smaller ones.
                distances = np.hypot(a, b)
                far = distances > NEARER * distances.max(initial=0.0)
                first, second = cosines * a[far] - sines * b[far], sines * a[far] + cosines * b[far]
                reached = np.maximum(np.abs(first).max(1, initial=0.0), np.abs(second).max(1, initial=0.0))
                best = int(reached.argmin())
                if reached[best] < (1 - 1e-6) * greatest:
                    moved = True
                    plane = np.array([[cosines[best, 0], -sines[best, 0]], [sines[best, 0], cosines[best, 0]]])
                    rotation[[i, j]] = plane @ rotation[[i, j]]
                    turned[:, [i, j]] = turned[:, [i, j]] @ plane.T
        if not moved:
            break
    return rotation
