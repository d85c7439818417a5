"""Searches without programs. Test functions determine the loss and the costs of each candidate.

The formats of a candidate are its choices, so that expected values can be computed by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.search.engine.search import Search

Choices = Sequence[FormatChoice]
Judgement = Callable[[Choices], float]


def fixed(*widths: int) -> list[FormatChoice]:
    """For each width, the choice of the fixed-point format of this width."""
    return [FormatChoice(FixedType.of_width(width)) for width in widths]


def widths_of(choices: Choices) -> tuple[int, ...]:
    return tuple(choice.prototype.bits for choice in choices)


def missing_bits(choices: Choices) -> float:
    """A loss function: the sum over all tensors of 16 minus the number of bits."""
    return float(sum(16 - choice.prototype.bits for choice in choices))


def by_widths(losses: Mapping[tuple[int, ...], float], other: float = 99.0) -> Judgement:
    """A loss function with the given losses for some tuples of widths, and the loss `other` for all other tuples."""
    return lambda choices: losses.get(widths_of(choices), other)


class JudgedEvaluation:
    """A substitute for an evaluation, which obtains losses from test functions.

    tried: the widths of evaluated candidates, in order.
    phases: the phases that were begun, in order.
    """

    def __init__(self, loss: Judgement, error: Judgement, metric: str):
        self._loss, self._error = loss, error
        self.metric = self.metric_of_programs = metric
        self.phases: list[str] = []
        self.tried: list[tuple[int, ...]] = []
        self.asked: list[Any] = []
        self.known: dict[Any, Any] = {}
        self.workers = SimpleNamespace(size=2)
        self.problem = None

    @property
    def evaluated(self) -> int:
        return len(self.tried)

    def begin(self, phase: str) -> None:
        self.phases.append(phase)

    def outcomes(self, candidates: Sequence[Any], at_most: Any = float("inf"), metric: str | None = None) -> list[Any]:
        self.asked.append(at_most)
        for formats in candidates:
            if formats not in self.known:
                self.tried.append(widths_of(formats))
                self.known[formats] = SimpleNamespace(loss=self._loss(formats), margin=self._error(formats))
        return [self.known[formats] for formats in candidates]

    def loss(self, outcome: Any, metric: str | None = None) -> float:
        return outcome.loss

    def losses(self, candidates: Sequence[Any], at_most: Any = float("inf")) -> list[float]:
        return [self.loss(outcome) for outcome in self.outcomes(candidates, at_most)]


class JudgedCosts:
    """A substitute for the costs of candidates, which obtains costs from a test function.

    excess: a function that returns the bytes of RAM by which a measured program exceeds its estimate.
    """

    def __init__(self, cost: Callable[[Choices], ProgramCost], ram: Callable[[Choices], int]):
        self._cost = cost
        self.excess: Callable[[Choices], int] = lambda _: 0
        self.estimates: dict[Any, ProgramCost] = {}
        self.measurements: dict[Any, ProgramCost] = {}
        self.programs = SimpleNamespace(memory=ram)

    def estimated(self, formats: Any) -> ProgramCost:
        return self.estimates.setdefault(formats, self._cost(formats))

    def estimate(self, programs: Iterable[Any], *_: object) -> None:
        for formats in programs:
            self.estimated(formats)

    def measured(self, formats: Any) -> ProgramCost:
        cost = self._cost(formats)
        return self.measurements.setdefault(formats, cost.plus(ProgramCost(0, 0, self.excess(formats))))

    def measure(self, programs: Iterable[Any], *_: object) -> None:
        for formats in programs:
            self.measured(formats)


def _admitting(elements: int) -> Callable[[NumberFormat], bool]:
    """A predicate that is true for the formats that a constant of `elements` elements may have."""

    def admits(prototype: NumberFormat) -> bool:
        return elements >= (prototype.CONSTANTS_FROM or 0)

    return admits


class JudgedSearch(Search):
    """A search over tensors named a, b and so on. The time of a program is the sum of the bits of all elements.

    elements: the number of elements of each tensor.
    constants: the indices of tensors in flash, which need no RAM.
    refused: the tuples of widths of all tensors for which there is no program.

    `STACK` is the number of bytes of stack of each program.
    """

    STACK: int = 10

    def __init__(
        self,
        elements: Sequence[int],
        loss: Judgement,
        *,
        error: Judgement = lambda _: 0.0,
        metric: Any = "error",
        constants: Sequence[int] = (),
        ranges: Mapping[int, tuple[float, float]] = MappingProxyType({}),
        prototype: NumberFormat | None = None,
        others: Sequence[NumberFormat] = (),
        earlier: Mapping[str, FormatChoice] = MappingProxyType({}),
        refused: Sequence[tuple[int, ...]] = (),
    ):
        self.judged = self.evaluation = JudgedEvaluation(loss, error, metric)  # pyright: ignore
        self.prototype = prototype or FixedType.of_width(16)
        self.others = [FormatChoice(format) for format in others]
        self.is_given = False
        self.earlier = earlier
        self.pack_buffers = False
        self.refused = refused
        self.assignment: Any = None
        self.evaluator: Any = SimpleNamespace(reference=SimpleNamespace(scores=1))
        self.classes: Any = [
            SimpleNamespace(
                name="abcdefgh"[i],
                elements=size,
                is_constant=i in constants,
                range=ranges.get(i, (-1, 1)),
                admits=_admitting(size),
            )
            for i, size in enumerate(elements)
        ]

        def ram(choices: Choices) -> int:
            return sum(
                tensors.elements * choice.prototype.dtype.itemsize
                for tensors, choice in zip(self.classes, choices, strict=True)
                if not tensors.is_constant
            )

        def cost(choices: Choices) -> ProgramCost:
            pairs = [(one, choice.prototype) for one, choice in zip(self.classes, choices, strict=True)]
            flash = sum(one.elements * format.dtype.itemsize for one, format in pairs if one.is_constant)
            time = sum(one.elements * format.bits for one, format in pairs)
            return ProgramCost(time, 100 + flash, self.STACK + ram(choices))

        self.judged_costs: Any = JudgedCosts(cost, ram)
        self.memory: Any = self.judged_costs.programs.memory

    def formats(self, choices: Choices) -> Any:
        if widths_of(choices) in self.refused:
            raise InputError("refused")
        return tuple(choices)

    def costs(self, target: str, flash: int | None = None) -> Any:
        return self.judged_costs
