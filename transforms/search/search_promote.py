"""`search-promote`: Haunter, MinUn's search for bit widths (section 5.1, algorithms 4 to 8).

All tensors begin narrow. Those whose numbers change much with the width and that are small are made wide first, as long
as the program stays within its RAM. Only a few candidates are evaluated: what to promote next is known beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress, product
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.format_assignment import Choice, with_choice
from tinyml.transforms.formats.evaluation.tensor_values import value_map
from tinyml.transforms.search.engine.limited_pass import STANDARD_ERROR, LimitedPass
from tinyml.transforms.search.engine.limits import LimitedSearch
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.moves.backtracking import BUILDS
from tinyml.transforms.search.moves.format_moves import choose_formats, choose_scales, narrow_formats
from tinyml.transforms.search.moves.uniform_programs import best_variant, uniform_losses

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Reals

WIDTHS = (8, 9, 10, 12, 16)
"""Among which MinUn (section 7.7.2) looks for a pair."""

PERCENTILE = 95
"""Of the deviations of a tensor's elements, the one that stands for all."""


@dataclass(frozen=True)
class SearchPromotePass(LimitedPass):
    """Searches as algorithm 8 of MinUn does.

    widths: among which the pair of a low and a high one is chosen (7.7.2); two are taken as they are. soft: promotions
    go on up to this multiple of `ram`, as where they are placed is not final; a result above `ram` is never taken.
    formats: that single tensors may have instead (`other_formats`).

    Beyond the paper, where there is a limit and a choice of widths the others take the room that the pair leaves; and
    with the metric `margin`, which sees what saturates, tensors take other scales (`choose_scales`).
    """

    name = "search-promote"
    widths: tuple[int, ...] = WIDTHS
    soft: float | int = 1.0
    formats: tuple[str, ...] = ()

    @property
    def other_formats(self) -> Sequence[str]:
        return self.formats

    def search(self, search: Search) -> Found:
        if self.soft <= 0:
            raise InputError(f"soft must be positive, got {self.soft}")
        limited, ram = self.limited(search), self.limits.ram
        offered = search.offered(self.widths, WIDTHS)
        narrowest = min(offered, key=lambda one: one.bits)
        found = limited.found(lambda: self._promoted(limited, ram), search.uniform(narrowest))
        if search.evaluation.metric == "margin" and self.ram is not None:
            found = choose_scales(limited, self._spared(limited, found, offered, ram), ram, limited.keeps)
            if search.others and len(offered) > 2:
                found = self._scaled(limited, use_last_bytes(limited, found, offered, ram), ram)
        # A format whose functions take much of the stack is not to take the place of wide tensors.
        found = choose_formats(limited, found, ram, limited.keeps)
        return replace(found, loss=search.losses([found.choices])[0])

    def _spared(self, search: LimitedSearch, found: Found, offered: Sequence[NumberFormat], ram: float) -> Found:
        """What was found, or the same in narrower ones of the other formats, with wider tensors in the room that these
        leave: of all widths or of one. What loses least at its best scales."""
        narrow = narrow_formats(search, found) if search.others else found
        if narrow is found or not search.keeps(narrow.choices):
            return found
        offered = sorted(offered, key=lambda one: one.bits)
        ways = [offered, *([offered[0], wide] for wide in offered[1:])] if len(offered) > 2 else []
        heat = heat_map(search, offered[0], offered[-1])
        candidates = [found, narrow]
        for way in ways:
            candidates.append(search.found(lambda way=way: use_room(search, narrow, way, heat, ram), narrow.choices))
        scaled = [self._scaled(search, one, ram) for one in candidates]
        losses = search.losses([one.choices for one in scaled])
        return scaled[losses.index(min(losses))]

    def _scaled(self, search: LimitedSearch, found: Found, ram: float) -> Found:
        """The same at other scales; what it costs is known."""
        search.settle(found.choices)
        return choose_scales(search, found, ram, search.keeps)

    def _promoted(self, search: Search, ram: float) -> Found:
        search.evaluation.begin("widths")
        offered = [best_variant(search, one) for one in search.offered(self.widths, WIDTHS)]
        low, high = choose_pair(search, offered, ram)
        search.evaluation.begin("heat map")
        heat = heat_map(search, low, high)
        search.evaluation.begin("promotion")
        found = promote(search, low, high, heat, ram, self.soft)
        if math.isinf(ram) or len(offered) <= 2:
            return found
        widest = max(offered, key=lambda one: one.bits)
        return use_room(search, found, offered, heat if high == widest else heat_map(search, low, widest), ram)


def choose_pair(search: Search, offered: Sequence[NumberFormat], ram: float) -> tuple[NumberFormat, NumberFormat]:
    """MinUn 7.7.2: the two widths between whose accuracies, all tensors being equal, that of the reals lies.

    Of each width the best variant counts (algorithm 4), and of equally accurate widths the lowest. Where all are worse
    than the reals the two best are taken; where no lower width is worse, or there is only one, both are the same. The
    low one is one with which the program fits. Raises `InputError` where nothing fits.
    """
    offered = [best_variant(search, one) for one in offered]
    fitting = [one for one in offered if search.fits(search.uniform(one), ram)]
    if not fitting:
        raise InputError(f"no program works in {ram:.0f} bytes of RAM, whatever the width")
    if len(offered) <= 2:
        return min(fitting, key=lambda one: one.bits), max(offered, key=lambda one: one.bits)
    loss = dict(zip(offered, uniform_losses(search, offered), strict=True))
    ranked = sorted(offered, key=lambda one: (loss[one], one.bits))
    distinct = [one for i, one in enumerate(ranked) if i == 0 or loss[one] > loss[ranked[i - 1]]]
    as_good = [one for one in distinct if loss[one] <= 0]
    high = as_good[-1] if as_good else distinct[0]
    worse = [one for one in distinct if one in fitting and loss[one] > loss[high] and one.bits < high.bits]
    low = worse[0] if worse else min(fitting, key=lambda one: (one.bits > high.bits, loss[one]))
    return low, max(low, high, key=lambda one: one.bits)


def heat_map(search: Search, low: NumberFormat, high: NumberFormat) -> list[float]:
    """Algorithms 5 and 6: the promotability of each tensor, how much its numbers deviate between the widths over how
    many they are."""
    import numpy as np

    maps = [value_map(search.judge, search.formats(search.uniform(one))) for one in (low, high)]
    return [
        _percentile(np.abs(wide - narrow)) / one.elements
        for one, narrow, wide in zip(search.classes, *maps, strict=True)
    ]


def _percentile(deviations: Reals) -> float:
    import numpy as np

    return float(np.percentile(deviations, PERCENTILE))


def promote(
    search: Search, low: NumberFormat, high: NumberFormat, heat: Sequence[float], ram: float, soft: float
) -> Found:
    """Algorithm 8: the best candidate of two widths that works in `ram` bytes."""
    return _Promotion(search, low, high, heat, ram, soft).found()


def promote_in_order(
    search: Search, low: NumberFormat, high: NumberFormat, heat: Sequence[float], ram: float
) -> list[Choice]:
    """Algorithm 7: what can be promoted within `ram` bytes, the most promotable tensors first."""
    promotion = _Promotion(search, low, high, heat, ram, 1.0)
    return promotion.choices(promotion.within_limit(frozenset())[0])


def use_room(search: Search, found: Found, offered: Sequence[NumberFormat], heat: Sequence[float], ram: float) -> Found:
    """What promotion found, with tensors of further widths in the room that it leaves, where the program loses less.

    As in algorithm 7 tensors become wide in order as long as the program works in `ram` bytes, by one width after the
    other: from the widest down, so that few are as wide as possible, and from the narrowest up, so that many are a
    little wider. The same is tried from where all are narrow, whatever the pair. Tensors of other formats stay as they
    are.
    """
    narrowest = min(offered, key=lambda one: (not search.fits(search.uniform(one), ram), one.bits))
    own = [type(one.prototype) is type(narrowest) for one in found.choices]
    narrow = [Choice(narrowest) if is_own else one for is_own, one in zip(own, found.choices, strict=True)]
    steps = [list(found.choices)]
    for choices, ways in product((steps[0], narrow), (-1, 1)):
        for wide in sorted(offered, key=lambda one: ways * one.bits):
            for i in sorted(compress(range(len(heat)), own), key=lambda i: -heat[i]):
                wider = with_choice(choices, i, Choice(wide))
                if choices[i].prototype.bits < wide.bits and search.fits(wider, ram):
                    choices = wider
            steps.append(choices)
    losses = search.losses(steps)
    best = steps[losses.index(min(losses))]
    return _with_reasons(search, found, best, "; made wider in the room that was left")


def use_last_bytes(search: LimitedSearch, found: Found, offered: Sequence[NumberFormat], ram: float) -> Found:
    """What was found, with single tensors wider as long as the program loses less and works in `ram` bytes.

    Not what estimates say of programs counts here, which are a few bytes off, but what these need when they are built,
    where that can be done.
    """
    choices, builds = list(found.choices), BUILDS
    while True:
        wider = [
            with_choice(choices, i, replace(now, prototype=wide))
            for i, now in enumerate(choices)
            for wide in offered
            if type(now.prototype) is type(wide) and now.prototype.bits < wide.bits
        ]
        [least] = search.losses([choices])
        losses = search.losses(wider, least)
        ranked = sorted(zip(losses, wider, strict=True), key=lambda pair: pair[0])
        better = [
            one for loss, one in ranked if loss < (1 - STANDARD_ERROR) * least and search.unlimited.fits(one, ram)
        ]
        kept = next((one for one in better[:builds] if search.keeps(one) and search.fits(one, ram)), None)
        if kept is None:
            return _with_reasons(search, found, choices, "; made wider in the last bytes")
        choices, builds = kept, builds - 1 - better.index(kept)


def _with_reasons(search: Search, found: Found, choices: Sequence[Choice], reason: str) -> Found:
    """What was found with other choices, and why these are others."""
    reasons = dict(found.reasons)
    for one, before, after in zip(search.classes, found.choices, choices, strict=True):
        if after != before:
            reasons[one.name] += reason
    return replace(found, choices=choices, reasons=reasons)


class _Promotion:
    """Algorithms 7 and 8."""

    def __init__(
        self, search: Search, low: NumberFormat, high: NumberFormat, heat: Sequence[float], ram: float, soft: float
    ):
        self.search = search
        self.low, self.high = Choice(low), Choice(high)
        self.heat = heat
        self.order = sorted(range(len(heat)), key=lambda i: -heat[i])
        self.ram, self.soft = ram, ram * soft

    def found(self) -> Found:
        """Algorithm 8: promotion in order, then with each tensor first that went beyond the limit, then with all of
        them; of all that fit, the one that loses least."""
        results: list[frozenset[int]] = []
        promoted, overshooting = self.within_limit(frozenset())
        results.append(promoted)
        for one in overshooting:
            if self.search.fits(self.choices({one}), self.soft):
                results.append(self.within_limit(frozenset({one}))[0])
        results.append(self.within_limit(frozenset(overshooting))[0])
        fitting = [one for one in dict.fromkeys(results) if self.search.fits(self.choices(one), self.ram)]
        fitting.append(frozenset())
        losses = self.search.losses([self.choices(one) for one in fitting])
        best = fitting[losses.index(min(losses))]
        reasons = {one.name: self.reason(i, i in best, overshooting) for i, one in enumerate(self.search.classes)}
        return Found(self.choices(best), reasons)

    def within_limit(self, promoted: frozenset[int]) -> tuple[frozenset[int], list[int]]:
        """Algorithm 7: what can be promoted beside some tensors, in order, and what went beyond the limit."""
        overshooting: list[int] = []
        for i in self.order:
            if i in promoted:
                continue
            if self.search.fits(self.choices(promoted | {i}), self.soft):
                promoted |= {i}
            else:
                overshooting.append(i)
        return promoted, overshooting

    def choices(self, promoted: frozenset[int] | set[int]) -> list[Choice]:
        return [self.high if i in promoted else self.low for i in range(len(self.heat))]

    def reason(self, i: int, promoted: bool, overshooting: Sequence[int]) -> str:
        beyond = ", beyond the limit by itself" if i in overshooting else ""
        return f"{'promoted' if promoted else 'kept'}: promotability {self.heat[i]:.3g}{beyond}"
