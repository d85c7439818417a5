"""Limits on the costs of a program on a target, and on its loss."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tinyml.targets.registry import USUAL
from tinyml.transforms.search.costs.pipelines_below import ProgramCost


@dataclass(frozen=True)
class Limits:
    """Upper limits; infinite where there is none.

    time: in the target's unit. flash, ram: bytes, RAM including the stack. loss: in the unit of the metric; a
    preference, which a search may have to violate. target: the source of kernels and costs, as for `select-kernels`.
    """

    time: float = math.inf
    flash: float = math.inf
    ram: float = math.inf
    loss: float = math.inf
    target: str = USUAL

    @property
    def cost(self) -> ProgramCost:
        """The greatest cost that keeps the limits."""
        return ProgramCost(self.time, self.flash, self.ram)

    @property
    def on_cost(self) -> bool:
        """True if any resource is limited."""
        return not all(map(math.isinf, self.cost.numbers))

    @property
    def on_ram_only(self) -> bool:
        """True if no resource but RAM has a limit."""
        return math.isinf(self.time) and math.isinf(self.flash)


def limit(value: float | None) -> float:
    """A limit from an option, where None is no limit."""
    return math.inf if value is None else float(value)
