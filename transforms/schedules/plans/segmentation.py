"""The choice of segments: the sequence of candidates that covers all nodes with the lowest peak."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from tinyml.transforms.schedules.plans.graph import Graph
from tinyml.transforms.schedules.segments import Plan, Segment


def lower_bound(graph: Graph) -> int:
    """A lower bound, in bits, on the peak of every exact execution that computes each value once.

    The inputs are live at the beginning, and the results at the end. An operand that an op reads whole is live
    before the op begins.
    """
    bounds = [graph.size(*graph.inputs), graph.size(*graph.outputs)]
    for node in graph.nodes:
        whole = [read.tensor for read in node.reads if read.strides == (0, 0)]
        if whole:
            bounds.append(graph.size(*dict.fromkeys(whole)))
    return max(bounds)


def least_peak(nodes: int, candidates: Iterable[Segment], most_extra: int | None = None) -> Plan | None:
    """The plan with the lowest peak. Ties go to the plan with the least extra work. None if no candidates cover the
    nodes within `most_extra`.

    The result is optimal. For a given peak, dynamic programming finds the cover with the least extra work by candidates
    that do not exceed this peak. Bisection over the peaks of the candidates finds the lowest peak with a cover.

    nodes: the number of nodes.
    most_extra: a limit on the extra work; None for no limit.
    """
    known = list(candidates)
    peaks = sorted({0, *(candidate.bits for candidate in known)})

    def cover(peak: int) -> Plan | None:
        plan = cheapest(nodes, known, peak)
        return None if plan is not None and most_extra is not None and plan.extra > most_extra else plan

    least = bisect_left(peaks, True, key=lambda peak: cover(peak) is not None)
    return None if least == len(peaks) else cover(peaks[least])


def cheapest(nodes: int, candidates: Iterable[Segment], most_bits: int) -> Plan | None:
    """The plan with the least extra work whose peak is at most `most_bits`. None if there is no such plan.

    nodes: the number of nodes.
    """
    ending: list[list[Segment]] = [[] for _ in range(nodes)]
    for candidate in candidates:
        if candidate.bits <= most_bits:
            ending[candidate.last].append(candidate)
    best: list[tuple[int, Segment | None] | None] = [(0, None)]
    for segments in ending:
        options = [
            (before[0] + segment.extra, segment) for segment in segments if (before := best[segment.first]) is not None
        ]
        best.append(min(options, key=lambda option: option[0], default=None))
    end = best[-1]
    if end is None:
        return None
    chosen: list[Segment] = []
    while end is not None and end[1] is not None:
        chosen.append(end[1])
        end = best[end[1].first]
    return Plan(
        tuple(chosen[::-1]),
        max((segment.bits for segment in chosen), default=0),
        sum(segment.extra for segment in chosen),
        tuple(range(nodes)),
    )
