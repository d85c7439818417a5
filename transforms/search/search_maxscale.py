"""`search-maxscale`: SeeDot's exhaustive search for scales (section 5.3), by one number for the whole program.

Scales are propagated from constants and the input through the program by the rules of figure 3, which divide wherever
an operation might overflow. A result that would get a scale below `maxscale` is divided by less: beyond some point
overflows that are possible in theory do not occur in practice. The best maxscale is found by trying all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tinyml.transforms.search.engine import shared_options
from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import SearchPass
from tinyml.transforms.search.moves.maxscale import explore_maxscale


@dataclass(frozen=True)
class SearchMaxscalePass(SearchPass):
    """Try every maxscale from 0 to width - 1 and take the one with the least loss, the greatest in case of ties.

    widths: those to try, each for all tensors; by default the format's usual width. In the arithmetic of `seedot` this
    is SeeDot as published; in another one only the scales are SeeDot's. The metric is accuracy, as in the paper.
    """

    name = "search-maxscale"
    PAPER: ClassVar[str] = "SeeDot"
    metric: str = shared_options.metric("accuracy")
    widths: tuple[int, ...] = shared_options.widths()

    def search(self, search: Search) -> SearchResult:
        search.evaluation.begin("maxscale")
        results = [explore_maxscale(search, prototype) for prototype in search.offered(self.widths)]
        choices, maxscale, _ = min(results, key=lambda result: result[2])
        return SearchResult(choices, {tensors.name: f"maxscale {maxscale}" for tensors in search.classes})
