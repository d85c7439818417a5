"""MinUn's promotion, Haunter (section 5.1, algorithms 5 to 8, and 7.7.2): narrow tensors become wide.

Small tensors whose numbers change much with the width come first, as long as the program fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.evaluation.candidates import value_map
from tinyml.transforms.search.engine.result import SearchResult

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import NumberFormat, Reals
    from tinyml.transforms.search.engine.feasibility import Criterion
    from tinyml.transforms.search.engine.search import Search


def uniform_losses(search: Search, offered: Sequence[NumberFormat]) -> list[float]:
    """The loss of the program in each format, by the metric that compares whole programs."""
    metric = search.evaluation.metric_of_programs
    programs = [search.formats(search.uniform(format)) for format in offered]
    return [search.evaluation.loss(outcome, metric) for outcome in search.evaluation.outcomes(programs, metric=metric)]


def best_variant(search: Search, prototype: NumberFormat, fits: Criterion) -> NumberFormat:
    """The first variant of a width with the least loss (MinUn's algorithm 4, for the es of posits).

    Only variants that fit are considered, unless none fits.
    """
    offered = prototype.variants
    if len(offered) == 1:
        return prototype
    possible = [format for format in offered if fits(search.uniform(format))] or offered[:1]
    losses = uniform_losses(search, possible)
    return possible[losses.index(min(losses))]


PERCENTILE = 95
"""The percentile of element deviations that represents a tensor."""

TENSORS = 400
"""Limit on the tensors that all promotions beginning with an overshooting tensor go through together.

Their time grows with the square of the number of tensors; the most promotable ones come first.
"""


def choose_pair(
    search: Search, offered: Sequence[NumberFormat], fits: Criterion
) -> tuple[NumberFormat, NumberFormat] | None:
    """MinUn 7.7.2: the two widths, used for all tensors, whose accuracies enclose that of the reals.

    Each width is represented by its best variant (algorithm 4), and among equally accurate widths the least counts. If
    all are worse than the reals, the two best are taken; if no lower width is worse, or there is only one, both are the
    same. The program fits with the low one; None if it fits with no width.
    """
    offered = [best_variant(search, format, fits) for format in offered]
    fitting = [format for format in offered if fits(search.uniform(format))]
    if not fitting:
        return None
    if len(offered) <= 2:
        return min(fitting, key=lambda format: format.bits), max(offered, key=lambda format: format.bits)
    loss = dict(zip(offered, uniform_losses(search, offered), strict=True))
    ranked = sorted(offered, key=lambda format: (loss[format], format.bits))
    distinct = [format for i, format in enumerate(ranked) if i == 0 or loss[format] > loss[ranked[i - 1]]]
    as_good = [format for format in distinct if loss[format] <= 0]
    high = as_good[-1] if as_good else distinct[0]
    worse = [
        format for format in distinct if format in fitting and loss[format] > loss[high] and format.bits < high.bits
    ]
    low = worse[0] if worse else min(fitting, key=lambda format: (format.bits > high.bits, loss[format]))
    return low, max(low, high, key=lambda format: format.bits)


def heat_map(search: Search, low: NumberFormat, high: NumberFormat) -> list[float]:
    """Algorithms 5 and 6: the promotability of each tensor.

    It is the deviation of its numbers between the widths divided by the number of its elements.
    """
    maps = [value_map(search.evaluator, search.formats(search.uniform(format))) for format in (low, high)]
    return [
        _percentile(np.abs(wide - narrow)) / tensors.elements
        for tensors, narrow, wide in zip(search.classes, *maps, strict=True)
    ]


def _percentile(deviations: Reals) -> float:
    return float(np.percentile(deviations, PERCENTILE))


class Promotion:
    """Algorithms 7 and 8, for one pair of widths. heat: as returned by `heat_map`."""

    def __init__(self, search: Search, low: NumberFormat, high: NumberFormat, heat: Sequence[float]):
        self.search = search
        self.low, self.high = FormatChoice(low), FormatChoice(high)
        self.heat = heat
        self.order = sorted(range(len(heat)), key=lambda i: -heat[i])

    def in_order(self, fits: Criterion) -> list[FormatChoice]:
        """Algorithm 7: the candidate with all promotions that fit, the most promotable tensors first."""
        return self._choices(self._promoted(frozenset(), fits)[0])

    def best(self, fits: Criterion, fits_softly: Criterion | None = None) -> SearchResult:
        """Algorithm 8: promotion in order, then with each tensor first that did not fit, then with all of these first.

        Among the candidates that fit, the one with the least loss is taken. fits_softly: a weaker condition that
        promotions have to satisfy.
        """
        fits_softly = fits_softly or fits
        promoted, overshooting = self._promoted(frozenset(), fits_softly)
        promotions = [promoted]
        for i in overshooting[: max(TENSORS // len(self.order), 1)]:
            if fits_softly(self._choices({i})):
                promotions.append(self._promoted(frozenset({i}), fits_softly)[0])
        promotions.append(self._promoted(frozenset(overshooting), fits_softly)[0])
        fitting = [promoted for promoted in dict.fromkeys(promotions) if fits(self._choices(promoted))]
        fitting.append(frozenset())
        losses = self.search.losses([self._choices(promoted) for promoted in fitting])
        best = fitting[losses.index(min(losses))]
        reasons = {
            tensors.name: self._reason(i, i in best, overshooting) for i, tensors in enumerate(self.search.classes)
        }
        return SearchResult(self._choices(best), reasons)

    def _promoted(self, promoted: frozenset[int], fits: Criterion) -> tuple[frozenset[int], list[int]]:
        """Algorithm 7: the tensors promoted in addition to the given ones, in order, and those that did not fit.

        Tensors are tried in groups: twice as many after a group that fitted, half as many after one that did not. The
        tensors of a group that fits would fit one after the other, too.
        """
        overshooting: list[int] = []
        waiting = [i for i in self.order if i not in promoted]
        size = len(waiting)
        while waiting:
            together = frozenset(waiting[:size])
            if fits(self._choices(promoted | together)):
                promoted |= together
                waiting, size = waiting[size:], 2 * size
            elif size == 1 or len(together) == 1:
                overshooting.append(waiting.pop(0))
            else:
                size = len(together) // 2
        return promoted, overshooting

    def _choices(self, promoted: frozenset[int] | set[int]) -> list[FormatChoice]:
        return [self.high if i in promoted else self.low for i in range(len(self.heat))]

    def _reason(self, i: int, promoted: bool, overshooting: Sequence[int]) -> str:
        beyond = ", beyond the limit by itself" if i in overshooting else ""
        return f"{'promoted' if promoted else 'kept'}: promotability {self.heat[i]:.3g}{beyond}"
