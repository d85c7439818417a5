"""`search-uniform`: gives all tensors one format, of the variant and width with the least loss
(MinUn's algorithm 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tinyml.transforms.search.engine.result import SearchResult
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.search_pass import SearchPass, widths_option
from tinyml.transforms.search.search_promote import best_variant, uniform_losses


@dataclass(frozen=True)
class SearchUniformPass(SearchPass):
    """Take the width with the least loss, the first in case of ties.

    widths: those to choose from; by default the format's usual width.
    """

    name = "search-uniform"
    PAPER: ClassVar[str] = "MinUn"
    widths: tuple[int, ...] = widths_option()

    def search(self, search: Search) -> SearchResult:
        search.evaluation.begin("variants")
        variants = [best_variant(search, format, search.fits) for format in search.offered(self.widths)]
        losses = uniform_losses(search, variants)
        best = variants[losses.index(min(losses))]
        reasons = {tensors.name: "all tensors have this format" for tensors in search.classes}
        return SearchResult(search.uniform(best), reasons)
