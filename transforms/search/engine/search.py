"""A search among the candidates of one program: their formats, losses and memory, and the check of limits.

Limits are on RAM (including the stack), flash, time and loss. The cost of a program is known after the program is built
and run, which takes most of a second. Before that, the packer computes arena and input, and the cost model estimates
the remaining memory and the time. The cost model is ten times slower than the packer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.targets.costs import cost_table
from tinyml.targets.registry import DEFAULT_TARGET, spends_flash
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass
from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.search.costs.candidate_costs import CandidateCosts, Platform, costs_on
from tinyml.transforms.search.engine.evaluation import Evaluation

if TYPE_CHECKING:
    from tinyml.transforms.search.engine.result import SearchResult


class Search:
    """The candidates of one program. Choices, formats and losses are in the order of `classes`, one for each class.

    A candidate is a `FormatChoice` for each class of tensors. The code of searches is independent of the number format.

    prototype: a format of the searched family.
    others: alternative families or types of tensors, of any width.
    pack_buffers: whether buffers are packed.
    earlier: choices for an equivalent program, by the names of its tensors.
    target: the board for whose programs memory is computed, as for `select-kernels`.
    is_given: whether the prototype is a type that an option specifies. It is then the only format of its family.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        prototype: NumberFormat,
        others: Sequence[FormatChoice] = (),
        pack_buffers: bool = False,
        earlier: Mapping[str, FormatChoice] = MappingProxyType({}),
        target: str = DEFAULT_TARGET,
        *,
        is_given: bool = False,
    ):
        self.evaluation = evaluation
        self.prototype = prototype
        self.is_given = is_given
        self.others = others
        self.evaluator = evaluation.evaluator
        self.assignment = self.evaluator.candidates.assignment
        self.classes = self.assignment.classes
        self.pack_buffers = pack_buffers
        self.earlier = earlier
        self.memory = self.costs(target).programs.memory

    def uniform(self, prototype: NumberFormat) -> list[FormatChoice]:
        """The candidate in which all tensors have the same choice."""
        return [self.choice(prototype)] * len(self.classes)

    def choice(self, prototype: NumberFormat) -> FormatChoice:
        """The choice of a format of the searched family."""
        return FormatChoice(prototype, is_given=self.is_given)

    @property
    def candidates(self) -> Sequence[NumberFormat]:
        """The formats of the searched family that a tensor may have."""
        return [each.prototype for each in self.choice(self.prototype).candidates]

    def formats(self, choices: Sequence[FormatChoice]) -> Formats:
        """The formats that a candidate's choices yield after all steps of the format assignment."""
        return tuple(self.assignment.formats(choices))

    def losses(
        self, candidates: Iterable[Sequence[FormatChoice]], at_most: float | Sequence[float] = float("inf")
    ) -> list[float]:
        """The losses of candidates, in their order. If a loss exceeds `at_most`, the result may be a lower bound on
        it.
        """
        return self.evaluation.losses([self.formats(choices) for choices in candidates], at_most)

    def fits(self, choices: Sequence[FormatChoice], ram: float = float("inf")) -> bool:
        """Whether a candidate is a valid program whose arena and input need at most `ram` bytes."""
        try:
            return self.memory(self.formats(choices)) <= ram
        except InputError:
            return False

    def constant_bytes(self, formats: Formats) -> int:
        """The bytes of a candidate's constants, with each constant rounded up to whole bytes."""
        pairs = zip(self.classes, formats, strict=True)
        return sum(-(-stored_bits(tensors, format) // 8) for tensors, format in pairs if tensors.is_constant)

    def costs(self, target: str, flash: int | None = None) -> CandidateCosts:
        """The costs of candidates on a target. Repeated calls return the same object.

        target: as for `select-kernels`.
        flash: the bytes that `spend-flash` may use.
        """
        return costs_on(self.evaluator.candidates, Platform(target, self.pack_buffers, flash))

    def offered(self, widths: Sequence[int], usual: Sequence[int] = ()) -> list[NumberFormat]:
        """The formats of the requested widths.

        If no widths are requested, or exactly the widths `usual`, the result has the widths of `usual` that the family
        has, or else only the family's usual format. Raises `InputError` for other widths that the family does not have.
        """
        if widths and tuple(widths) != tuple(usual):
            return [self.prototype_of(width) for width in widths]
        return [format for format in self.candidates if format.bits in usual] or [self.prototype]

    @property
    def offers(self) -> str:
        """The widths that the format offers to searches, as text for a message."""
        widths = [str(format.bits) for format in self.candidates]
        return (
            f"searches of this format choose among the widths {', '.join(widths)}"
            if widths[1:]
            else (f"this format offers the width {widths[0]} to searches")
        )

    def prototype_of(self, bits: int) -> NumberFormat:
        """The format of `bits` bits: one of the format's `candidates`, or another format of the family.

        Raises `InputError`, with the offered widths, if there is none.
        """
        found = next((format for format in self.candidates if format.bits == bits), None)
        if found is not None:
            return found
        if self.is_given:
            raise InputError(
                f"elements of {self.prototype.type} have {self.prototype.bits} bits, got width {bits}: name a family "
                "of formats, or further types by --formats"
            )
        try:
            return type(self.prototype).of_width(bits)
        except InputError as error:
            raise InputError(f"{error.message}; {self.offers}") from error


def stored_bits(tensors: TensorClass, format: NumberFormat) -> int:
    """The number of bits of a constant stored in a format, including bits that belong to several elements, such as
    exponents of groups.
    """
    return format.bits * tensors.elements + format.shared_bits


@dataclass(frozen=True)
class Limits:
    """Upper limits. A resource without a limit has an infinite limit.

    time: in the target's unit.
    flash, ram: bytes; RAM includes the stack.
    loss: in the unit of the metric; a preference, which a search may have to violate.
    target: the board whose kernels and costs are used, as for `select-kernels`.
    """

    time: float = math.inf
    flash: float = math.inf
    ram: float = math.inf
    loss: float = math.inf
    target: str = DEFAULT_TARGET

    @property
    def cost(self) -> ProgramCost:
        """The limits on time, flash and RAM, in the form of a program's cost."""
        return ProgramCost(self.time, self.flash, self.ram)

    @property
    def on_cost(self) -> bool:
        """Whether any resource has a limit."""
        return not all(map(math.isinf, self.cost.numbers))

    @property
    def on_ram_only(self) -> bool:
        """Whether neither time nor flash has a limit."""
        return math.isinf(self.time) and math.isinf(self.flash)


def limit(value: float | None) -> float:
    """The limit that an option specifies. Infinite if the option is None."""
    return math.inf if value is None else float(value)


Criterion: TypeAlias = "Callable[[Sequence[FormatChoice]], bool]"
"""A condition on candidates, such as `Feasibility.fits`."""

CORRECTED_SLACK = 1.01
"""The factor on the limits for corrected estimates: a program may meet a limit that its estimate exceeds by this
factor.
"""

_SPREAD = 3
"""Maximum difference in bytes between the stacks of two programs, and between the errors of their estimates."""

_JUST_MISSED_SLACK = 1.02
"""A program just misses the limits if it meets them multiplied by this factor."""


class Feasibility:
    """The check of candidates against limits.

    If the cost of a candidate was measured, it is used. Other candidates have an estimate, corrected by the error
    that was measured for the current candidate (`calibrate`). In two cases the cost model is not needed. In the
    first case, arena and input leave less RAM than the smallest stack measured so far. In the second case, only RAM
    is limited, and arena and input leave more than the greatest stack measured so far. On a target of unknown costs
    the stack counts as 0, and flash consists only of constants.

    error: the error of estimates.
    stacks: the bytes of stack of measured candidates.
    """

    def __init__(self, search: Search, limits: Limits):
        self.search = search
        self.limits = limits
        self.error = ProgramCost(0, 0, 0)
        self.stacks: list[float] = []
        self.is_limited = cost_table(limits.target) is not None and limits.on_cost

    @cached_property
    def costs(self) -> CandidateCosts:
        """The costs of candidates on the target of the limits, without `spend-flash`."""
        return self.search.costs(self.limits.target)

    @cached_property
    def spending(self) -> CandidateCosts | None:
        """The costs of candidates after `spend-flash` within the limit on flash. None if flash is unlimited or
        `spend-flash` is not possible.
        """
        limits = self.limits
        if not self.is_limited or math.isinf(limits.flash) or not spends_flash(limits.target):
            return None
        return self.search.costs(limits.target, int(limits.flash))

    def fits(self, choices: Sequence[FormatChoice], ram: float = math.inf) -> bool:
        """Whether a candidate meets the limits by its estimate.

        ram: a limit on RAM that replaces the usual limit; infinity for the usual limit.
        """
        limits = self.limits if math.isinf(ram) else replace(self.limits, ram=ram)
        if not self.search.fits(choices, limits.ram):
            return False
        formats = self.search.formats(choices)
        if not self.is_limited:
            return self.search.constant_bytes(formats) <= limits.flash
        if self.stacks and self.costs.measurements.get(formats) is None:
            room = limits.ram - self.search.memory(formats)
            if room < min(self.stacks) - _SPREAD:
                return False
            if room >= max(self.stacks) + _SPREAD and limits.on_ram_only:
                return True
        return self._keeps(formats, self.cost(formats), limits.cost)

    def may_fit(self, choices: Sequence[FormatChoice], factor: float) -> bool:
        """Whether a candidate's measured cost meets the limits. For a candidate without a measured cost, whether its
        estimate meets the limits times `factor`.
        """
        if not self.search.fits(choices, self.limits.ram):
            return False
        formats = self.search.formats(choices)
        if (measured := self.costs.measurements.get(formats)) is not None:
            return self._keeps(formats, measured, self.limits.cost)
        spread = _SPREAD if factor > 1 else 0
        relaxed = self.limits.cost.times(factor)
        relaxed = replace(relaxed, ram=max(relaxed.ram, self.limits.ram + spread))
        return self._keeps(formats, self.cost(formats), relaxed)

    def cost(self, formats: Formats) -> ProgramCost:
        """The measured cost of a candidate. If it was not measured, its corrected estimate."""
        return self.costs.measurements.get(formats) or self.costs.estimated(formats).plus(self.error)

    def spent(self, formats: Formats) -> ProgramCost:
        """The cost of a candidate's program as compiled, after `spend-flash` within the limit on flash."""
        if (spending := self.spending) is None:
            return self.cost(formats)
        if (measured := spending.measurements.get(formats)) is not None:
            return measured
        cost = spending.estimated(formats)
        corrected = cost.plus(self.error)
        # A program that is larger than estimated when built spends less.
        return (
            replace(corrected, flash=min(corrected.flash, self.limits.flash))
            if cost.flash <= self.limits.flash
            else corrected
        )

    def _keeps(self, formats: Formats, cost: ProgramCost, limit: ProgramCost) -> bool:
        """Whether a program of the given cost meets a limit. If only its time is too long, `spend-flash` may
        reduce the time.
        """
        if cost.within(limit) or self.spending is None or cost.time <= limit.time:
            return cost.within(limit)
        return replace(cost, time=0).within(limit) and self.spent(formats).within(limit)

    def estimate_fitting(self, candidates: Iterable[Sequence[FormatChoice]]) -> None:
        """Estimate, in one batch, all candidates whose arena and input fit."""
        if self.is_limited:
            self.estimate(choices for choices in candidates if self.search.fits(choices, self.limits.ram))

    def estimate(self, candidates: Iterable[Sequence[FormatChoice]]) -> None:
        """Estimate candidates in one batch, which takes less time than one by one."""
        programs: list[Formats] = []
        for choices in candidates:
            with suppress(InputError):
                programs.append(self.search.formats(choices))
        self.costs.estimate(programs, self.search.evaluation.problem, self.search.evaluation.workers)

    def estimate_spent(self, programs: Iterable[Formats]) -> None:
        """Estimate, in one batch, the programs after `spend-flash`, and store the results for `spent`."""
        if self.spending is not None:
            self.spending.estimate(programs, self.search.evaluation.problem, self.search.evaluation.workers)

    def measure(self, candidates: Iterable[Sequence[FormatChoice]]) -> None:
        """Build and run candidates in one batch, which takes less time than one by one."""
        evaluation = self.search.evaluation
        self.costs.measure(map(self.search.formats, candidates), evaluation.problem, evaluation.workers)

    def is_feasible(self, choices: Sequence[FormatChoice]) -> bool:
        """Whether a candidate meets the limits when built and run. Also true if neither time, flash nor RAM has a
        limit, if the candidate cannot be built and run, or if the costs of the target are unknown.
        """
        if not self.is_limited:
            return True
        formats = self.search.formats(choices)
        measured = self._measured(formats)
        if measured is not None and self.spending is not None and measured.time > self.limits.time:
            self.spending.measured(formats)
        return measured is None or self._keeps(formats, measured, self.limits.cost)

    def admits(self, choices: Sequence[FormatChoice]) -> bool:
        """Whether a candidate meets the limits both by its estimate and when it is built and run."""
        return self.fits(choices) and self.is_feasible(choices)

    def refusal(self, candidates: Iterable[Sequence[FormatChoice]], remark: str) -> InputError:
        """The error for candidates none of which meets the limits on memory. The message states the needs of the
        nearest candidate.

        candidates: the candidates considered; the last of them has small needs.
        remark: text about the candidates for the message.
        """
        *others, last = candidates
        known = self.costs.estimates.keys() | self.costs.measurements.keys()
        costs: list[ProgramCost] = []
        for choices in (*others, last):
            with suppress(InputError):
                formats = self.search.formats(choices)
                if choices is last or formats in known:
                    costs.append(self._memory(formats))
        limits = {"RAM": self.limits.ram, "flash": self.limits.flash}
        limits = {name: most for name, most in limits.items() if math.isfinite(most)}
        asked = _memories(limits)
        if not costs:
            return InputError(f"no program works in {asked}{remark}")
        least = min(costs, key=lambda cost: max(getattr(cost, name.lower()) / max(limits[name], 1) for name in limits))
        taken = _memories({name: getattr(least, name.lower()) for name in limits})
        return InputError(f"no program works in {asked}{remark}: the least that was found takes {taken}")

    def _memory(self, formats: Formats) -> ProgramCost:
        """The resources of a candidate that are compared with limits. If no estimates exist, because no limit is set or
        the target has no cost table, these are the bytes of constants as flash, and of arena and input as RAM.
        """
        if self.is_limited:
            return self.cost(formats)
        return ProgramCost(0, self.search.constant_bytes(formats), self.search.memory(formats))

    def is_worth_building(self, choices: Sequence[FormatChoice]) -> bool:
        """Whether a candidate may meet the limits when it is built.

        Its estimate may exceed the limits on time and flash by the factor `CORRECTED_SLACK`. Because estimates of
        stacks have large errors, RAM is only compared with arena, input and the smallest stack measured so far.
        """
        formats = self.search.formats(choices)
        if self.stacks and self.limits.ram - self.search.memory(formats) < min(self.stacks) - _SPREAD:
            return False
        return self._keeps(formats, self.cost(formats), replace(self.limits.cost.times(CORRECTED_SLACK), ram=math.inf))

    def just_misses(self, choices: Sequence[FormatChoice]) -> bool:
        """Whether the measured cost exceeds the limits, but not the limits times `_JUST_MISSED_SLACK`. False for a
        candidate without a measured cost.
        """
        measured = self._measured(self.search.formats(choices))
        if measured is None or measured.within(self.limits.cost):
            return False
        return measured.within(self.limits.cost.times(_JUST_MISSED_SLACK))

    def calibrate(self, choices: Sequence[FormatChoice]) -> None:
        """Correct later estimates by the error of the estimate for this candidate, if the candidate was measured."""
        formats = self.search.formats(choices)
        measured = self.costs.measurements.get(formats)
        if measured is not None:
            self.error = measured.minus(self.costs.estimated(formats))

    def first_feasible(self, find: Callable[[], SearchResult], least: Sequence[FormatChoice]) -> SearchResult:
        """The first result of `find` that meets the limits when built and run. Raises the errors of `find` if
        no candidate fits.

        `find` is called repeatedly, with better estimates each time.

        least: a candidate with small needs, which is measured before the first call.
        """
        if self.is_limited and self.search.fits(least, math.inf):
            self.is_feasible(least)
            self.calibrate(least)
        while True:
            result = find()
            if self.is_feasible(result.choices):
                return result
            self.calibrate(result.choices)

    def _measured(self, formats: Formats) -> ProgramCost | None:
        measured = self.costs.measured(formats)
        cost = measured or self.costs.estimated(formats)
        self.stacks.append(cost.ram - self.search.memory(formats))
        return measured


def _memories(bytes: Mapping[str, float]) -> str:
    first, *more = (f"{count:,.0f} bytes of {name}" for name, count in bytes.items())
    return " and ".join([first, *(each.replace("bytes of", "of") for each in more)])


STANDARD_ERROR = 0.03
"""The relative standard error of losses by margins on some thousand samples; a smaller advantage may be lost on other
data.
"""


MIN_GAIN = 0.02
"""The minimum share of the error that a move must save: smaller savings may vanish on other data."""


def worse_by(share: float, loss: float) -> float:
    """A loss plus a fraction of its magnitude. The magnitude is used because a loss may be negative, for example if
    it is computed from R2.

    share: the fraction, which may be negative.
    """
    return loss + share * abs(loss)


def nearly_least(losses: Sequence[float]) -> list[bool]:
    """A mask of the losses that exceed the least loss by at most one standard error."""
    most = worse_by(STANDARD_ERROR, min(losses))
    return [loss <= most for loss in losses]
