"""What the searches under limits on RAM share: they also find out how the sums that loops carry are best kept.

Accumulators are exact, but take twice the memory of 16 bits. Rounded sums (`round-sums`) leave more of it to other
tensors, and the less the fewer factors are held at once. Which of these programs loses least is known when formats for
each have been found.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinyml.dialects.formats.lookup import format_named
from tinyml.targets.registry import USUAL
from tinyml.transforms.ir.rounded_sums import round_carried_sums
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.search.costs.candidate_costs import Cost
from tinyml.transforms.search.engine.limits import LimitedSearch
from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search, SearchPass

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

BLOCKS = (16, 1)
"""Of how many iterations products are rounded at once: what is held of them takes memory, or none."""

STANDARD_ERROR = 0.03
"""Of margins' errors on some thousand samples, as a part of them: who loses less by less than this may lose more on
other data."""


def nearly_least(losses: Sequence[float]) -> list[bool]:
    """Which losses are no greater than the least, as far as can be told?"""
    least = min(losses)
    return [loss <= least + STANDARD_ERROR * abs(least) for loss in losses]


@dataclass(frozen=True)
class LimitedPass(SearchPass, ABC):
    """ram: bytes that the program may work in, with the stack; no limit by default. target: whose stack that is, as
    `select-kernels` takes it."""

    ram: int | None = None
    target: str = USUAL

    def programs(self, ctx: Context, op: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
        """The program and, where memory is limited and loops carry sums, those that carry these in their format."""
        yield op
        found = [op]
        limited = self.ram is not None and not format_named(ctx, self.format, None).AS_PUBLISHED
        for block in BLOCKS if limited else ():
            rounded = op.clone()
            round_carried_sums(rounded, block)
            if not any(map(rounded.is_structurally_equivalent, found)):
                found.append(rounded.clone())
                record_profiles(rounded, inputs)
                yield rounded

    def suffices(self, found: Sequence[Found]) -> bool:
        """By metrics that count samples programs that differ so little cannot be compared: the first is taken."""
        return bool(found) and self.metric != "margin"

    @property
    def limits(self) -> Cost:
        """What the program may cost."""
        return Cost(math.inf, math.inf, math.inf if self.ram is None else float(self.ram))

    def limited(self, search: Search) -> LimitedSearch:
        """A search under these limits."""
        return LimitedSearch(search, self.limits, self.target)

    def refined(self, search: Search, found: Found) -> Found:
        return self.limited(search).refined(found)

    def preferred(self, found: Sequence[Found]) -> int:
        """The first, which is the fastest, of those that lose nearly the least."""
        return nearly_least([one.loss for one in found]).index(True)
