"""The cost of a candidate on a target, estimated by the cost model, or measured by building and running its program.

Its memory, the bytes of arena and input, is known as soon as the passes that allocate tensors have run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import ArenaOp, memref_type, size_in_bytes
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats, evaluator_of, leave_out_roundings
from tinyml.transforms.search.costs.pipelines_below import (
    BUFFERS_TO_LOOPS,
    ESTIMATE_COST,
    MEASURE_COST,
    TO_BUFFERS,
    LoweringPasses,
    ProgramCost,
    cost_of,
    registered_pass,
)

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.transforms.formats.evaluation.candidates import SearchProblem
    from tinyml.transforms.search.engine.workers import Workers


CACHED_PROGRAMS = 64
"""The greatest number of partly lowered programs that are kept for their estimates."""


class WorkingMemory:
    """The arena and the input of one program's candidates, in bytes, excluding the stack.

    options: of the pipelines to packed memory, such as `target`. A program is lowered only as far as it differs from
    earlier ones; `lowered` continues from there.
    """

    def __init__(self, candidates: Candidates, **options: Any):
        self.candidates = candidates
        self.pack_buffers = options.get("pack_buffers", False)
        self._steps = [LoweringPasses((name,), **options) for name in TO_BUFFERS]
        self._known: dict[object, int] = {}
        self._begun: dict[Formats, _Lowering] = {}

    def of(self, formats: Formats) -> int:
        """The bytes of a candidate's arena and input; raises `InputError` if the formats make no program."""
        if formats not in self._known:
            begun = self._begin(formats)
            self._known[formats] = self._packed(begun)
            self._begun[formats] = begun
            if len(self._begun) > CACHED_PROGRAMS:
                del self._begun[next(iter(self._begun))]
        return self._known[formats]

    def lowered(self, formats: Formats) -> ModuleOp:
        """The program of a candidate with packed memory, which the caller may change.

        Raises `InputError` if the formats make no program.
        """
        begun = self._begun.pop(formats, None) or self._begin(formats)
        while begun.steps:
            begun.run_next()
        self._known.setdefault(formats, arena_and_input(begun.module))
        return begun.module

    def _begin(self, formats: Formats) -> _Lowering:
        return _Lowering(self.candidates.in_formats(formats)[0], list(self._steps))

    def _packed(self, begun: _Lowering) -> int:
        rounded = self._key(leave_out_roundings(begun.module.clone()))
        if rounded not in self._known:
            begun.run_next()
            refined = self._key(begun.module)
            if refined not in self._known:
                begun.run_next()
                self._known[refined] = arena_and_input(begun.module)
            self._known[rounded] = self._known[refined]
        return self._known[rounded]

    def _key(self, module: ModuleOp) -> object:
        """A key that is equal for programs of equal memory layout: of the same ops and element widths."""
        values: dict[SSAValue, int] = {}
        ops: list[object] = []
        for op in module.walk():
            if not isinstance(op, tdsl.ConstOp):
                made = [*op.results, *(argument for region in op.regions for argument in region.block.args)]
                read = [values.setdefault(value, len(values)) for value in op.operands]
                written = [(values.setdefault(value, len(values)), self._element_bits(value)) for value in made]
                ops.append((op.name, *read, *written))
        return tuple(ops)

    def _element_bits(self, value: SSAValue) -> int:
        """The width of a tensor's element in memory, perhaps packed; 0 for values that are not tensors."""
        if not isinstance(value.type, TensorType):
            return 0
        accumulator = accumulator_of(shaped(value).get_element_type())
        if accumulator is not None:
            return accumulator.bits
        return tdsl.format_of(value).bits if self.pack_buffers else 8 * tdsl.format_of(value).dtype.itemsize


@dataclass
class _Lowering:
    """A program that is being lowered to packed memory, and the remaining steps."""

    module: ModuleOp
    steps: list[LoweringPasses]

    def run_next(self) -> None:
        self.steps.pop(0).apply(self.module)


def working_memory(module: ModuleOp) -> int:
    """The bytes of arena and input of a program from `assign-format`; lowers and packs it in place."""
    LoweringPasses(TO_BUFFERS).apply(module)
    return arena_and_input(module)


def arena_and_input(module: ModuleOp) -> int:
    """The bytes of arena and input of a packed program; an input that arrives row by row takes none."""
    arena = sum(op.size for op in module.walk() if isinstance(op, ArenaOp))
    [function] = defined_functions(module)
    arguments = () if tdsl.read_input(function).received is not None else function.body.block.args
    arrays = [argument for argument in arguments if isinstance(argument.type, MemRefType)]
    return arena + sum(size_in_bytes(memref_type(array)) for array in arrays)


@dataclass(frozen=True)
class Platform:
    """The target for which candidates are built, as for `select-kernels`.

    pack_buffers: true if `pack-buffers` runs. flash: the bytes that `spend-flash` may fill.
    """

    target: str
    pack_buffers: bool = False
    flash: int | None = None


class CandidateCosts:
    """The costs of one program's candidates on a platform.

    memory: of candidates, without the stack; estimates go on from the programs that it has lowered. estimates: by
    candidate, as far as requested. measurements: as returned by `measured`. faults: the reason for candidates that are
    not programs.
    """

    def __init__(self, candidates: Candidates, platform: Platform):
        self.candidates = candidates
        self.platform = platform
        options = vars(platform)
        self.memory = WorkingMemory(candidates, **options)
        self.estimating = LoweringPasses((BUFFERS_TO_LOOPS,), registered_pass(ESTIMATE_COST, **options), **options)
        self.measuring = registered_pass(MEASURE_COST, **options)
        self.estimates: dict[Formats, ProgramCost] = {}
        self.faults: dict[Formats, str] = {}
        self.measurements: dict[Formats, ProgramCost | None] = {}

    def estimated(self, formats: Formats) -> ProgramCost:
        """The estimate of a candidate's cost.

        Raises `InputError` if the formats make no program, and for a target of unknown costs.
        """
        if formats in self.faults:
            raise InputError(self.faults[formats])
        if formats not in self.estimates:
            module = self.memory.lowered(formats)
            self.estimating.apply(module)
            cost = cost_of(module)
            assert cost is not None
            self.estimates[formats] = cost
        return self.estimates[formats]

    def estimate(self, candidates: Iterable[Formats], problem: SearchProblem, workers: Workers) -> None:
        """Estimate candidates together, and store the results for `estimated`."""
        known = self.estimates.keys() | self.faults.keys()
        queries = [CostQuery(formats, self.platform) for formats in dict.fromkeys(candidates) if formats not in known]
        for query, result in workers.run(problem, queries, estimated_costs):
            if isinstance(result, ProgramCost):
                self.estimates[query.formats] = result
            else:
                self.faults[query.formats] = result

    def measure(self, candidates: Iterable[Formats], problem: SearchProblem, workers: Workers) -> None:
        """Build and run candidates together, and store the results for `measured`."""
        new = [formats for formats in dict.fromkeys(candidates) if formats not in self.measurements]
        queries = [CostQuery(formats, self.platform) for formats in new]
        for query, cost in workers.run(problem, queries, measured_costs):
            self.measurements[query.formats] = cost

    def measured(self, formats: Formats) -> ProgramCost | None:
        """The cost of the built program; None if the target is too small, or its tools are not installed."""
        if formats not in self.measurements:
            self.measurements[formats] = self.measured_with(formats, None)
        return self.measurements[formats]

    def measured_with(self, formats: Formats, refined: Mapping[int, Raws] | None) -> ProgramCost | None:
        """The cost of the built program with other raws, as for `RoundedConstants.raws`; None as for `measured`."""
        module, _ = self.candidates.in_formats(formats, refined)
        with suppress(InputError):
            self.measuring.apply(context(), module)
        return cost_of(module)


@dataclass(frozen=True)
class CostQuery:
    """A request for the cost of a candidate on a platform, sent to workers."""

    formats: Formats
    platform: Platform


def estimated_costs(problem: SearchProblem, queries: Sequence[CostQuery]) -> list[ProgramCost | str]:
    """Estimates computed in this process; a message if there is no program."""
    results: list[ProgramCost | str] = []
    for query in queries:
        try:
            results.append(costs_on(evaluator_of(problem).candidates, query.platform).estimated(query.formats))
        except InputError as error:
            results.append(error.message)
    return results


def measured_costs(problem: SearchProblem, queries: Sequence[CostQuery]) -> list[ProgramCost | None]:
    """Measurements made in this process, as by `CandidateCosts.measured`."""
    return [costs_on(evaluator_of(problem).candidates, query.platform).measured(query.formats) for query in queries]


@lru_cache(2)
def costs_on(candidates: Candidates, platform: Platform) -> CandidateCosts:
    """The costs of one program's candidates on a platform; the same object each time."""
    return CandidateCosts(candidates, platform)
