"""What the searches for formats share: their options, and what they can ask about candidates.

A search is a pass: a profiled program on reals in, the same program with formats out, beside its own account of what it
chose for each tensor and why (`tdsl.search`). None knows which number format it searches.
"""

from __future__ import annotations

import io
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.transforms.formats.assignment.format_assignment import Choice, FormatAssignment
from tinyml.transforms.formats.assignment.retype import check_scheme
from tinyml.transforms.formats.constants.refine_constants import refinements_of
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants, give_formats
from tinyml.transforms.formats.evaluation.candidates import Formats
from tinyml.transforms.formats.evaluation.outcomes import Problem, Task
from tinyml.transforms.formats.evaluation.tensor_values import tensor_errors
from tinyml.transforms.search.costs.candidate_costs import Chip, Costs, costs_of
from tinyml.transforms.search.costs.working_memory import WorkingMemory
from tinyml.transforms.search.engine.result import FRONT, Found, front_attribute, in_one_front
from tinyml.transforms.search.evaluation.evaluation import Evaluation
from tinyml.transforms.search.evaluation.workers import Workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.data import Data

SEARCH = "tdsl.search"
"""Attribute of a function: name, range, format and mean error of each class of tensors, and why it has the format."""


class Search:
    """The candidates of one program. Choices, formats and losses come in the order of `classes`, one for each.

    others: formats that tensors may have instead of the prototype, of any width. pack_buffers: are buffers packed?
    earlier: what was found for a program that computes the same, by the names of its tensors.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        prototype: NumberFormat,
        others: Sequence[NumberFormat] = (),
        pack_buffers: bool = False,
        earlier: Mapping[str, Choice] = MappingProxyType({}),
    ):
        self.evaluation = evaluation
        self.prototype = prototype
        self.others = others
        self.judge = evaluation.judge
        self.assignment = self.judge.candidates.assignment
        self.classes = self.assignment.classes
        self.pack_buffers = pack_buffers
        self.earlier = earlier
        self.memory = WorkingMemory(self.judge.candidates, pack_buffers)

    def uniform(self, prototype: NumberFormat) -> list[Choice]:
        """The same choice for all tensors."""
        return [Choice(prototype)] * len(self.classes)

    def formats(self, choices: Sequence[Choice]) -> Formats:
        """The formats of a candidate."""
        return tuple(self.assignment.formats(choices))

    def losses(
        self, candidates: Iterable[Sequence[Choice]], at_most: float | Sequence[float] = float("inf")
    ) -> list[float]:
        """What candidates lose; those that lose more than `at_most` lose at least what is returned."""
        return self.evaluation.losses([self.formats(choices) for choices in candidates], at_most)

    def fits(self, choices: Sequence[Choice], ram: float) -> bool:
        """Is there a program for a candidate, and does it work in so many bytes?"""
        try:
            return self.memory.of(self.formats(choices)) <= ram
        except InputError:
            return False

    def refined(self, found: Found) -> Found:
        """What was found or one of its rivals, its constants rounded once more (`refine_constants`), where it then can
        be taken and loses no more: what loses least."""
        self.evaluation.begin("constants")
        candidates = {self.formats(one.choices): one for one in (found, *found.rivals)}
        most = self.losses([found.choices])[0]
        tasks: list[tuple[float, Task]] = []
        for formats, refined in self.evaluation.workers.run(self.evaluation.problem, list(candidates), refinements_of):
            task = Task(formats, self.evaluation.metric, math.inf, refined)
            tasks.append((self.evaluation.loss(self.judge.outcome(task)), task))
        for loss, task in sorted(tasks, key=lambda one: one[0]):
            taken = self.taken(candidates[task.formats], task, loss) if loss <= most else None
            if taken is not None:
                return taken
        return found

    def taken(self, found: Found, task: Task, loss: float) -> Found | None:
        """What was found, with its constants refined; None where it cannot be taken so."""
        return replace(found, refined=task.refined)

    def costs(self, target: str) -> Costs:
        """What candidates cost, as `Costs` takes the target and the device; the same object each time."""
        return costs_of(self.judge.candidates, Chip(target, self.pack_buffers))

    def offered(self, widths: Sequence[int], usual: Sequence[int] = ()) -> list[NumberFormat]:
        """The formats of widths that were asked for; if none or the usual ones were, of those that the family has, or
        else its usual format.

        Raises `InputError` for others that it does not have.
        """
        if widths and tuple(widths) != tuple(usual):
            return [self.prototype_of(width) for width in widths]
        return [one for one in self.prototype.candidates if one.bits in usual] or [self.prototype]

    def prototype_of(self, bits: int) -> NumberFormat:
        """The format of a width; raises `InputError` where the family has none."""
        return next((one for one in self.prototype.candidates if one.bits == bits), type(self.prototype).of_width(bits))


@dataclass(frozen=True)
class SearchPass(ModulePass):
    """data: .npz file of the validation set, with `x` and, for what needs labels, `y`. format, functions: as
    `assign-format` takes them. metric: of the `METRICS`. jobs, backend, cluster: as `Workers` takes them. journal: a
    file to write outcomes to; resume: whether to begin with what stands in it. pack_buffers: is `pack-buffers` run?

    Raises `InputError` for options and data that do not fit, and for what `assign-format` refuses.
    """

    data: str
    format: str = USUAL_FORMAT
    functions: str | None = None
    metric: str = "disagreement"
    jobs: int | None = None
    backend: str = "loky"
    cluster: str | None = None
    journal: str | None = None
    resume: bool = False
    pack_buffers: bool = False

    @property
    def other_formats(self) -> Sequence[str]:
        """The names of formats that single tensors may have instead: of their dialects or types."""
        return ()

    @abstractmethod
    def search(self, search: Search) -> Found:
        """The best candidate."""

    def programs(self, ctx: Context, op: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
        """Profiled programs on reals that compute the same; a candidate of one of them is taken."""
        yield op

    def suffices(self, found: Sequence[Found]) -> bool:
        """Are no further programs to be searched?"""
        return False

    def preferred(self, found: Sequence[Found]) -> int:
        """Of what was found for several programs the place of what is taken."""
        return 0

    def refined(self, search: Search, found: Found) -> Found:
        """What is taken, with better constants where there are some."""
        return search.refined(found)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function
        from tinyml.runtime.model.program_data import load_program_data

        data = load_program_data(op, self.data)
        searches: list[tuple[ModuleOp, Search]] = []
        found: list[Found] = []
        refused: list[InputError] = []
        with ExitStack() as stack:
            workers = stack.enter_context(Workers(self.jobs, self.backend, self.cluster))
            for place, program in enumerate(self.programs(ctx, op, data.x)):
                evaluation = stack.enter_context(self._evaluation(program, data, place, workers))
                try:
                    search = self._search(ctx, evaluation, found[-1].by_name if found else {})
                    found.append(self.search(search))
                    searches.append((program, search))
                except InputError as error:
                    refused.append(error)
                evaluation.end()
                if self.suffices(found):
                    break
            if not found:
                raise refused[-1]
            place = self.preferred(found)
            program, search = searches[place]
            found[place] = self.refined(search, found[place])
            self._give(program, data, search, found[place])
        chosen = predict_function(program)
        if points := in_one_front(found, place):
            chosen.attributes[FRONT] = front_attribute(points)
        if program is not op:
            chosen.detach()
            Rewriter.replace_op(predict_function(op), chosen)

    def _evaluation(self, op: ModuleOp, data: Data, place: int, workers: Workers) -> Evaluation:
        problem = Problem(_text(op), data.x, data.y, self.functions)
        journal = self.journal and f"{self.journal}{f'.{place}' if place else ''}"
        return Evaluation(problem, self.metric, workers, journal, self.resume)

    def _search(self, ctx: Context, evaluation: Evaluation, earlier: Mapping[str, Choice]) -> Search:
        prototype = format_named(ctx, self.format, None)
        check_scheme(prototype, self.format, self.functions)
        others = [_other_format(ctx, name) for name in self.other_formats]
        return Search(evaluation, prototype, others, self.pack_buffers, earlier)

    def _give(self, op: ModuleOp, data: Data, search: Search, found: Found) -> None:
        """Give a program the formats that were found for it."""
        from tinyml.runtime.evaluator.evaluator import predict_function

        function = predict_function(op)
        assignment = FormatAssignment(function, data.x.astype("f8"))
        formats = assignment.formats(found.choices)
        errors = tensor_errors(search.judge, tuple(formats), found.refined)
        function.attributes[SEARCH] = ArrayAttr(
            DictionaryAttr(
                {
                    "name": StringAttr(one.name),
                    "range": tdsl.Range(*(float(f"{x:.6g}") for x in one.range)),
                    "format": format.type,
                    "error": FloatAttr(float(f"{error:.3g}"), 64),
                    "why": StringAttr(found.reasons.get(one.name, "")),
                }
            )
            for one, format, error in zip(assignment.classes, formats, errors, strict=True)
        )
        give_formats(RoundedConstants(assignment), formats, found.refined, self.functions)


def _other_format(ctx: Context, name: str) -> NumberFormat:
    """The usual format of a dialect, or of a type, `posit` or `posit.p`; raises `InputError` where there is none."""
    found = format_named(ctx, name.partition(".")[0], None)
    if "." in name and name != found.type.name:
        raise InputError(f"unknown number format '{name}'")
    return found


def _text(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()
