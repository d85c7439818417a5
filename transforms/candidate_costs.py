"""What a candidate will cost on a device, by the packer and the cost model, and what it takes in the end.

Both belong to levels below: they are asked as passes, by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from tinyml.transforms.contexts import context
from tinyml.transforms.working_memory import unchecked

if TYPE_CHECKING:
    from tinyml.transforms.candidates import Candidates, Formats

LOWERING = ("refine-formats", "formats-to-buffers", "buffers-to-loops")
"""From formats to loops."""

COST = "tinyml.cost"


@dataclass(frozen=True)
class Cost:
    """time: in the unit of the device. flash, ram: bytes, ram with the stack."""

    time: float
    flash: float
    ram: float

    def within(self, limit: Cost) -> bool:
        return self.time <= limit.time and self.flash <= limit.flash and self.ram <= limit.ram

    def plus(self, other: Cost) -> Cost:
        return Cost(self.time + other.time, self.flash + other.flash, self.ram + other.ram)

    def minus(self, other: Cost) -> Cost:
        return Cost(self.time - other.time, self.flash - other.flash, self.ram - other.ram)

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.time, self.flash, self.ram


class Costs:
    """Of the candidates of one program. target: whose kernels they use; device: whose costs they have. pack_buffers: is
    `pack-buffers` run?

    known: the estimates that were asked for. measurements: as `measured` gave them.
    """

    def __init__(self, candidates: Candidates, target: str, device: str, pack_buffers: bool = False):
        self.candidates = candidates
        available = Universe.get_multiverse().all_passes
        pipelines: list[Any] = [available[name]() for name in LOWERING]
        packed, chip = {"pack_buffers": pack_buffers}, {"target": target}
        options: list[dict[str, Any]] = [{**chip, **packed}, packed, chip]
        steps = [
            step for one, given in zip(pipelines, options, strict=True) for step in unchecked(one(**given).steps())
        ]
        self.pipeline = PassPipeline.parse_spec(available, ",".join([*steps, f'estimate-cost{{device="{device}"}}']))
        self.context = context()
        measure: Any = available["measure-cost"]()
        self.measure = measure(target=target, device=device, pack_buffers=pack_buffers)
        self.known: dict[Formats, Cost] = {}
        self.measurements: dict[Formats, Cost | None] = {}

    def of(self, formats: Formats) -> Cost:
        """Raises `InputError` where the formats make no program, and for a device of unknown costs."""
        if formats not in self.known:
            module, _ = self.candidates.in_formats(formats)
            self.pipeline.apply(self.context, module)
            self.known[formats] = _cost(module.attributes[COST])
        return self.known[formats]

    def measured(self, formats: Formats) -> Cost | None:
        """What the built program takes on the device; None where its tools are not installed."""
        if formats not in self.measurements:
            module, _ = self.candidates.in_formats(formats)
            self.measure.apply(self.context, module)
            cost = module.attributes.get(COST)
            self.measurements[formats] = None if cost is None else _cost(cost)
        return self.measurements[formats]


def _cost(attribute: Any) -> Cost:
    return Cost(**{name: value.value.data for name, value in attribute.data.items()})
