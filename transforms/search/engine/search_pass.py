"""The base class of all search passes, which assign formats to a profiled program on reals.

A new search is a subclass with a name, options and the method `search`. If several programs have equal results on
reals, a search chooses among them. The programs differ in how they store loop-carried sums. Sums in accumulators are
exact, but they need twice the memory of 16 bits. Rounded sums (`round-sums`) leave more memory to other tensors, except
for the factors of a block of iterations, which are stored. The losses of the programs can be compared only after
formats have been found for each program. The last step of every search refines the constants of its result.
"""

from __future__ import annotations

import io
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named, is_type
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.options import OptionGroup, option
from tinyml.dialects.plugins import expected
from tinyml.dialects.rewriting import Rewriter
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.model.program_data import load_program_data
from tinyml.targets.registry import DEFAULT_TARGET
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.format_options import check_scheme, record_given, scaling_rule
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.constants.refine_constants import refinements_of
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants, give_formats
from tinyml.transforms.formats.evaluation.candidates import EvaluationTask, SearchProblem
from tinyml.transforms.ir.sums import round_carried_sums
from tinyml.transforms.programs.digest import digest_of
from tinyml.transforms.reals.analysis.profiles import record_profiles
from tinyml.transforms.schedules.table import AUTO, ORDINARY, traits_of
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.journal import check_journal
from tinyml.transforms.search.engine.result import (
    FRONT_ATTRIBUTE,
    SEARCH_ATTRIBUTE,
    SearchResult,
    front_attribute,
    joint_front,
    search_attribute,
)
from tinyml.transforms.search.engine.search import Feasibility, Limits, Search, limit, nearly_least
from tinyml.transforms.search.engine.search_options import flash_option, metric_option, ram_option, widths_option
from tinyml.transforms.search.engine.tensor_values import tensor_errors
from tinyml.transforms.search.engine.workers import Workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.data import Data


BLOCKS = (16, 1)
"""Maximum iterations whose products are rounded at once: the factors of a block need memory, a single factor none."""


def with_rounded_sums(module: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
    """Yield profiled programs that store loop-carried sums in the format of their elements. Each program differs from
    `module` and from all previous ones.

    inputs: reals of shape (samples, elements) for the profile.
    """
    known = {digest_of(module)}
    for block in BLOCKS:
        rounded = module.clone()
        round_carried_sums(rounded, block)
        if (digest := digest_of(rounded)) not in known:
            known.add(digest)
            record_profiles(rounded, inputs)
            yield rounded


def in_modes(module: ModuleOp, modes: Sequence[str]) -> Iterator[ModuleOp]:
    """Yield the program in each mode of `plan-execution`.

    Raises `InputError` for unknown modes, for `auto`, and for modes with roundings that the evaluation of candidates
    does not reproduce.
    """
    for mode in modes:
        if traits_of(mode).rounds or mode == AUTO:
            raise InputError(f"a search cannot choose the mode of execution '{mode}'")
    for mode in modes:
        program = module.clone()
        if mode != ORDINARY:
            predict_function(program).attributes[tdsl.MODE] = StringAttr(mode)
        yield program


def refine_result(search: Search, limits: Limits, result: SearchResult) -> SearchResult:
    """Refine the constants of a result and of its rivals (`refine_constants`), and return the best refined result.

    It has the least loss among the refined results that meet the limits and whose loss is at most the loss of
    `result`. If there is none, `result` is returned unchanged.
    """
    evaluation, feasibility = search.evaluation, Feasibility(search, limits)
    evaluation.begin("constants")
    candidates = {search.formats(candidate.choices): candidate for candidate in (result, *result.rivals)}
    most = search.losses([result.choices])[0]
    tasks: list[tuple[float, EvaluationTask]] = []
    for formats, refined in evaluation.workers.run(evaluation.problem, list(candidates), refinements_of):
        task = EvaluationTask(formats, evaluation.metric, math.inf, refined)
        tasks.append((evaluation.loss(search.evaluator.outcome(task)), task))
    for loss, task in sorted(tasks, key=lambda pair: pair[0]):
        if loss > most:
            break
        refined = _refined(feasibility, candidates[task.formats], task, loss)
        if refined is not None:
            return refined
    return result


def _refined(feasibility: Feasibility, result: SearchResult, task: EvaluationTask, loss: float) -> SearchResult | None:
    cost = feasibility.costs.measured_with(task.formats, task.refined) if feasibility.is_limited else None
    if cost is not None and not cost.within(feasibility.limits.cost):
        return None
    if feasibility.spending is not None:
        cost = feasibility.spending.measured_with(task.formats, task.refined)
    points = [replace(point, loss=loss, cost=cost or point.cost) if point.chosen else point for point in result.points]
    return replace(result, refined=task.refined, points=points)


STREAMING = ("pixels", "rows")
"""The modes of execution for the search of networks whose ordinary execution does not fit, the fastest first."""


@dataclass(frozen=True)
class SearchPass(ModulePass):
    """The options and the procedure of all searches.

    data: .npz file of the validation set, with `x` and, for a metric that needs labels, `y`.
    format, functions, scale_by: as for `assign-format`.
    metric: one of the `METRICS`.
    jobs, backend, cluster: as for `Workers`.
    journal: a file for outcomes.
    resume: whether to start with the outcomes in that file.
    pack_buffers: whether `pack-buffers` runs.

    Raises `InputError` for invalid options, for data that do not match the program, and for input that
    `assign-format` rejects.
    """

    PAPER: ClassVar[str] = ""
    """The name of the system whose paper describes the search; empty for searches of this project."""

    data: str
    format: str = USUAL_FORMAT
    functions: str | None = None
    scale_by: str | None = None
    metric: str = metric_option("disagreement")
    jobs: int | None = option(
        "number of processes that evaluate candidates (default: one per processor)",
        default=None,
        metavar="N",
        group=OptionGroup.SEARCH,
    )
    backend: str = option(
        "processes that evaluate candidates: local (on this computer), dask or ray",
        default="local",
        metavar="NAME",
        group=OptionGroup.SEARCH,
    )
    cluster: str | None = option(
        "address of the Dask or Ray cluster", default=None, metavar="ADDRESS", group=OptionGroup.SEARCH
    )
    journal: str | None = option(
        "write the loss of every evaluated candidate to this file",
        default=None,
        metavar="FILE",
        group=OptionGroup.SEARCH,
    )
    resume: bool = option("begin with the candidates in the journal", default=False, group=OptionGroup.SEARCH)
    pack_buffers: bool = False

    @property
    def other_formats(self) -> Sequence[str]:
        """Alternative formats for single tensors. Each is the name of a dialect, the name of a type such as `fixed.q`,
        or a type with its parameters.
        """
        return ()

    @property
    def limits(self) -> Limits:
        """The limits on the program. By default there are no limits."""
        return Limits()

    def check(self, ctx: Context) -> None:
        """Raise `InputError` for options that are invalid for every program, before a program is parsed."""
        prototype = format_named(ctx, self.format, None)
        check_scheme(prototype, self.format, self.functions)
        scaling_rule(prototype, self.format, self.scale_by)
        for name in self.other_formats:
            _other_format(ctx, name)
        check_journal(self.journal, self.resume)

    @abstractmethod
    def search(self, search: Search) -> SearchResult:
        """Search the candidates of one program, and return the best candidate as a result."""

    def programs(self, ctx: Context, op: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
        """Yield equivalent profiled programs on reals. The search chooses a candidate of one of these programs.

        If RAM is limited, programs that store loop-carried sums in the format of their elements follow, except
        for formats with `AS_PUBLISHED`.

        inputs: reals of shape (samples, elements) for the profile.
        """
        yield op
        if math.isfinite(self.limits.ram) and not format_named(ctx, self.format, None).AS_PUBLISHED:
            yield from with_rounded_sums(op, inputs)

    def otherwise(self, op: ModuleOp) -> Iterator[ModuleOp]:
        """Yield further programs, which are evaluated if none of `programs` has a candidate within the limits.

        If RAM is limited, they are streaming variants of networks on images.
        """
        if math.isfinite(self.limits.ram) and any(isinstance(inner, tdsl.Conv2dOp) for inner in op.walk()):
            yield from in_modes(op, STREAMING)

    def suffices(self, results: Sequence[SearchResult]) -> bool:
        """Whether the results so far make a search on further programs unnecessary.

        The programs differ only in the storage of loop-carried sums. Hardly any metric but `margin` reflects this
        difference. With any other metric, the first program with a result suffices.
        """
        return bool(results) and self.metric != "margin"

    def preferred(self, results: Sequence[SearchResult]) -> int:
        """The index of the result to use among results for several programs.

        It is the first of the results with nearly the least loss. Programs are ordered by speed, so this result
        is the fastest.
        """
        return nearly_least([result.loss for result in results]).index(True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        data = load_program_data(op, self.data)
        record_given(ctx, op, [self.format, *self.other_formats])
        searches: list[tuple[ModuleOp, Search]] = []
        results: list[SearchResult] = []
        refused: list[InputError] = []
        prototype = format_named(ctx, self.format, None)
        with ExitStack() as stack:
            workers = stack.enter_context(Workers(self.jobs, self.backend, self.cluster))

            def all_programs() -> Iterator[ModuleOp]:
                yield from self.programs(ctx, op, data.x)
                if not results:
                    yield from self.otherwise(op)

            for number, program in enumerate(all_programs()):
                if math.isfinite(self.limits.ram):
                    predict_function(program).attributes[tdsl.RAM] = IntegerAttr(int(self.limits.ram), i64)
                evaluation = stack.enter_context(self._evaluation(program, data, number, workers, prototype))
                try:
                    search = self._search(ctx, evaluation, results[-1].by_name if results else {})
                    result = self.search(search)
                except InputError as error:
                    refused.append(error)
                else:
                    results.append(self._checked(result, search))
                    searches.append((program, search))
                evaluation.end()
                if self.suffices(results):
                    break
            if not results:
                raise refused[-1]
            taken = self.preferred(results)
            program, search = searches[taken]
            results[taken] = refine_result(search, self.limits, results[taken])
            self._give_formats(program, search, results[taken])
        chosen = predict_function(program)
        if points := joint_front(results, taken):
            chosen.attributes[FRONT_ATTRIBUTE] = front_attribute(points)
        if program is not op:
            chosen.detach()
            Rewriter.replace_op(predict_function(op), chosen)

    def _checked(self, result: object, search: Search) -> SearchResult:
        found = expected(result, SearchResult, self.search)
        expected(found.choices, Sequence, self.search, len(search.classes))
        for choice in found.choices:
            expected(choice, FormatChoice, self.search)
        return found

    def _evaluation(
        self, op: ModuleOp, data: Data, number: int, workers: Workers, prototype: NumberFormat
    ) -> Evaluation:
        rule = scaling_rule(prototype, self.format, self.scale_by)
        problem = SearchProblem(_text(op), data.x, data.y, self.functions, data.targets, rule)
        journal = self.journal and f"{self.journal}{f'.{number}' if number else ''}"
        return Evaluation(problem, self.metric, workers, journal, self.resume)

    def _search(self, ctx: Context, evaluation: Evaluation, earlier: Mapping[str, FormatChoice]) -> Search:
        prototype = format_named(ctx, self.format, None)
        check_scheme(prototype, self.format, self.functions)
        others = [_other_format(ctx, name) for name in self.other_formats]
        target, is_given = self.limits.target, is_type(self.format)
        return Search(evaluation, prototype, others, self.pack_buffers, earlier, target, is_given=is_given)

    def _give_formats(self, op: ModuleOp, search: Search, result: SearchResult) -> None:
        function, formats = predict_function(op), search.formats(result.choices)
        errors = tensor_errors(search.evaluator, formats, result.refined)
        function.attributes[SEARCH_ATTRIBUTE] = search_attribute(search.classes, formats, errors, result.reasons)
        raws = search.evaluator.candidates.constants.raws(formats, result.refined)
        rounded = dict(enumerate(raws.values()))
        inputs = search.evaluator.data.x.astype("f8")
        give_formats(RoundedConstants(FormatAssignment(function, inputs)), formats, rounded, self.functions)


def _other_format(ctx: Context, name: str) -> FormatChoice:
    if is_type(name):
        return FormatChoice(format_named(ctx, name, None), is_given=True)
    format = format_named(ctx, name.partition(".")[0], None)
    if "." in name and name != format.type.name:
        raise unknown("number format", name, [format.type.name])
    return FormatChoice(format)


def _text(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def at_widths(formats: Sequence[NumberFormat]) -> str:
    """The remark on programs that exceed the limits in all of the formats, whose widths it lists. It names the option
    for other widths if the formats have any.
    """
    widths = ", ".join(map(str, sorted({format.bits for format in formats})))
    others = " (--widths sets others)" if any(format.candidates[1:] for format in formats) else ""
    return f" at the tried width{'s' if ' ' in widths else ''} {widths}{others}"


@dataclass(frozen=True)
class LimitedPass(SearchPass):
    """A search within limits on the memory of the program.

    ram: limit on arena, input and stack in bytes.
    flash: limit on code and constants in bytes.
    target: as for `select-kernels`.

    Both limits apply to the program that is built for the target and run there. If the tools of the target are not
    installed, they apply to the estimates of the program. On a target of unknown costs, `ram` applies to arena and
    input, and `flash` to constants. Raises `InputError` if no candidate meets the limits.
    """

    ram: int | None = ram_option()
    flash: int | None = flash_option()
    target: str = DEFAULT_TARGET

    @property
    def limits(self) -> Limits:
        return Limits(flash=limit(self.flash), ram=limit(self.ram), target=self.target)


@dataclass(frozen=True)
class BaselinePass(LimitedPass):
    """A search that narrows tensors until the program fits. Without limits, all tensors stay wide.

    widths: the width of demoted tensors and the width of all other tensors, as for `search-demote`.
    """

    PAPER: ClassVar[str] = "MinUn"
    widths: tuple[int, ...] = widths_option()
