"""`search-promote`: Haunter, MinUn's search for bit widths (section 5.1, algorithms 4 to 8).

All tensors start narrow. Small tensors whose numbers change much with the width are made wide first, as long as the
program stays within its RAM. Only a few candidates are evaluated, since the order of promotions is known in advance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.targets.registry import USUAL
from tinyml.transforms.search.engine import shared_options
from tinyml.transforms.search.engine.feasibility import Feasibility
from tinyml.transforms.search.engine.limits import Limits, limit
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import SearchPass
from tinyml.transforms.search.moves.format_moves import choose_formats, choose_scales, narrow_formats
from tinyml.transforms.search.moves.promotion import Promotion, choose_pair, heat_map
from tinyml.transforms.search.moves.spare_room import use_last_bytes, use_room
from tinyml.transforms.search.moves.uniform_programs import best_variant

WIDTHS = (8, 9, 10, 12, 16)
"""The widths among which MinUn (section 7.7.2) selects a pair."""


@dataclass(frozen=True)
class SearchPromotePass(SearchPass):
    """Searches with algorithm 8 of MinUn.

    ram: bytes that arena, input and stack may take; no limit by default. target: determines the stack, as for
    `select-kernels`. widths: among which the pair of a low and a high one is chosen (7.7.2); two are taken as given.
    soft: promotions continue up to this multiple of `ram`, since tensors have no final offsets yet; a result above
    `ram` is never taken. formats: that single tensors may have instead (`format_moves`).

    In addition to the paper, with a limit and a choice of widths, the other widths fill the memory that the pair
    leaves; and with the metric `margin`, which reflects saturation, tensors take other scales (`choose_scales`).
    """

    name = "search-promote"
    PAPER: ClassVar[str] = "MinUn"
    ram: int | None = shared_options.ram()
    target: str = USUAL
    widths: tuple[int, ...] = shared_options.widths(WIDTHS)
    soft: float | int = 1.0
    formats: tuple[str, ...] = shared_options.formats()

    @property
    def other_formats(self) -> Sequence[str]:
        return self.formats

    @property
    def limits(self) -> Limits:
        return Limits(ram=limit(self.ram), target=self.target)

    def search(self, search: Search) -> SearchResult:
        if self.soft <= 0:
            raise InputError(f"soft must be positive, got {self.soft}")
        feasibility = Feasibility(search, self.limits)
        offered = search.offered(self.widths, WIDTHS)
        narrowest = min(offered, key=lambda format: format.bits)
        result = feasibility.first_feasible(lambda: self._promoted(feasibility), search.uniform(narrowest))
        if search.evaluation.metric == "margin" and self.ram is not None:
            result = choose_scales(search, self._narrowed(feasibility, result, offered), feasibility.admits)
            if search.others and len(offered) > 2:
                result = _rescaled(feasibility, use_last_bytes(feasibility, result, offered))
        # Not only by estimates: a format whose functions take much of the stack must not displace wide tensors.
        result = choose_formats(search, result, feasibility.admits)
        return replace(result, loss=search.losses([result.choices])[0])

    def _promoted(self, feasibility: Feasibility) -> SearchResult:
        search, ram = feasibility.search, feasibility.limits.ram
        search.evaluation.begin("widths")
        offered = [best_variant(search, format, feasibility.fits) for format in search.offered(self.widths, WIDTHS)]
        pair = choose_pair(search, offered, feasibility.fits)
        if pair is None:
            raise InputError(f"no program works in {ram:.0f} bytes of RAM, whatever the width")
        low, high = pair
        search.evaluation.begin("heat map")
        heat = heat_map(search, low, high)
        search.evaluation.begin("promotion")
        fits_softly = partial(feasibility.fits, ram=self.soft * ram)
        result = Promotion(search, low, high, heat).best(feasibility.fits, fits_softly)
        if math.isinf(ram) or len(offered) <= 2:
            return result
        widest = max(offered, key=lambda format: format.bits)
        widest_heat = heat if high == widest else heat_map(search, low, widest)
        return use_room(search, result, offered, widest_heat, feasibility.fits)

    def _narrowed(
        self, feasibility: Feasibility, result: SearchResult, offered: Sequence[NumberFormat]
    ) -> SearchResult:
        """The better of a result and its variants in narrower formats, with tensors widened into the memory freed.

        The wider tensors have all offered widths or a single one; the variant with the least loss at its best scales is
        taken.
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
    """A result at better scales; its cost is known."""
    feasibility.calibrate(result.choices)
    return choose_scales(feasibility.search, result, feasibility.admits)
