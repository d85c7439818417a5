"""The base of MinUn's baselines (section 7.5): two widths within a limit on RAM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tinyml.targets.registry import USUAL
from tinyml.transforms.search.engine import shared_options
from tinyml.transforms.search.engine.limits import Limits, limit
from tinyml.transforms.search.engine.search_pass import SearchPass


@dataclass(frozen=True)
class BaselinePass(SearchPass):
    """A search for the tensors that become narrow until the program fits.

    ram: bytes that arena, input and stack may take; without it all tensors stay wide. target: determines the stack, as
    for `select-kernels`. widths: of demoted tensors and of others, as for `search-demote`.
    """

    PAPER: ClassVar[str] = "MinUn"
    ram: int | None = shared_options.ram()
    target: str = USUAL
    widths: tuple[int, ...] = shared_options.widths()

    @property
    def limits(self) -> Limits:
        return Limits(ram=limit(self.ram), target=self.target)
