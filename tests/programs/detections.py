"""Boxes from the scores of a detector, and their average precision on images with known boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from programs.faces import Face

Array: TypeAlias = "NDArray[Any]"
Found: TypeAlias = tuple[Array, Array]
"""Boxes (count, 4), as left, top, right and bottom in pixels, and their scores."""

CENTRE, EXTENT = 0.1, 0.2
"""The variances by which the detectors' offsets and extents are scaled, as in SSD (Liu et al., 2016)."""

OVERLAP, LEAST, MOST = 0.3, 0.05, 750
"""The overlap above which the better box is kept; the least score of a box, and the most boxes of an image."""


def detections(face: Face, scores: Array, offsets: Array) -> Found:
    """The boxes that a detector finds in an image.

    scores, offsets: the outputs of the detector, (boxes, 2) and (boxes, 4), in reals.
    """
    boxes: list[Array] = []
    parts = np.split(offsets, np.cumsum(face.counts)[:-1])
    for (step, side), part in zip(face.priors, parts, strict=True):
        rows, columns = np.mgrid[0 : face.height // step, 0 : face.width // step]
        middle = (np.stack([columns, rows], -1).reshape(-1, 2) + 0.5) * step + part[:, :2] * CENTRE * side
        extent = side * np.exp(part[:, 2:] * EXTENT)
        boxes.append(np.concatenate([middle - extent / 2, middle + extent / 2], 1))
    return _suppressed(np.concatenate(boxes), 1 / (1 + np.exp(scores[:, 0] - scores[:, 1])))


def _suppressed(boxes: Array, scores: Array) -> Found:
    """The boxes that remain after non-maximum suppression, by decreasing score. A box is removed if it overlaps a box
    of greater score too much.
    """
    [left] = np.nonzero(scores > LEAST)
    left, kept = left[np.argsort(-scores[left], kind="stable")], list[int]()
    while len(left) and len(kept) < MOST:
        kept.append(left[0])
        left = left[1:][overlaps(boxes[left[:1]], boxes[left[1:]])[0] <= OVERLAP]
    return boxes[kept], scores[kept]


def overlaps(a: Array, b: Array) -> Array:
    """The intersection over union of each box of `a` with each of `b`."""
    sides = np.minimum(a[:, None, 2:], b[None, :, 2:]) - np.maximum(a[:, None, :2], b[None, :, :2])
    common = np.clip(sides, 0, None).prod(-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(-1) for boxes in (a, b)]
    return common / (areas[0][:, None] + areas[1] - common)


def average_precision(found: Sequence[Found], truth: Sequence[Array], overlap: float = 0.5) -> float:
    """The area under the interpolated precision-recall curve, over all images together.

    found: the boxes found in each image, with their scores.
    truth: the true boxes of each image. A found box is right if the true box that it overlaps most is not the match of
        a found box of greater score.
    overlap: the least intersection over union of a found box and its match.
    """
    scores, hits = list[float](), list[bool]()
    for (boxes, confidences), true in zip(found, truth, strict=True):
        used: set[int] = set()
        match = overlaps(boxes, true)
        for at in range(len(boxes)):
            best = int(match[at].argmax()) if len(true) else -1
            hit = best >= 0 and match[at, best] >= overlap and best not in used
            used |= {best} if hit else set()
            scores.append(confidences[at])
            hits.append(hit)
    right = np.array(hits, bool)[np.argsort(-np.array(scores), kind="stable")].cumsum()
    recall, precision = right / sum(map(len, truth)), right / np.arange(1, len(right) + 1)
    steps = np.diff(np.concatenate([[0.0], recall]))
    return float((steps * np.maximum.accumulate(precision[::-1])[::-1]).sum())
