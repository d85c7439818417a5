"""The base of all search passes: from a profiled program on reals to the same program with formats.

A new search is a subclass with a name, options and the method `search`.
"""

from __future__ import annotations

import io
import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.options import OptionGroup, option
from tinyml.transforms.formats.assignment.choices import FormatChoice
from tinyml.transforms.formats.assignment.format_assignment import FormatAssignment
from tinyml.transforms.formats.assignment.retype import check_scheme
from tinyml.transforms.formats.constants.rounded_constants import RoundedConstants, give_formats
from tinyml.transforms.formats.evaluation.problem import SearchProblem
from tinyml.transforms.formats.evaluation.tensor_values import tensor_errors
from tinyml.transforms.search.engine import shared_options
from tinyml.transforms.search.engine.equivalent_programs import in_modes, with_rounded_sums
from tinyml.transforms.search.engine.limits import Limits
from tinyml.transforms.search.engine.refinement import refine_result
from tinyml.transforms.search.engine.result import (
    FRONT_ATTRIBUTE,
    SEARCH_ATTRIBUTE,
    SearchResult,
    front_attribute,
    joint_front,
    search_attribute,
)
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.standard_error import nearly_least
from tinyml.transforms.search.evaluation.evaluation import Evaluation
from tinyml.transforms.search.evaluation.journal import check_journal
from tinyml.transforms.search.evaluation.workers import Workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.data import Data

STREAMING = ("pixels", "rows")
"""The modes of execution in which networks are searched whose ordinary execution does not fit, the fastest first."""


@dataclass(frozen=True)
class SearchPass(ModulePass):
    """The options that all searches share, and the frame in which they run.

    data: .npz file of the validation set, with `x` and, for a metric that needs labels, `y`. format, functions: as for
    `assign-format`. metric: one of the `METRICS`. jobs, backend, cluster: as for `Workers`. journal: a file to which
    outcomes are written. resume: start with the outcomes in that file. pack_buffers: true if `pack-buffers` runs.
    Raises `InputError` for options and data that do not fit, and for input that `assign-format` rejects.
    """

    PAPER: ClassVar[str] = ""
    """The name of the system whose paper describes the search; empty for searches of this project."""

    data: str
    format: str = USUAL_FORMAT
    functions: str | None = None
    metric: str = shared_options.metric("disagreement")
    jobs: int | None = option(
        "processes that evaluate candidates (default: one per processor)",
        default=None,
        metavar="N",
        group=OptionGroup.SEARCH,
    )
    backend: str = option(
        "where candidates are evaluated: loky (this computer), dask or ray",
        default="loky",
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
        """Formats that single tensors may have instead, by the names of their dialects or types."""
        return ()

    @property
    def limits(self) -> Limits:
        """The limits on the program, none by default."""
        return Limits()

    def check(self, ctx: Context) -> None:
        """Raise `InputError` for options with which no program can be searched, before one is read."""
        prototype = format_named(ctx, self.format, None)
        check_scheme(prototype, self.format, self.functions)
        for name in self.other_formats:
            _other_format(ctx, name)
        check_journal(self.journal, self.resume)

    @abstractmethod
    def search(self, search: Search) -> SearchResult:
        """The best candidate of one program."""

    def programs(self, ctx: Context, op: ModuleOp, inputs: NDArray[Any]) -> Iterator[ModuleOp]:
        """Yield equivalent profiled programs on reals; a candidate of one of them is taken.

        If RAM is limited, programs that carry sums in their format follow, unless the arithmetic is as published.
        """
        yield op
        if math.isfinite(self.limits.ram) and not format_named(ctx, self.format, None).AS_PUBLISHED:
            yield from with_rounded_sums(op, inputs)

    def otherwise(self, op: ModuleOp) -> Iterator[ModuleOp]:
        """Programs that are searched where none of `programs` has a candidate within the limits.

        Where RAM is limited, these are networks of images that stream.
        """
        if math.isfinite(self.limits.ram) and any(isinstance(inner, tdsl.Conv2dOp) for inner in op.walk()):
            yield from in_modes(op, STREAMING)

    def suffices(self, results: Sequence[SearchResult]) -> bool:
        """True if no further programs need to be searched.

        Metrics that count samples cannot distinguish programs that differ so little: the first one with a result is
        taken.
        """
        return bool(results) and self.metric != "margin"

    def preferred(self, results: Sequence[SearchResult]) -> int:
        """The index of the result to take: the first, which is the fastest, of those with nearly the least loss."""
        return nearly_least([result.loss for result in results]).index(True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from tinyml.runtime.evaluator.evaluator import predict_function
        from tinyml.runtime.model.program_data import load_program_data

        data = load_program_data(op, self.data)
        searches: list[tuple[ModuleOp, Search]] = []
        results: list[SearchResult] = []
        refused: list[InputError] = []
        with ExitStack() as stack:
            workers = stack.enter_context(Workers(self.jobs, self.backend, self.cluster))

            def all_programs() -> Iterator[ModuleOp]:
                yield from self.programs(ctx, op, data.x)
                if not results:
                    yield from self.otherwise(op)

            for number, program in enumerate(all_programs()):
                if math.isfinite(self.limits.ram):
                    predict_function(program).attributes[tdsl.RAM] = IntegerAttr(int(self.limits.ram), i64)
                evaluation = stack.enter_context(self._evaluation(program, data, number, workers))
                try:
                    search = self._search(ctx, evaluation, results[-1].by_name if results else {})
                    results.append(self.search(search))
                    searches.append((program, search))
                except InputError as error:
                    refused.append(error)
                evaluation.end()
                if self.suffices(results):
                    break
            if not results:
                raise refused[-1]
            taken = self.preferred(results)
            program, search = searches[taken]
            results[taken] = refine_result(search, self.limits, results[taken])
            self._give_formats(program, data, search, results[taken])
        chosen = predict_function(program)
        if points := joint_front(results, taken):
            chosen.attributes[FRONT_ATTRIBUTE] = front_attribute(points)
        if program is not op:
            chosen.detach()
            Rewriter.replace_op(predict_function(op), chosen)

    def _evaluation(self, op: ModuleOp, data: Data, number: int, workers: Workers) -> Evaluation:
        problem = SearchProblem(_text(op), data.x, data.y, self.functions, data.targets)
        journal = self.journal and f"{self.journal}{f'.{number}' if number else ''}"
        return Evaluation(problem, self.metric, workers, journal, self.resume)

    def _search(self, ctx: Context, evaluation: Evaluation, earlier: Mapping[str, FormatChoice]) -> Search:
        prototype = format_named(ctx, self.format, None)
        check_scheme(prototype, self.format, self.functions)
        others = [_other_format(ctx, name) for name in self.other_formats]
        return Search(evaluation, prototype, others, self.pack_buffers, earlier, self.limits.target)

    def _give_formats(self, op: ModuleOp, data: Data, search: Search, result: SearchResult) -> None:
        """Give a program the formats of its result."""
        from tinyml.runtime.evaluator.evaluator import predict_function

        function = predict_function(op)
        assignment = FormatAssignment(function, data.x.astype("f8"))
        formats = assignment.formats(result.choices)
        errors = tensor_errors(search.evaluator, tuple(formats), result.refined)
        function.attributes[SEARCH_ATTRIBUTE] = search_attribute(assignment.classes, formats, errors, result.reasons)
        give_formats(RoundedConstants(assignment), formats, result.refined, self.functions)


def _other_format(ctx: Context, name: str) -> NumberFormat:
    """The usual format of a dialect, or of a type, `posit` or `posit.p`; raises `InputError` if there is none."""
    format = format_named(ctx, name.partition(".")[0], None)
    if "." in name and name != format.type.name:
        raise unknown("number format", name, [format.type.name])
    return format


def _text(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()
