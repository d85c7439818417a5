"""`search-uniform`: all tensors in one format, of the variant and width that lose least (MinUn's algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.transforms.search.engine.result import Found
from tinyml.transforms.search.engine.search import Search, SearchPass
from tinyml.transforms.search.moves.uniform_programs import best_variant, uniform_losses


@dataclass(frozen=True)
class SearchUniformPass(SearchPass):
    """widths: to choose between, the usual one by default; of those that lose equally little the first is taken."""

    name = "search-uniform"
    widths: tuple[int, ...] = ()

    def search(self, search: Search) -> Found:
        search.evaluation.begin("variants")
        best = [best_variant(search, one) for one in search.offered(self.widths)]
        losses = uniform_losses(search, best)
        chosen = best[losses.index(min(losses))]
        return Found(search.uniform(chosen), {one.name: "all tensors have this format" for one in search.classes})
