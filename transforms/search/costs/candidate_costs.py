"""What a candidate will cost on a device, by the packer and the cost model, and what it takes in the end.

Both belong to levels below: they are asked as passes, by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.universe import Universe

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.transforms.formats.evaluation.outcomes import judge_of
from tinyml.transforms.search.costs.pipelines_below import TO_LOOPS, Lowering

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats
    from tinyml.transforms.formats.evaluation.outcomes import Problem
    from tinyml.transforms.search.evaluation.workers import Workers

COST = "tinyml.cost"


@dataclass(frozen=True)
class Cost:
    """time: in the unit of the device. flash, ram: bytes, ram with the stack."""

    time: float
    flash: float
    ram: float

    def within(self, limit: Cost) -> bool:
        return self.time <= limit.time and self.flash <= limit.flash and self.ram <= limit.ram

    def times(self, factor: float) -> Cost:
        return Cost(factor * self.time, factor * self.flash, factor * self.ram)

    def plus(self, other: Cost) -> Cost:
        return Cost(self.time + other.time, self.flash + other.flash, self.ram + other.ram)

    def minus(self, other: Cost) -> Cost:
        return Cost(self.time - other.time, self.flash - other.flash, self.ram - other.ram)

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.time, self.flash, self.ram


@dataclass(frozen=True)
class Chip:
    """target: whose kernels programs use, and whose costs they have. pack_buffers: is `pack-buffers` run?"""

    target: str
    pack_buffers: bool = False


class Costs:
    """Of the candidates of one program on a chip.

    known: the estimates that were asked for. measurements: as `measured` gave them.
    """

    def __init__(self, candidates: Candidates, chip: Chip):
        self.candidates = candidates
        self.chip = chip
        estimate = f'estimate-cost{{target="{chip.target}"}}'
        self.lowering = Lowering(TO_LOOPS, estimate, **vars(chip))
        measure: Any = Universe.get_multiverse().all_passes["measure-cost"]()
        self.measuring = measure(**vars(chip))
        self.known: dict[Formats, Cost] = {}
        self.faults: dict[Formats, str] = {}
        self.measurements: dict[Formats, Cost | None] = {}

    def of(self, formats: Formats) -> Cost:
        """Raises `InputError` where the formats make no program, and for a target of unknown costs."""
        if formats in self.faults:
            raise InputError(self.faults[formats])
        if formats not in self.known:
            module, _ = self.candidates.in_formats(formats)
            self.lowering.apply(module)
            self.known[formats] = _cost(module.attributes[COST])
        return self.known[formats]

    def learn(self, candidates: Iterable[Formats], problem: Problem, workers: Workers) -> None:
        """Estimate candidates together, so that `of` knows them."""
        new = [one for one in dict.fromkeys(candidates) if one not in self.known and one not in self.faults]
        for question, found in workers.run(problem, [Question(one, self.chip) for one in new], estimates_of):
            if isinstance(found, Cost):
                self.known[question.formats] = found
            else:
                self.faults[question.formats] = found

    def measure(self, candidates: Iterable[Formats], problem: Problem, workers: Workers) -> None:
        """Build and run candidates together, so that `measured` knows what they take."""
        new = [one for one in dict.fromkeys(candidates) if one not in self.measurements]
        for question, found in workers.run(problem, [Question(one, self.chip) for one in new], measurements_of):
            self.measurements[question.formats] = found

    def measured(self, formats: Formats) -> Cost | None:
        """What the built program takes; None where the device is too small, or its tools are not installed."""
        if formats not in self.measurements:
            self.measurements[formats] = self.measured_with(formats, None)
        return self.measurements[formats]

    def measured_with(self, formats: Formats, refined: Mapping[int, Raws] | None) -> Cost | None:
        """The same with other raws of constants, as `RoundedConstants.raws` takes them."""
        module, _ = self.candidates.in_formats(formats, refined)
        with suppress(InputError):
            self.measuring.apply(context(), module)
        cost = module.attributes.get(COST)
        return None if cost is None else _cost(cost)


@dataclass(frozen=True)
class Question:
    """What will a candidate cost?"""

    formats: Formats
    chip: Chip


def estimates_of(problem: Problem, questions: Sequence[Question]) -> list[Cost | str]:
    """What candidates will cost, or why there is no program, worked out in this process."""
    found: list[Cost | str] = []
    for one in questions:
        try:
            found.append(costs_of(judge_of(problem).candidates, one.chip).of(one.formats))
        except InputError as error:
            found.append(error.message)
    return found


def measurements_of(problem: Problem, questions: Sequence[Question]) -> list[Cost | None]:
    """What candidates take, as `Costs.measured` has it, found in this process."""
    return [costs_of(judge_of(problem).candidates, one.chip).measured(one.formats) for one in questions]


@lru_cache(1)
def costs_of(candidates: Candidates, chip: Chip) -> Costs:
    """The same object each time."""
    return Costs(candidates, chip)


def _cost(attribute: Any) -> Cost:
    return Cost(**{name: value.value.data for name, value in attribute.data.items()})
