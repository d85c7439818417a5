"""Places of values in time: wires that are always there, results of a cycle, and the registers that keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from tinyml.lowering.hw.circuit import Circuit
from tinyml.transforms.rtl.scheduling.operators import Operators


@dataclass(eq=False)
class Timeline:
    """The cycles of a run, or of an iteration of a pipelined loop: the signal of each cycle that it is active.

    interval: of the iterations of a pipelined loop; None for a run.
    """

    active: Sequence[SSAValue]
    interval: int | None = None


@dataclass
class Place:
    """A value: a wire that is right in a cycle of a timeline, or always if there is none.

    later: copies in registers of the cycles after it, of a pipelined loop; of a run, there is one for all.
    """

    wire: SSAValue
    timeline: Timeline | None = None
    cycle: int = 0
    later: list[SSAValue] = field(default_factory=list[SSAValue])


class Values:
    """The hardware of a program's values."""

    def __init__(self, circuit: Circuit, operators: Operators):
        self.circuit = circuit
        self.operators = operators
        self.places: dict[SSAValue, Place] = {}

    def always(self, value: SSAValue, wire: SSAValue) -> None:
        """Records a wire that stays right while the value is used."""
        self.places[value] = Place(wire)

    def at_cycle(self, value: SSAValue, wire: SSAValue, timeline: Timeline, cycle: int) -> None:
        """Records a wire that is right in a cycle."""
        self.places[value] = Place(wire, timeline, cycle)

    def read(self, value: SSAValue, timeline: Timeline | None = None, cycle: int = 0) -> SSAValue:
        """A value in a cycle of a timeline, or after all of its own timeline."""
        owner = value.owner
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return self.circuit.constant(owner.value.value.data, self.operators.width(value))
        place = self.places[value]
        if place.timeline is None or (place.timeline is timeline and place.cycle >= cycle):
            return place.wire
        if place.timeline.interval is None:
            return self._kept(place, value)
        assert place.timeline is timeline, "a value of an iteration is read outside of it"
        while len(place.later) < cycle - place.cycle:
            before = place.later[-1] if place.later else place.wire
            register = self.circuit.register(self.operators.width(value), value.name_hint)
            register.takes.append((self.circuit.constant(1, 1), before))
            place.later.append(register.op.data)
        return place.later[cycle - place.cycle - 1]

    def _kept(self, place: Place, value: SSAValue) -> SSAValue:
        """The register that keeps a result of a run until the run is repeated."""
        if not place.later:
            assert place.timeline is not None
            register = self.circuit.register(self.operators.width(value), value.name_hint)
            register.takes.append((place.timeline.active[place.cycle], place.wire))
            place.later.append(register.op.data)
        return place.later[0]
