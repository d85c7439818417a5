"""Names by which searches find pipelines and passes of lower levels, and the attribute in which these passes record a
program's cost.

A search needs the cost of a candidate on a target. Only lower levels can determine this cost, and a search cannot
import them. It therefore finds pipelines and passes in the registry, by the names declared here, and runs them on
candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DictionaryAttr, FloatAttr, ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from tinyml.dialects.context import context, registry
from tinyml.dialects.discardable_attributes import NUMBER, DiscardableAttribute, HolderKind, record

if TYPE_CHECKING:
    from tinyml.transforms.ir.cost.estimate import Estimate

REWRITE_REALS = "rewrite-reals"
PARTS_TO_FORMATS = "parts-to-formats"
REFINE_FORMATS = "refine-formats"
FORMATS_TO_BUFFERS = "formats-to-buffers"
BUFFERS_TO_NESTS = "buffers-to-nests"
BUFFERS_TO_LOOPS = "buffers-to-loops"
LOOPS_TO_KERNELS = "loops-to-kernels"
LOOPS_TO_BITS = "loops-to-bits"
BITS_TO_C = "bits-to-c"
BITS_TO_LANES = "bits-to-lanes"
BITS_TO_HARDWARE = "bits-to-hardware"
BITS_TO_UPSTREAM = "bits-to-upstream"
BUFFERS_TO_UPSTREAM = "buffers-to-upstream"

TO_BUFFERS = (REFINE_FORMATS, FORMATS_TO_BUFFERS)
"""The pipelines from the output of `assign-format` to packed memory."""

TO_LOOPS = (*TO_BUFFERS, BUFFERS_TO_LOOPS)
"""The pipelines from the output of `assign-format` to kernels and loops."""

TO_C = (*TO_LOOPS, LOOPS_TO_BITS, BITS_TO_C)
"""The pipelines from the output of `assign-format` to C."""

PROOF = "check-packing"
"""The pass that checks the packing. In a search it runs on the chosen program, not on every candidate."""

SPEND_FLASH = "spend-flash"
ESTIMATE_COST = "estimate-cost"
MEASURE_COST = "measure-cost"

COST_ATTRIBUTE = DiscardableAttribute(
    "tinyml.cost",
    {
        HolderKind.MODULE: record(
            "the floats `time`, `flash` and `ram`", {"time": NUMBER, "flash": NUMBER, "ram": NUMBER}
        )
    },
    "The costs of the program, written by `estimate-cost` and `measure-cost`.",
)


@dataclass(frozen=True)
class ProgramCost:
    """The resources of a program on a target.

    time: of a call with floats (`Estimate.call`), in the target's unit.
    flash, ram: bytes of the whole program; RAM includes the stack.
    """

    time: float
    flash: float
    ram: float

    @classmethod
    def of(cls, estimate: Estimate) -> ProgramCost:
        """Convert an estimate to a cost, rounded to whole units of time and bytes."""
        return cls(round(estimate.call), round(estimate.flash), round(estimate.ram))

    def within(self, limit: ProgramCost) -> bool:
        return self.time <= limit.time and self.flash <= limit.flash and self.ram <= limit.ram

    def times(self, factor: float) -> ProgramCost:
        return ProgramCost(factor * self.time, factor * self.flash, factor * self.ram)

    def plus(self, other: ProgramCost) -> ProgramCost:
        return ProgramCost(self.time + other.time, self.flash + other.flash, self.ram + other.ram)

    def minus(self, other: ProgramCost) -> ProgramCost:
        return ProgramCost(self.time - other.time, self.flash - other.flash, self.ram - other.ram)

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.time, self.flash, self.ram


def set_cost(module: ModuleOp, cost: ProgramCost) -> None:
    """Record the cost of a program as the attribute `tinyml.cost` of its module."""
    values = {name: FloatAttr(float(value), 64) for name, value in vars(cost).items()}
    module.attributes[COST_ATTRIBUTE] = DictionaryAttr(values)


def cost_of(module: ModuleOp) -> ProgramCost | None:
    """The cost that `tinyml.cost` of a module records. None without this attribute."""
    attribute: Any = module.attributes.get(COST_ATTRIBUTE)
    if attribute is None:
        return None
    return ProgramCost(**{name: value.value.data for name, value in attribute.data.items()})


def registered_pass(name: str, **options: Any) -> Any:
    """An instance of the registered pass with a given name. Options for which the pass has no field are ignored."""
    made: Any = registry().all_passes[name]()
    taken = {field.name for field in fields(made)}
    return made(**{option: value for option, value in options.items() if option in taken})


class LoweringPasses:
    """The passes of pipelines, in order, followed by single passes. `check-packing` is omitted. The module is not
    verified between passes, since this would take most of the time.

    pipelines: names from this module.
    options: each pipeline receives the options that it defines.
    """

    def __init__(self, pipelines: tuple[str, ...], *more: ModulePass, **options: Any):
        steps = [step for name in pipelines for step in registered_pass(name, **options).steps()]
        self.context = context()
        self.passes = PassPipeline((*(step for step in steps if step.name != PROOF), *more))

    def apply(self, module: ModuleOp) -> None:
        self.passes.apply(self.context, module)
