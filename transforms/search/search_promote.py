"""`search-promote`: Haunter, MinUn's search for bit widths (section 5.1, algorithms 4 to 8, and 7.7.2).

All tensors start narrow. Small tensors whose numbers change much with the width are widened first, while the program
stays within its RAM. Only a few candidates are evaluated, because the order of promotions is known in advance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress, product
from typing import ClassVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, Reals
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, with_choice
from tinyml.transforms.search.engine.moves import BUILDS, choose_formats, choose_scales, narrow_formats
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import STANDARD_ERROR, Criterion, Feasibility, Search, worse_by
from tinyml.transforms.search.engine.search_options import formats_option, widths_option
from tinyml.transforms.search.engine.search_pass import LimitedPass, at_widths
from tinyml.transforms.search.engine.tensor_values import value_map


def uniform_losses(search: Search, offered: Sequence[NumberFormat]) -> list[float]:
    """For each format, the loss of the program in which all tensors have it, by the metric of published algorithms for
    whole programs.
    """
    metric = search.evaluation.metric_of_programs
    programs = [search.formats(search.uniform(format)) for format in offered]
    return [search.evaluation.loss(outcome, metric) for outcome in search.evaluation.outcomes(programs, metric=metric)]


def best_variant(search: Search, prototype: NumberFormat, fits: Criterion) -> NumberFormat:
    """The variant of a format with the least loss (MinUn's algorithm 4, for the es of posits). Ties go to the first
    variant.

    Only variants that satisfy `fits` are considered. If there are none, the result is the first variant.
    """
    offered = [prototype] if search.is_given else prototype.variants
    if len(offered) == 1:
        return prototype
    possible = [format for format in offered if fits(search.uniform(format))] or offered[:1]
    losses = uniform_losses(search, possible)
    return possible[losses.index(min(losses))]


_PERCENTILE = 95
"""The percentile of element deviations that represents a tensor."""

_TENSORS = 400
"""Limit on the total number of tensors in all promotions that begin with an overshooting tensor.

Their time grows with the square of the number of tensors; the most promotable ones come first.
"""


def choose_pair(
    search: Search, offered: Sequence[NumberFormat], fits: Criterion
) -> tuple[NumberFormat, NumberFormat] | None:
    """Return two widths for all tensors, low and high, whose accuracies enclose the accuracy of the reals (MinUn
    7.7.2). None if no width satisfies `fits`.

    Each width is represented by its best variant (algorithm 4). Of at most two widths, low is the narrowest that
    satisfies `fits`, and high is the widest. Of more widths, only the narrowest among equally accurate ones is
    considered.

    high: the least accurate of the widths that are as accurate as the reals or better; without such widths, the most
        accurate width.
    low: the most accurate width that satisfies `fits`, is narrower than high and is less accurate. Without such a
        width, the most accurate width that satisfies `fits`, at most as wide as high if possible. If low is wider than
        high, high is set to low.
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
    """The promotability of each tensor (algorithms 5 and 6): the deviation of the tensor's numbers between the two
    widths, divided by the number of its elements.
    """
    maps = [value_map(search.evaluator, search.formats(search.uniform(format))) for format in (low, high)]
    return [
        representative(np.abs(wide - narrow)) / tensors.elements
        for tensors, narrow, wide in zip(search.classes, *maps, strict=True)
    ]


def representative(deviations: Reals) -> float:
    """The greatest of a tensor's deviations that is at most their 95th percentile (algorithm 6). With this rule, scores
    are those of table 1.
    """
    return float(np.percentile(deviations, _PERCENTILE, method="lower"))


class Promotion:
    """Algorithms 7 and 8, for one pair of a low and a high width.

    heat: the promotability of each tensor, as `heat_map` returns it.
    """

    def __init__(self, search: Search, low: NumberFormat, high: NumberFormat, heat: Sequence[float]):
        self.search = search
        self.low, self.high = search.choice(low), search.choice(high)
        self.heat = heat
        self.order = sorted(range(len(heat)), key=lambda i: -heat[i])

    def in_order(self, fits: Criterion) -> list[FormatChoice]:
        """Algorithm 7: the candidate with all promotions that fit, starting with the most promotable tensors.

        fits: the condition that a candidate must satisfy.
        """
        return self._choices(self._promoted(frozenset(), fits)[0])

    def best(self, fits: Criterion, fits_softly: Criterion | None = None) -> SearchResult:
        """Algorithm 8: return the result with the least loss among several promotions that satisfy `fits`, and the
        program without promotions.

        Each promotion promotes tensors in order. In the first promotion, the order is the order of promotability. Each
        tensor that did not fit, up to a limit on their number, comes first in one further promotion. In a last
        promotion, all these tensors come first.

        fits: the condition that the result must satisfy.
        fits_softly: a weaker condition that promotions must satisfy; None for `fits`.
        """
        fits_softly = fits_softly or fits
        promoted, overshooting = self._promoted(frozenset(), fits_softly)
        promotions = [promoted]
        for i in overshooting[: max(_TENSORS // len(self.order), 1)]:
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
        """Algorithm 7: return the set of promoted tensors, and the tensors that did not fit, in order.

        Tensors are tried in groups: twice as many after a group that fitted, half as many after a group that
        did not. If a group fits, its tensors would also fit one by one.

        promoted: the tensors that are promoted at the start.
        fits: the condition that a candidate must satisfy.
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


def use_room(
    search: Search, result: SearchResult, offered: Sequence[NumberFormat], heat: Sequence[float], fits: Criterion
) -> SearchResult:
    """Widen some tensors of a promotion's result to further widths, where this lowers the loss. Return the result.

    As in algorithm 7 of MinUn, tensors become wide in the order of promotability while the program fits. This is done
    for one width after the other, in two orders. From the widest width down, few tensors become as wide as possible.
    From the narrowest width up, many tensors become slightly wider. Both orders are also tried with all tensors narrow
    at the start, regardless of the pair. Tensors of other formats are unchanged.

    offered: the formats of the further widths.
    heat: the result of `heat_map`.
    fits: the condition that a candidate must satisfy.
    """
    narrowest = min(offered, key=lambda format: (not fits(search.uniform(format)), format.bits))
    own = [type(choice.prototype) is type(narrowest) and not choice.is_given for choice in result.choices]
    narrow = [FormatChoice(narrowest) if is_own else choice for is_own, choice in zip(own, result.choices, strict=True)]
    steps = [list(result.choices)]
    for choices, direction in product((steps[0], narrow), (-1, 1)):
        for wide in sorted(offered, key=lambda format: direction * format.bits):
            for i in sorted(compress(range(len(heat)), own), key=lambda i: -heat[i]):
                wider = with_choice(choices, i, FormatChoice(wide))
                if choices[i].prototype.bits < wide.bits and fits(wider):
                    choices = wider
            steps.append(choices)
    losses = search.losses(steps)
    best = steps[losses.index(min(losses))]
    return _with_reasons(search, result, best, "; made wider in free memory")


def _use_last_bytes(feasibility: Feasibility, result: SearchResult, offered: Sequence[NumberFormat]) -> SearchResult:
    """Widen single tensors while this lowers the loss by more than one standard error and meets the limits. Return the
    result.

    Estimates are off by a few bytes. Candidates are therefore built and run, unless the target's tools are missing.
    """
    search, choices, builds = feasibility.search, list(result.choices), BUILDS
    while True:
        wider = [
            with_choice(choices, i, replace(choice, prototype=wide))
            for i, choice in enumerate(choices)
            for wide in offered
            if type(choice.prototype) is type(wide) and not choice.is_given and choice.prototype.bits < wide.bits
        ]
        [least] = search.losses([choices])
        losses = search.losses(wider, least)
        ranked = sorted(zip(losses, wider, strict=True), key=lambda pair: pair[0])
        better = [
            candidate
            for loss, candidate in ranked
            if loss < worse_by(-STANDARD_ERROR, least) and search.fits(candidate, feasibility.limits.ram)
        ]
        feasible = (
            candidate
            for candidate in better[:builds]
            if feasibility.is_feasible(candidate) and feasibility.fits(candidate)
        )
        kept = next(feasible, None)
        if kept is None:
            return _with_reasons(search, result, choices, "; made wider in the last bytes")
        choices, builds = kept, builds - 1 - better.index(kept)


def _with_reasons(search: Search, result: SearchResult, choices: Sequence[FormatChoice], reason: str) -> SearchResult:
    """A copy of the result with other choices.

    reason: the reason to record for each choice that changed.
    """
    reasons = dict(result.reasons)
    for tensors, before, after in zip(search.classes, result.choices, choices, strict=True):
        if after != before:
            reasons[tensors.name] += reason
    return replace(result, choices=choices, reasons=reasons)


WIDTHS = (8, 9, 10, 12, 16)
"""The widths among which MinUn (section 7.7.2) selects a pair."""


@dataclass(frozen=True)
class SearchPromotePass(LimitedPass):
    """Assign a low or a high width to each tensor by algorithm 8 of MinUn.

    ram, flash: limits as in `LimitedPass`; none by default.
    target: determines the stack, as for `select-kernels`.
    widths: the candidates for the pair of a low and a high width (7.7.2); two widths are the pair.
    soft: promotions continue up to this multiple of `ram`, because tensors have no final offsets yet; a result above
        `ram` is never used.
    formats: alternative formats of single tensors (`choose_formats`).

    The pass extends the paper in two ways. If memory is limited and there are more than two widths, tensors change to
    other widths to use the memory that the chosen pair of widths leaves free. With the metric `margin`, which reflects
    saturation, the scales of tensors are then changed if that reduces the loss (`choose_scales`).

    Raises `InputError` if no width is within the limits, and for a `soft` that is not positive.
    """

    name = "search-promote"
    PAPER: ClassVar[str] = "MinUn"
    widths: tuple[int, ...] = widths_option(WIDTHS)
    soft: float | int = 1.0
    formats: tuple[str, ...] = formats_option()

    @property
    def other_formats(self) -> Sequence[str]:
        return self.formats

    def search(self, search: Search) -> SearchResult:
        if self.soft <= 0:
            raise InputError(f"soft must be positive, got {self.soft}")
        feasibility = Feasibility(search, self.limits)
        offered = search.offered(self.widths, WIDTHS)
        narrowest = min(offered, key=lambda format: format.bits)
        result = feasibility.first_feasible(lambda: self._promoted(feasibility), search.uniform(narrowest))
        if search.evaluation.metric == "margin" and self.limits.on_cost:
            result = choose_scales(search, self._narrowed(feasibility, result, offered), feasibility.admits)
            if search.others and len(offered) > 2:
                result = _rescaled(feasibility, _use_last_bytes(feasibility, result, offered))
        # Programs are built to check this: functions of some formats need stack that wide tensors would otherwise fill.
        result = choose_formats(search, result, feasibility.admits)
        return replace(result, loss=search.losses([result.choices])[0])

    def _promoted(self, feasibility: Feasibility) -> SearchResult:
        search, ram = feasibility.search, feasibility.limits.ram
        search.evaluation.begin("widths")
        offered = [best_variant(search, format, feasibility.fits) for format in search.offered(self.widths, WIDTHS)]
        pair = choose_pair(search, offered, feasibility.fits)
        if pair is None:
            raise feasibility.refusal(
                map(search.uniform, sorted(offered, key=lambda format: -format.bits)), at_widths(offered)
            )
        low, high = pair
        search.evaluation.begin("heat map")
        heat = heat_map(search, low, high)
        search.evaluation.begin("promotion")
        fits_softly = partial(feasibility.fits, ram=self.soft * ram)
        result = Promotion(search, low, high, heat).best(feasibility.fits, fits_softly)
        if not feasibility.limits.on_cost or len(offered) <= 2:
            return result
        widest = max(offered, key=lambda format: format.bits)
        widest_heat = heat if high == widest else heat_map(search, low, widest)
        return use_room(search, result, offered, widest_heat, feasibility.fits)

    def _narrowed(
        self, feasibility: Feasibility, result: SearchResult, offered: Sequence[NumberFormat]
    ) -> SearchResult:
        """Narrow the formats of a result, and widen tensors into the freed memory. Return the better of the
        given and the new result.

        Tensors are widened either to all offered widths or to a single width. Among these variants, the variant
        with the least loss at its best scales is used.
        """
        search = feasibility.search
        narrow = narrow_formats(search, result) if search.others else result
        if narrow is result or not feasibility.is_feasible(narrow.choices):
            return result
        offered = sorted(offered, key=lambda format: format.bits)
        width_sets = [offered, *([offered[0], wide] for wide in offered[1:])] if len(offered) > 2 else []
        heat = heat_map(search, offered[0], offered[-1])
        candidates = [result, narrow]
        for widths in width_sets:

            def widened(widths: Sequence[NumberFormat] = widths) -> SearchResult:
                return use_room(search, narrow, widths, heat, feasibility.fits)

            candidates.append(feasibility.first_feasible(widened, narrow.choices))
        rescaled = [_rescaled(feasibility, candidate) for candidate in candidates]
        losses = search.losses([candidate.choices for candidate in rescaled])
        return rescaled[losses.index(min(losses))]


def _rescaled(feasibility: Feasibility, result: SearchResult) -> SearchResult:
    """Improve the scales of a result, and return the new result. Estimates are corrected by the cost of the given
    result, which must have been measured.
    """
    feasibility.calibrate(result.choices)
    return choose_scales(feasibility.search, result, feasibility.admits)
