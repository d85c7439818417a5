"""The cost of a candidate on a target, estimated by the cost model, or measured by building and running its program.

Its memory, the bytes of arena and input, is known as soon as the passes that allocate tensors have run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import ArenaOp, memref_type, size_in_bytes
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats, RecentPrograms, evaluator_of
from tinyml.transforms.ir.copies import copied
from tinyml.transforms.ir.pipeline_names import (
    BUFFERS_TO_NESTS,
    ESTIMATE_COST,
    LOOPS_TO_KERNELS,
    MEASURE_COST,
    SPEND_FLASH,
    TO_BUFFERS,
    LoweringPasses,
    ProgramCost,
    registered_pass,
)
from tinyml.transforms.loops.flash.attempts import SPENT_FLASH

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.transforms.formats.evaluation.candidates import SearchProblem
    from tinyml.transforms.ir.cost.estimate import Estimate
    from tinyml.transforms.search.engine.workers import Workers


class RefinedPrograms:
    """The programs of one program's candidates after `refine-formats`, each made once for all that lower it further.

    Programs that are returned must not be changed. options: of that pipeline, such as `target`.
    """

    def __init__(self, candidates: Candidates, **options: Any):
        self.candidates = candidates
        self._refining = LoweringPasses(TO_BUFFERS[:1], **options)
        self._refined = RecentPrograms()

    def __contains__(self, formats: Formats) -> bool:
        return formats in self._refined

    def of(self, formats: Formats) -> ModuleOp:
        """A candidate behind that pipeline; raises `InputError` if the formats make no program."""
        if formats not in self._refined:
            self._refined.keep(formats, self.refined(copied(self.candidates.summed(formats))))
        return self._refined[formats]

    def refined(self, module: ModuleOp) -> ModuleOp:
        """A program of `Candidates.in_formats`, rewritten in place by that pipeline."""
        self._refining.apply(module)
        return module


def _structure_of(module: ModuleOp) -> object:
    """A key that is equal for equal programs: of the same ops with the same attributes, types and uses of values."""
    places: dict[Operation | SSAValue | None, int] = {None: 0}
    ops: list[object] = []
    for op in module.walk():
        read = [places[what] for what in (op.parent_op(), *op.operands)]
        given = [(name, _content(value)) for name, value in sorted([*op.properties.items(), *op.attributes.items()])]
        made = [*op.results, *(argument for region in op.regions for block in region.blocks for argument in block.args)]
        for what in (op, *made):
            places[what] = len(places)
        ops.append((op.name, *read, *given, *(value.type for value in made)))
    return tuple(ops)


def _content(attribute: Attribute) -> object:
    """An attribute; of a constant, the type and a digest, so that no key keeps weights in memory."""
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        return attribute
    constant = cast("DenseIntOrFPElementsAttr[Any]", attribute)
    return constant.type, hashlib.sha256(constant.data.data).digest()


VIEWS = (tdsl.IndexOp, tdsl.ReshapeOp)
"""The ops whose results are views of their operands wherever these are: they take no memory of their own."""


class WorkingMemory:
    """The arena and the input of one program's candidates, in bytes, excluding the stack.

    options: of the pipeline to packed memory, such as `target`. A program is lowered only as far as it differs from
    earlier ones; `packed` continues from there.
    """

    def __init__(self, programs: RefinedPrograms, **options: Any):
        self.programs = programs
        self.pack_buffers = options.get("pack_buffers", False)
        self._packing = LoweringPasses(TO_BUFFERS[1:], **options)
        self._known: dict[object, int] = {}
        self._packed = RecentPrograms()

    def of(self, formats: Formats) -> int:
        """The bytes of a candidate's arena and input; raises `InputError` if the formats make no program."""
        if formats not in self._known:
            if formats in self.programs:
                self._known[formats] = self._of_refined(formats)
            else:
                rounded = self._key(self.programs.candidates.program(formats))
                if rounded not in self._known:
                    self._known[rounded] = self._of_refined(formats)
                self._known[formats] = self._known[rounded]
        return self._known[formats]

    def _of_refined(self, formats: Formats) -> int:
        refined = self._key(self.programs.of(formats))
        if refined not in self._known:
            self._packed.keep(formats, self.packed(formats))
            self._known[refined] = self._known[formats]
        return self._known[refined]

    def packed(self, formats: Formats) -> ModuleOp:
        """The program of a candidate with packed memory, which the caller may change.

        Raises `InputError` if the formats make no program.
        """
        if (module := self._packed.pop(formats, None)) is None:
            module = copied(self.programs.of(formats))
            self._packing.apply(module)
            self._known.setdefault(formats, arena_and_input(module))
        return module

    def _key(self, module: ModuleOp) -> object:
        """A key that is equal for programs of equal memory layout: of the same ops and element widths, but in flash.

        How many windows of a convolution are computed at once, which takes memory, depends on all that its formats say.
        """
        values: dict[SSAValue, int] = {}
        flash: set[SSAValue] = set()
        ops: list[object] = []
        for op in module.walk():
            if isinstance(op, tdsl.ConstOp):
                flash.add(op.results[0])
            else:
                if isinstance(op, VIEWS) and op.operands[0] in flash:
                    flash.add(op.results[0])
                made = [*op.results, *(argument for region in op.regions for argument in region.block.args)]
                read = [values.setdefault(value, len(values)) for value in op.operands]
                bits = [0 if value in flash else self._element_bits(value) for value in made]
                written = [(values.setdefault(value, len(values)), bits[i]) for i, value in enumerate(made)]
                tiled = (*op.operands, *op.results) if isinstance(op, tdsl.Conv2dOp) else ()
                ops.append((op.name, *read, *written, *(value.type for value in tiled)))
        return tuple(ops)

    def _element_bits(self, value: SSAValue) -> int:
        """The width of a tensor's element in memory, perhaps packed; 0 for values that are not tensors."""
        if not isinstance(value.type, TensorType):
            return 0
        accumulator = accumulator_of(shaped(value).get_element_type())
        if accumulator is not None:
            return accumulator.bits
        return tdsl.format_of(value).bits if self.pack_buffers else 8 * tdsl.format_of(value).dtype.itemsize


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


FLASH_ABOVE = (tdsl.Conv2dOp, tdsl.ForestOp)
"""The ops that passes before `spend-flash` lower by the limit on flash: `tile-windows` and `code-forests`.

`decode-constants` asks for the limit, too, but only for posits of the standard, which no candidate has.
"""


@dataclass(frozen=True)
class Platform:
    """The target for which candidates are built, as for `select-kernels`.

    pack_buffers: true if `pack-buffers` runs. flash: the bytes that `spend-flash` may fill.
    """

    target: str
    pack_buffers: bool = False
    flash: int | None = None


class NestPrograms:
    """The programs of one program's candidates before kernels take their nests, for all platforms that have them.

    Programs that are equal behind `refine-formats` have one number, and are lowered once. options: of the pipelines to
    L3, such as `target`. memory: of candidates, without the stack.
    """

    def __init__(self, programs: RefinedPrograms, **options: Any):
        self.programs = programs
        self.memory = WorkingMemory(programs, **options)
        self._lowering = LoweringPasses((BUFFERS_TO_NESTS,), **options)
        self._numbers: dict[object, int] = {}
        self._of_formats: dict[Formats, int] = {}
        self._lowered = RecentPrograms()

    def number(self, formats: Formats) -> int:
        """The number of a candidate's program; raises `InputError` if the formats make no program."""
        if formats not in self._of_formats:
            structure = _structure_of(self.programs.of(formats))
            self._of_formats[formats] = self._numbers.setdefault(structure, len(self._numbers))
        return self._of_formats[formats]

    def of(self, formats: Formats) -> ModuleOp:
        """The nests of a candidate's program, which the caller may change; raises the error of `number`."""
        number = self.number(formats)
        if number not in self._lowered:
            module = self.memory.packed(formats)
            self._lowering.apply(module)
            self._lowered.keep(number, module)
        return copied(self._lowered[number])


class CandidateCosts:
    """The costs of one program's candidates on a platform. Candidates with equal programs cost the same.

    plain: those on the same platform without spending flash, which begin with the same nests, if any are at hand.
    estimates: by candidate, as far as requested. measurements: as returned by `measured`. faults: the reason for
    candidates that are not programs.
    """

    def __init__(self, nests: NestPrograms, platform: Platform, plain: CandidateCosts | None = None):
        self.plain = plain
        self.nests = nests
        self.programs = nests.programs
        self.platform = platform
        options = vars(platform)
        self.spending = registered_pass(SPEND_FLASH, **options)
        self.selecting = LoweringPasses((LOOPS_TO_KERNELS,), **options)
        self.estimating = registered_pass(ESTIMATE_COST, **options)
        self.measuring = registered_pass(MEASURE_COST, **options)
        self.estimates: dict[Formats, ProgramCost] = {}
        self.faults: dict[Formats, str] = {}
        self.measurements: dict[Formats, ProgramCost | None] = {}
        self._spent = RecentPrograms()
        self._looped = RecentPrograms()
        self._estimated: dict[int, ProgramCost] = {}
        self._by_parts: dict[int, Estimate] = {}
        self._measured: dict[int, ProgramCost | None] = {}
        self._plainly: set[int] = set()

    def estimated(self, formats: Formats) -> ProgramCost:
        """The estimate of a candidate's cost.

        Raises `InputError` if the formats make no program, and for a target of unknown costs.
        """
        if formats in self.faults:
            raise InputError(self.faults[formats])
        if formats not in self.estimates:
            number = self.nests.number(formats)
            if number not in self._estimated:
                module = self.nests.of(formats)
                cost = self.spending.cost(module, self.plain and self.plain.by_parts(number))
                if cost is None:
                    self.selecting.apply(module)
                    self._by_parts[number] = self.estimating.estimate(module)
                    cost = ProgramCost.of(self._by_parts[number])
                    self._looped.keep(number, module)
                else:
                    self._spent.keep(number, module)
                    if SPENT_FLASH not in module.attributes:
                        self._plainly.add(number)
                self._estimated[number] = cost
            self.estimates[formats] = self._estimated[number]
        return self.estimates[formats]

    def by_parts(self, number: int) -> Estimate | None:
        """The estimate of a program by its parts, if one was made."""
        return self._by_parts.get(number)

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
            number = self.nests.number(formats)
            if number not in self._measured:
                self._measured[number] = self._of_built(number, formats)
            self.measurements[formats] = self._measured[number]
        return self.measurements[formats]

    def _of_built(self, number: int, formats: Formats) -> ProgramCost | None:
        if self.plain is not None and number in self._plainly:
            # It spends no flash, so that it is the program without a limit.
            cost = self.plain.measured(formats)
            if cost is None or self.platform.flash is None or cost.flash <= self.platform.flash:
                return cost
        with suppress(InputError):
            return self.measuring.cost(self.programs.of(formats), self._lowered(number))
        return None

    def _lowered(self, number: int) -> ModuleOp | None:
        """The program of a number with kernels, as far as its estimate has lowered it; handed out once."""
        if (spent := self._spent.pop(number, None)) is not None:
            self.selecting.apply(spent)
            return spent
        return self._looped.pop(number, None)

    def measured_with(self, formats: Formats, refined: Mapping[int, Raws] | None) -> ProgramCost | None:
        """The cost of the built program with other raws, as for `RoundedConstants.raws`; None as for `measured`."""
        module, _ = self.programs.candidates.in_formats(formats, refined)
        with suppress(InputError):
            return self.measuring.cost(self.programs.refined(module), None)
        return None


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
    above = any(isinstance(op, FLASH_ABOVE) for op in candidates.module.walk())
    if platform.flash is None or above:
        return CandidateCosts(_nest_programs(candidates, platform), platform)
    plain = costs_on(candidates, replace(platform, flash=None))
    return CandidateCosts(plain.nests, platform, plain)


@lru_cache(2)
def _nest_programs(candidates: Candidates, platform: Platform) -> NestPrograms:
    options = vars(platform)
    return NestPrograms(_refined_programs(candidates, platform.target, platform.pack_buffers), **options)


@lru_cache(1)
def _refined_programs(candidates: Candidates, target: str, pack_buffers: bool) -> RefinedPrograms:
    """The programs that platforms share which differ only in flash, of which `refine-formats` knows nothing."""
    return RefinedPrograms(candidates, target=target, pack_buffers=pack_buffers)
