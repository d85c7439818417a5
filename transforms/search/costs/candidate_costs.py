"""The costs of candidates on a target, estimated by the cost model or measured by building and running the programs.

The memory of a candidate, the bytes of arena and input, is known as soon as the passes that allocate tensors have run.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.tdsl.base import shaped
from tinyml.runtime.devices.toolchain import run_command
from tinyml.targets.chip import Chip
from tinyml.targets.registry import chip_of
from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats, SearchProblem, evaluator_of
from tinyml.transforms.ir.cost.demand import arena_and_input
from tinyml.transforms.ir.pipeline_names import (
    BUFFERS_TO_NESTS,
    ESTIMATE_COST,
    FORMATS_TO_BUFFERS,
    LOOPS_TO_KERNELS,
    MEASURE_COST,
    REFINE_FORMATS,
    SPEND_FLASH,
    TO_BUFFERS,
    LoweringPasses,
    ProgramCost,
    registered_pass,
)
from tinyml.transforms.loops.flash.attempts import SPENT_FLASH
from tinyml.transforms.programs.digest import digest_of
from tinyml.transforms.programs.kept_facts import kept

if TYPE_CHECKING:
    from tinyml.dialects.formats.number_format import Raws
    from tinyml.transforms.ir.cost.estimate import Estimate
    from tinyml.transforms.programs.store import Program
    from tinyml.transforms.search.engine.workers import Workers


VIEWS = (tdsl.IndexOp, tdsl.ReshapeOp)
"""The ops whose results are always views of their operands: they occupy no memory."""


FLASH_ABOVE = (tdsl.Conv2dOp, tdsl.ForestOp)
"""The ops that passes before `spend-flash` lower by the limit on flash: `tile-windows` and `code-forests`.

`decode-constants` also depends on this limit, but only for standard posits, which no candidate has.
"""


@dataclass(frozen=True)
class Platform:
    """The target for which candidates are built, as for `select-kernels`.

    pack_buffers: whether `pack-buffers` runs.
    flash: the bytes that `spend-flash` may use.
    """

    target: str
    pack_buffers: bool = False
    flash: int | None = None


class LoweredCandidates:
    """The programs of the candidates of one program, at the levels from formats to loop nests, for one platform. Each
    program is lowered once.

    Two candidates whose programs are equal after `refine-formats` share the programs of all later passes. Platforms
    that differ only in flash have the same nests, unless the program has ops of `FLASH_ABOVE`.
    """

    def __init__(self, candidates: Candidates, platform: Platform):
        self.candidates = candidates
        self.platform = platform
        self.limited_above = any(isinstance(op, FLASH_ABOVE) for op in candidates.module.walk())
        self._above = vars(platform if self.limited_above else replace(platform, flash=None))

    def refined(self, formats: Formats) -> Program:
        """The program of a candidate after `refine-formats`."""
        return self.candidates.summed(formats).at(REFINE_FORMATS, **self._above)

    def nests(self, formats: Formats) -> Program:
        """The program of a candidate before kernel selection. Raises `InputError` if no program has these formats."""
        return self._packed(self.refined(formats)).at(BUFFERS_TO_NESTS, **self._above)

    def memory(self, formats: Formats) -> int:
        """The bytes of a candidate's arena and input, without the stack. Raises `InputError` in the same cases
        as `nests`.

        A program is packed only if no program of equal layout has been packed.
        """
        return self._fact(formats, lambda: self._memory(formats))

    def _memory(self, formats: Formats) -> int:
        refined = self.refined(formats)
        if refined.is_at_hand:
            return self._of_layout(refined)
        return self._fact(self._layout(self.candidates.program(formats)), lambda: self._of_layout(refined))

    def _of_layout(self, refined: Program) -> int:
        def packed() -> int:
            return kept(
                lambda: ("memory", refined.digest, repr(self._above)),
                lambda: arena_and_input(self._packed(refined).module),
                int,
            )

        return self._fact(self._layout(refined.module), packed)

    def _fact(self, what: Hashable, find: Callable[[], int]) -> int:
        return self.candidates.programs.fact(("memory", *self._above.values(), what), find)

    def _packed(self, refined: Program) -> Program:
        return refined.first.at(FORMATS_TO_BUFFERS, **self._above)

    def _layout(self, module: ModuleOp) -> Hashable:
        """A key that is equal for programs with equal memory layout: the same ops, and the same element widths of all
        values that are not in flash.

        For a convolution the key contains the complete formats, because they determine how many windows are computed at
        once, and thereby the memory.
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
        """The width of a tensor's element in memory, in bits. It is the packed width if the platform packs
        buffers. 0 for values that are not tensors.
        """
        if not isinstance(value.type, TensorType):
            return 0
        accumulator = accumulator_of(shaped(value).get_element_type())
        if accumulator is not None:
            return accumulator.bits
        return tdsl.format_of(value).bits if self.platform.pack_buffers else 8 * tdsl.format_of(value).dtype.itemsize


def working_memory(module: ModuleOp) -> int:
    """Lower and pack a program after `assign-format` in place, and return the bytes of its arena and input."""
    LoweringPasses(TO_BUFFERS).apply(module)
    return arena_and_input(module)


class CandidateCosts:
    """The costs of one program's candidates on a platform. Candidates with equal programs have equal costs.

    plain: the costs on the same platform without `spend-flash`, whose nests are reused; None if not available.
    estimates: the estimated costs by candidate, as far as requested.
    measurements: the results of `measured`.
    faults: for each candidate without a program, the reason why there is none.
    """

    def __init__(self, candidates: Candidates, platform: Platform):
        self.programs = LoweredCandidates(candidates, platform)
        self.platform = platform
        limited = platform.flash is not None
        plain = replace(platform, flash=None)
        self.plain = costs_on(candidates, plain) if limited and not self.programs.limited_above else None
        self.spending = registered_pass(SPEND_FLASH, **vars(platform)) if limited else None
        self.estimating = registered_pass(ESTIMATE_COST, **vars(platform))
        self.measuring = registered_pass(MEASURE_COST, **vars(platform))
        self.estimates: dict[Formats, ProgramCost] = {}
        self.faults: dict[Formats, str] = {}
        self.measurements: dict[Formats, ProgramCost | None] = {}

    def estimated(self, formats: Formats) -> ProgramCost:
        """The estimate of a candidate's cost.

        Raises `InputError` if no program has these formats, and for a target of unknown costs.
        """
        if formats in self.faults:
            raise InputError(self.faults[formats])
        if formats not in self.estimates:
            nests = self.programs.nests(formats)
            self.estimates[formats] = nests.fact(
                (ESTIMATE_COST, self.platform),
                lambda: self._kept(ESTIMATE_COST, lambda: self._digest(formats), lambda: self._estimate(nests)),
            )
        return self.estimates[formats]

    def _estimate(self, nests: Program) -> ProgramCost:
        if self.spending is not None:
            module = nests.copy()
            known = self.plain and self.plain.looped(nests).facts.get(ESTIMATE_COST)
            cost: ProgramCost | None = self.spending.cost(module, known)
            self._spent(nests).keep(module)
            if cost is not None:
                nests.facts[SPEND_FLASH, self.platform] = SPENT_FLASH in module.attributes
                return cost
        looped = self.looped(nests)
        estimate: Estimate = looped.fact(ESTIMATE_COST, lambda: self.estimating.estimate(looped.module))
        return ProgramCost.of(estimate)

    def _spent(self, nests: Program) -> Program:
        """The program after `spend-flash`. It is the given program if the platform has no limit on flash.

        nests: the program before this pass.
        """
        return nests if self.spending is None else nests.after(self.spending)

    def looped(self, nests: Program) -> Program:
        """The program after `spend-flash` and kernel selection.

        nests: the program before these passes.
        """
        return self._spent(nests).at(LOOPS_TO_KERNELS, **vars(self.platform))

    def estimate(self, candidates: Iterable[Formats], problem: SearchProblem, workers: Workers) -> None:
        """Estimate candidates in one batch, and store the results for `estimated`."""
        known = self.estimates.keys() | self.faults.keys()
        queries = [CostQuery(formats, self.platform) for formats in dict.fromkeys(candidates) if formats not in known]
        for query, result in workers.run(problem, queries, estimated_costs):
            if isinstance(result, ProgramCost):
                self.estimates[query.formats] = result
            else:
                self.faults[query.formats] = result

    def measure(self, candidates: Iterable[Formats], problem: SearchProblem, workers: Workers) -> None:
        """Build and run candidates in one batch, and store the results for `measured`."""
        new = [formats for formats in dict.fromkeys(candidates) if formats not in self.measurements]
        queries = [CostQuery(formats, self.platform) for formats in new]
        for query, cost in workers.run(problem, queries, measured_costs):
            self.measurements[query.formats] = cost

    def measured(self, formats: Formats) -> ProgramCost | None:
        """The measured cost of the built program. None if the target is too small, or its tools are not installed.

        Raises `InputError` if no program has these formats.
        """
        if formats not in self.measurements:
            nests = self.programs.nests(formats)
            asked = MEASURE_COST, self.platform
            self.measurements[formats] = nests.fact(
                asked,
                lambda: self._kept(MEASURE_COST, lambda: self._digest(formats), lambda: self._measure(nests, formats)),
            )
        return self.measurements[formats]

    def _measure(self, nests: Program, formats: Formats) -> ProgramCost | None:
        if self.plain is not None and nests.facts.get((SPEND_FLASH, self.platform)) is False:
            # It spends no flash, so that it equals the program without a limit.
            cost = self.plain.measured(formats)
            if cost is None or self.platform.flash is None or cost.flash <= self.platform.flash:
                return cost
        return self._build(self.programs.refined(formats).module, self.looped(nests).copy())

    def measured_with(self, formats: Formats, refined: Mapping[int, Raws] | None) -> ProgramCost | None:
        """The measured cost of the built program with other raws of constants. None in the same cases as for
        `measured`, and if `refine-formats` rejects the program.

        refined: as in `RoundedConstants.raws`.
        """
        module, _ = self.programs.candidates.in_formats(formats, refined)
        try:
            LoweringPasses((REFINE_FORMATS,), **vars(self.platform)).apply(module)
        except InputError:
            return None
        return self._kept(MEASURE_COST, lambda: digest_of(module), lambda: self._build(module))

    def _build(self, refined: ModuleOp, lowered: ModuleOp | None = None) -> ProgramCost | None:
        with suppress(InputError):
            return self.measuring.cost(refined, lowered)
        return None

    def _digest(self, formats: Formats) -> str:
        return self.programs.refined(formats).digest

    def _kept(self, what: str, digest: Callable[[], str], find: Callable[[], ProgramCost | None]) -> Any:
        """The cost stored under the candidate's digest by an earlier search. If there is none, compute it by `find` and
        store it.

        what: the kind of cost.
        digest: returns the digest of the program after `refine-formats`.
        """

        def asked() -> Sequence[str]:
            built = tools_of(chip_of(self.platform.target)) if what == MEASURE_COST else ""
            return what, digest(), repr(self.platform), built

        def read(answer: Any) -> ProgramCost | None:
            [cost] = answer
            return None if cost is None else ProgramCost(**cost)

        return kept(asked, find, read, lambda cost: [cost and vars(cost)])


@dataclass(frozen=True)
class CostQuery:
    """A request to workers for the cost of a candidate on a platform."""

    formats: Formats
    platform: Platform


def estimated_costs(problem: SearchProblem, queries: Sequence[CostQuery]) -> list[ProgramCost | str]:
    """For each query, the estimate computed in this process, or an error message if there is no program."""
    results: list[ProgramCost | str] = []
    for query in queries:
        try:
            results.append(costs_on(evaluator_of(problem).candidates, query.platform).estimated(query.formats))
        except InputError as error:
            results.append(error.message)
    return results


def measured_costs(problem: SearchProblem, queries: Sequence[CostQuery]) -> list[ProgramCost | None]:
    return [costs_on(evaluator_of(problem).candidates, query.platform).measured(query.formats) for query in queries]


def costs_on(candidates: Candidates, platform: Platform) -> CandidateCosts:
    return candidates.programs.fact(platform, lambda: CandidateCosts(candidates, platform))


@cache
def tools_of(chip: Chip) -> str:
    """A string that identifies the installed versions of a chip's compiler, libraries, packages and Python modules.

    The text is empty if the compiler is not installed.
    """
    if (compiler := shutil.which(chip.command("cc"))) is None:
        return ""
    found = [run_command(compiler, ["--version"]).splitlines()[0]]
    names = [run_command(compiler, [f"-print-file-name={name}"]).strip() for name in ("libc.a", "libm.a", "libgcc.a")]
    names += [run_command(compiler, [f"-print-prog-name={name}"]).strip() for name in ("as", "ld", "cc1")]
    names += [shutil.which(package.command) or "" for package in chip.packages if package.command]
    for path in map(Path, filter(None, names)):
        if path.is_file():
            found.append(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}")
    for module in chip.modules:
        try:
            found.append(f"{module} {version(module)}")
        except PackageNotFoundError:
            found.append(module)
    return "; ".join(found)
