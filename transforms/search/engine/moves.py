"""Moves of searches from one candidate to another: pairs of changes within limits, single changes, and backtracking.

Pairwise moves: some tensors become wide and others narrow at the same time. Such moves are needed because at the limits
no single tensor can become wider. Where errors cancel, no single tensor should become wider. There are thousands of
pairs; only models of errors and costs can rank so many. The model of errors is linear. It predicts the loss of
candidates from one evaluation of each single choice. Roundings are small and nearly independent. On each sample, the
error of a candidate's scores is about the sum of the errors that each of its choices causes alone. Errors are added
with their signs, so that mean errors can cancel.

Single moves: each tensor is tried separately in each other format of the same width (MinUn's first future work), or at
other scales. The changes that lower the loss are combined, the best first, while each still lowers it.

Backtracking: a path leads from a candidate just outside the limits to a candidate that meets the limits. Spilled or
saved registers make the stack a byte or two deeper, which no estimate can predict. The missing byte may exclude all
programs with wide registers from a search. Other scales need no memory, so the scales of the first candidate are
improved first. Then its tensors are narrowed again one after the other, those with the least loss first, until the
built and measured program meets the limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.transforms.formats.assignment.format_assignment import scalings_of
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice, TensorClass, with_choice
from tinyml.transforms.ir.pipeline_names import ProgramCost
from tinyml.transforms.search.engine.search import MIN_GAIN, STANDARD_ERROR, Criterion, Feasibility, Search, worse_by

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import SSAValue

    from tinyml.dialects.formats.number_format import NumberFormat
    from tinyml.transforms.search.engine.result import SearchResult


ZOOMS = (-1, 1)
"""The tried scales relative to another scale: half and twice as fine."""

MAX_SCALINGS = 6
"""Maximum number of formats of a tensor outside loops that `choose_scalings` evaluates in the whole program."""


_TRIES = 16
"""The number of proposals in a step."""


class PairwiseMoves:
    """Moves from one candidate to other candidates.

    model: a model of errors.
    start: a candidate within the limits.
    options: valid changes of the start.
    """

    def __init__(
        self,
        feasibility: Feasibility,
        model: LinearErrors,
        start: Sequence[FormatChoice],
        options: Sequence[_Change],
    ):
        self.feasibility = feasibility
        self.model = model
        self.start = start
        self.cost = feasibility.costs.estimated(feasibility.search.formats(start))
        self._known: dict[_Change, ProgramCost | None] = {}
        known = [change for change in options if model.of_choice(change.index, change.choice) is not None]
        feasibility.estimate(self._unscaled(change).applied(start) for change in known)
        self.options = [change for change in known if self._added(change)]

    def _unscaled(self, change: _Change) -> _Change:
        """The change to the same format, but with the scale of the start. It has the same cost, which does not depend
        on the scale.
        """
        return replace(change, choice=replace(change.choice, zoom=self.start[change.index].zoom))

    def _added(self, change: _Change) -> ProgramCost | None:
        """The cost that a change adds to the cost of the start; a change of only the scale adds none. None if the
        changed candidate has no program.
        """
        if change.choice.prototype == self.start[change.index].prototype:
            return ProgramCost(0, 0, 0)
        key = self._unscaled(change)
        if key not in self._known:
            try:
                formats = self.feasibility.search.formats(key.applied(self.start))
                self._known[key] = self.feasibility.costs.estimated(formats).minus(self.cost)
            except InputError:
                self._known[key] = None
        return self._known[key]

    def proposals(self, current: Sequence[FormatChoice]) -> list[list[FormatChoice]]:
        """At most `_TRIES` candidates one or two changes away, those with the least predicted errors. Their predicted
        cost is within the limits, and their predicted error is lower than the error of `current`.

        Evaluating a candidate takes less time than checking whether its real cost is within the limits.
        """
        moves = [change for change in self.options if current[change.index] != change.choice]
        if not moves:
            return []
        errors = self.model.predicted(current)
        indices = np.array([change.index for change in moves])
        added = np.array(
            [self.model.difference(change.index, current[change.index], change.choice) for change in moves]
        )
        costs = np.array([self._difference(current, change) for change in moves])
        cost = self.feasibility.cost(self.feasibility.search.formats(current))
        room = np.array(self.feasibility.limits.cost.minus(cost).numbers)
        most = (1 - MIN_GAIN) * float(np.abs(errors).sum())
        ranked: list[tuple[float, int, int]] = []
        for i in range(len(moves)):
            # A single change, or a pair with a later one.
            alone = np.arange(i, len(moves)) == i
            fits = (costs[i] + np.where(alone[:, None], 0, costs[i:]) <= room).all(1) & (
                alone | (indices[i:] != indices[i])
            )
            losses = np.abs(errors + added[i] + np.where(alone[:, None], 0, added[i:])[fits]).sum(1)
            pairs = zip(losses.tolist(), (i + np.flatnonzero(fits)).tolist(), strict=True)
            ranked += [(loss, i, j) for loss, j in pairs if loss < most]
        return [moves[j].applied(moves[i].applied(current)) for _, i, j in sorted(ranked)[:_TRIES]]

    def _difference(self, current: Sequence[FormatChoice], change: _Change) -> tuple[float, float, float]:
        after, before = self._added(change), self._added(_Change(change.index, current[change.index]))
        assert after is not None
        assert before is not None
        return after.minus(before).numbers


def possible_changes(search: Search, start: Sequence[FormatChoice], offered: Sequence[NumberFormat]) -> list[_Change]:
    """The possible changes of single tensors to the formats `offered`.

    A constant of several elements may have each width. Any other tensor may only have widths that differ in memory.
    Scales matter most at small widths. Other scales are therefore tried for half of the greatest width.
    """
    changes: list[_Change] = []
    most = max(format.bits for format in offered)
    for index, (tensors, now) in enumerate(zip(search.classes, start, strict=True)):
        best: dict[object, NumberFormat] = {}
        for format in sorted(offered, key=lambda format: format.bits):
            best[format.bits if tensors.is_constant and tensors.elements > 1 else format.dtype.itemsize] = format
        widths = [replace(now, prototype=format, zoom=0, is_given=search.is_given) for format in best.values()]
        halves = [choice for choice in widths if 2 * choice.prototype.bits == most]
        zooms = [replace(choice, zoom=zoom) for choice in halves for zoom in ZOOMS]
        changes += [_Change(index, choice) for choice in (*widths, *zooms) if choice != now]
    return changes


@dataclass(frozen=True)
class _Change:
    """A change of the choice for one class of tensors, which an index identifies."""

    index: int
    choice: FormatChoice

    def applied(self, choices: Sequence[FormatChoice]) -> list[FormatChoice]:
        return with_choice(choices, self.index, self.choice)


_SAMPLES = 512
"""The number of evaluated samples, those nearest to the border between two classes."""


class LinearErrors:
    """The linear model of errors for one program.

    Errors are weighted errors of margins, as in `MarginModel`, of shape (samples,).

    search: a search of a program with scores.
    base: choices whose errors are small compared with the errors of other choices.
    """

    def __init__(self, search: Search, base: Sequence[FormatChoice]):
        self.search = search
        self.base = list(base)
        self._known: dict[tuple[int, FormatChoice], NDArray[Any] | None] = {}

    @cached_property
    def _base_errors(self) -> NDArray[np.float64]:
        errors = self.true_errors(self.base)
        assert errors is not None
        return errors

    def true_errors(self, choices: Sequence[FormatChoice]) -> NDArray[np.float64] | None:
        """The errors of a candidate, computed by evaluating it. None if the candidate has no program."""
        evaluator = self.search.evaluator
        margin_model = evaluator.reference.margin_model
        assert margin_model is not None
        try:
            program = evaluator.shared.prepare(evaluator.candidates.program(self.search.formats(choices)))
        except InputError:
            return None
        parts: list[NDArray[np.float64]] = []
        start = 0
        for chunk, inputs in enumerate(evaluator.shared.chunks[: max(_SAMPLES // evaluator.shared.chunk, 1)]):
            part = slice(start, start := start + len(inputs))
            scores = program.compared(chunk)
            assert scores is not None
            parts.append(margin_model.weighted_errors(scores, part))
        return np.concatenate(parts)

    def of_choice(self, index: int, choice: FormatChoice) -> NDArray[np.float64] | None:
        """The errors that one choice adds to the errors of the base. None if the program with this choice is
        invalid.
        """
        if choice == self.base[index]:
            return np.zeros_like(self._base_errors)
        key = index, choice
        if key not in self._known:
            errors = self.true_errors(_Change(index, choice).applied(self.base))
            self._known[key] = None if errors is None else errors - self._base_errors
        return self._known[key]

    def difference(self, index: int, before: FormatChoice, after: FormatChoice) -> NDArray[np.float64]:
        """The errors that are added if the choice `after` replaces `before`. Both choices must be valid."""
        old, new = self.of_choice(index, before), self.of_choice(index, after)
        assert old is not None
        assert new is not None
        return new - old

    def predicted(self, choices: Sequence[FormatChoice]) -> NDArray[np.float64]:
        """The predicted errors of a candidate whose choices are all valid."""
        errors = self._base_errors.copy()
        for index, choice in enumerate(choices):
            errors += self.difference(index, self.base[index], choice)
        return errors


def choose_formats(search: Search, result: SearchResult, accepts: Criterion) -> SearchResult:
    """Change the formats of tensors where this lowers the loss, and return the result.

    accepts: the condition that a candidate must satisfy.
    """
    if not search.others:
        return result
    search.evaluation.begin("formats")
    others = [list(_of_same_width(search, *pair)) for pair in zip(search.classes, result.choices, strict=True)]
    return _changed(search, result, others, 0.0, "in this format", accepts)


def narrow_formats(search: Search, result: SearchResult) -> SearchResult:
    """Change tensors to other formats of fewer bits, and return the result. The same object is returned if no change is
    made.

    A change is made if the program then needs less memory and its loss grows by at most one standard error. Numbers
    that need many bits in one format may need few bits in another.
    """
    search.evaluation.begin("narrower formats")
    choices, reasons = list(result.choices), dict(result.reasons)
    [least] = search.losses([choices])
    most = worse_by(STANDARD_ERROR, least)
    changes = [(i, narrower) for i, choice in enumerate(choices) for narrower in _narrower(search, i, choice)]
    candidates = [with_choice(choices, i, narrower) for i, narrower in changes]
    losses = search.losses(candidates, most)
    good = [
        (_memory(search, candidate), loss, change)
        for candidate, loss, change in zip(candidates, losses, changes, strict=True)
        if loss <= most
    ]
    for _, _, (i, narrower) in sorted(good, key=lambda ranked: ranked[:2]):
        joined = with_choice(choices, i, narrower)
        if choices[i] != result.choices[i] or _memory(search, joined) >= _memory(search, choices):
            continue
        [loss] = search.losses([joined], most)
        if loss <= most:
            choices = joined
            reasons[search.classes[i].name] += "; in this format nearly as good"
    return result if choices == list(result.choices) else replace(result, choices=choices, reasons=reasons)


def choose_scales(search: Search, result: SearchResult, accepts: Criterion) -> SearchResult:
    """Halve or double the scales of tensors where this lowers the loss by more than one standard error, and return the
    result.

    At a finer scale a tensor's greatest numbers saturate.

    accepts: the condition that a candidate must satisfy.
    """
    search.evaluation.begin("scales")
    before = None
    while result != before:
        before = result
        others = [[replace(choice, zoom=choice.zoom + zoom) for zoom in ZOOMS] for choice in result.choices]
        result = _changed(search, result, others, STANDARD_ERROR, "at this scale", accepts)
    return result


def choose_scalings(search: Search, result: SearchResult, accepts: Criterion) -> SearchResult:
    """Change the scale, and for posits es, of tensors where this lowers the loss, and return the result.

    Only tensors whose scales follow the errors of the scores are changed. That rule considers each tensor alone and its
    errors to first order, which underestimates errors that accumulate in a loop. Therefore, all formats are tried for a
    tensor in a loop, and for any other tensor the `MAX_SCALINGS` formats with the least such errors. Meanwhile, the
    other tensors keep their formats: the rule is not applied again.

    accepts: the condition that a candidate must satisfy.
    """
    search.evaluation.begin("scales by loss")
    formats, rule = search.formats(result.choices), search.assignment.scale_by
    kept, others = list(result.choices), list[list[FormatChoice]]()
    for i, (tensors, choice, format) in enumerate(zip(search.classes, result.choices, formats, strict=True)):
        is_unchanged = tensors.is_constant or tensors.known or choice.is_given
        is_free = not is_unchanged and format.bits == choice.prototype.bits
        # The chosen variant may have a single es; other tensors may have another one.
        offered = dict.fromkeys(scalings_of(tensors, search.prototype_of(format.bits), rule)) if is_free else {}
        offered.pop(format, None)
        if ranked := list(offered):
            kept[i] = FormatChoice(format, is_made=True)
        if not any(map(_is_in_loop, tensors.members)):
            if ranked and (errors := search.assignment.score_errors) is not None:
                ranked.sort(key=partial(errors.error, tensors))
            ranked = ranked[:MAX_SCALINGS]
        others.append([FormatChoice(other, is_made=True) for other in ranked])
    if not any(others):
        return result
    start = replace(result, choices=kept) if search.formats(kept) == formats else result
    changed = _changed(search, start, others, STANDARD_ERROR, "at this scale", accepts)
    return changed if changed.choices != start.choices else result


def _is_in_loop(value: SSAValue) -> bool:
    return not isinstance(value.owner.parent_op(), func.FuncOp)


def _changed(
    search: Search,
    result: SearchResult,
    others: Sequence[Sequence[FormatChoice]],
    gain: float,
    why: str,
    accepts: Criterion,
) -> SearchResult:
    """Apply the changes of single tensors that lower the loss, and return the result.

    others: for each tensor, the choices to try.
    gain: the minimum fraction of the loss that a change must save.
    why: the reason to record for a changed tensor.
    accepts: the condition that a candidate must satisfy.
    """
    choices, reasons, reason = list(result.choices), dict(result.reasons), f"; {why} the program loses less"
    [before] = search.losses([choices])
    least = before
    changes = [(i, with_choice(choices, i, other)) for i, several in enumerate(others) for other in several]
    losses = search.losses([candidate for _, candidate in changes], before)
    ranked = sorted(zip(losses, changes, strict=True), key=lambda pair: pair[0])
    for loss, (i, candidate) in ranked:
        if loss >= worse_by(-gain, before) or choices[i] != result.choices[i]:
            continue
        joined = with_choice(choices, i, candidate[i])
        [loss_of_joined] = search.losses([joined], least)
        if loss_of_joined < worse_by(-gain, least) and accepts(joined):
            choices, least = joined, loss_of_joined
            name = search.classes[i].name
            reasons[name] = f"{reasons.get(name, '').removesuffix(reason)}{reason}"
    return replace(result, choices=choices, reasons=reasons)


def _memory(search: Search, choices: Sequence[FormatChoice]) -> int:
    return search.memory(search.formats(choices))


def _narrower(search: Search, index: int, choice: FormatChoice) -> Iterator[FormatChoice]:
    """Yield choices of other formats, narrower and of at most a byte, for a class of tensors. Nothing for a constant.

    Packed formats with more than 8 bits are omitted: they save less, because their readers often need memory to unpack
    their elements.
    """
    if not search.classes[index].is_constant:
        others = [other for other in search.others if other.prototype.CONSTANTS_FROM is None]
        offered = [candidate for other in others for candidate in other.candidates]
        narrower = [candidate for candidate in offered if candidate.prototype.bits < choice.prototype.bits]
        yield from (candidate for candidate in narrower if candidate.prototype.dtype.itemsize == 1)


def _of_same_width(search: Search, tensors: TensorClass, choice: FormatChoice) -> Iterator[FormatChoice]:
    for other in search.others:
        if not tensors.admits(other.prototype):
            continue
        if tensors.is_constant and other.prototype.FAMILY != search.prototype.FAMILY:
            continue
        for candidate in other.candidates:
            if candidate.prototype.bits == choice.prototype.bits:
                other_choice = replace(candidate, zoom=0 if candidate.is_given else choice.zoom)
                if other_choice != choice:
                    yield other_choice


BUILDS = 16
"""Maximum number of programs built per path."""


_ROUNDS = 2
"""The maximum number of rounds over the scales of all tensors."""


def with_better_scales(search: Search, choices: Sequence[FormatChoice]) -> Sequence[FormatChoice]:
    """Improve the scales of a candidate by coordinate descent, and return the new choices.

    Each scale is halved or doubled if this lowers the loss.
    """
    [least] = search.losses([choices])
    for _ in range(_ROUNDS):
        before = choices
        changes = [(i, zoom) for i in range(len(choices)) for zoom in ZOOMS]
        losses = search.losses([_zoomed(before, i, zoom) for i, zoom in changes], least)
        ranked = sorted(zip(losses, changes, strict=True))
        for i, zoom in [change for loss, change in ranked if loss < least]:
            joined = _zoomed(choices, i, zoom)
            [loss] = search.losses([joined], least)
            if loss < least:
                choices, least = joined, loss
        if choices is before:
            break
    return choices


def _zoomed(choices: Sequence[FormatChoice], i: int, zoom: int) -> Sequence[FormatChoice]:
    return with_choice(choices, i, replace(choices[i], zoom=choices[i].zoom + zoom))


def greedy_steps(
    search: Search, start: Sequence[FormatChoice], goal: Sequence[FormatChoice], at_most: float
) -> Iterator[Sequence[FormatChoice]]:
    """Yield candidates on a path from `start` to the widths of `goal`.

    Each step changes one tensor to its width in `goal`. It is the tensor whose change leads to the least loss. The path
    ends if the loss of every next step exceeds `at_most`.
    """
    choices, differing = start, _differing(start, goal)
    while differing:
        steps = {i: _as_goal(choices, goal, i) for i in differing}
        first, *others = steps.values()
        losses = search.losses([first], at_most)
        # The loss of the second-best change of the last step is usually close to the least, which it limits. In the
        # first step, the losses are not limited because `ranked_steps` needs them.
        losses += search.losses(others, at_most if choices is start else min(at_most, *losses))
        (least, best), *rest = sorted(zip(losses, differing, strict=True))
        if least > at_most:
            return
        choices, differing = steps[best], [i for _, i in rest]
        yield choices


def ranked_steps(
    search: Search, start: Sequence[FormatChoice], goal: Sequence[FormatChoice]
) -> Iterator[Sequence[FormatChoice]]:
    """Yield candidates on a path from `start` to `goal`. Each step changes one more tensor.

    Tensors are changed in ascending order of the loss of the program in which only this tensor is changed.
    """
    choices, differing = start, _differing(start, goal)
    losses = search.losses([_as_goal(start, goal, i) for i in differing])
    for _, i in sorted(zip(losses, differing, strict=True)):
        choices = _as_goal(choices, goal, i)
        yield choices


def _differing(start: Sequence[FormatChoice], goal: Sequence[FormatChoice]) -> list[int]:
    pairs = enumerate(zip(start, goal, strict=True))
    return [i for i, (old, new) in pairs if (old.prototype, old.is_given) != (new.prototype, new.is_given)]


def _as_goal(choices: Sequence[FormatChoice], goal: Sequence[FormatChoice], i: int) -> Sequence[FormatChoice]:
    return with_choice(choices, i, replace(choices[i], prototype=goal[i].prototype, is_given=goal[i].is_given))


def backtrack(
    feasibility: Feasibility, start: Sequence[FormatChoice], goal: Sequence[FormatChoice], at_most: float
) -> Sequence[FormatChoice] | None:
    """The first candidate that meets the limits when built and run, among the first `BUILDS` candidates on the path of
    `greedy_steps` and then on the path of `ranked_steps`. None if there is no such candidate.

    start, goal, at_most: as in `greedy_steps`.
    """
    search = feasibility.search
    return _first_feasible(feasibility, greedy_steps(search, start, goal, at_most)) or _first_feasible(
        feasibility, ranked_steps(search, start, goal)
    )


def _first_feasible(
    feasibility: Feasibility, candidates: Iterator[Sequence[FormatChoice]]
) -> Sequence[FormatChoice] | None:
    steps = [step for step in islice(candidates, BUILDS) if feasibility.is_worth_building(step)]
    size = feasibility.search.evaluation.workers.size
    for part in (steps[i : i + size] for i in range(0, len(steps), size)):
        feasibility.measure(part)
        if (choices := next(filter(feasibility.is_feasible, part), None)) is not None:
            return choices
    return None
