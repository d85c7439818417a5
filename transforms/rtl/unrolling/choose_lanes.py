"""The choice of how many elements each sum of a program adds in an iteration, within a budget of cells."""

from __future__ import annotations

from builtins import sum as total
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from tinyml.dialects import rtl
from tinyml.targets.verilog.fabric import Fabric, Resources
from tinyml.transforms.rtl.scheduling.operators import Operators
from tinyml.transforms.rtl.scheduling.regions import executions_of
from tinyml.transforms.rtl.unrolling.block_rams import Words
from tinyml.transforms.rtl.unrolling.cell_costs import Circuits, cells_of, product_in_logic
from tinyml.transforms.rtl.unrolling.unrolled_sum import UnrolledSum

MAX_LANES = 64
"""The maximum number of elements that a sum processes at once."""

GAIN, SEQUENTIAL = ORDERS = ("gain", "sequential")


@dataclass(frozen=True)
class Lanes:
    """Sums that add the same terms from the same memories.

    sums: the sums.
    circuit: a key of the ops that compute the terms of an element; equal keys denote the same circuit.
    luts, dsps: the LUTs and DSPs that each element needs.
    logic: the LUTs that compute the products of one element if no DSPs are left.
    count: the number of elements that each sum processes at once.
    in_dsps: the number of elements whose products are computed by DSPs; these are the first elements.
    """

    sums: Sequence[UnrolledSum]
    circuit: object
    luts: int
    dsps: int
    logic: int
    count: int = 1
    in_dsps: int = 1

    @property
    def cycles(self) -> int:
        """The number of cycles that all executions of the sums take, if an iteration takes one cycle."""
        return total(executions_of(sum.reduction) * sum.iterations(self.count) for sum in self.sums)

    @property
    def memories(self) -> set[SSAValue]:
        return {load.memory for sum in self.sums for load in sum.loads}

    @property
    def can_grow(self) -> bool:
        return 2 * self.count <= MAX_LANES and all(sum.takes(2 * self.count) for sum in self.sums)

    def doubled(self, dsps: int) -> Lanes:
        """The same sums with twice as many elements at once.

        dsps: the number of DSPs available for the additional elements.
        """
        more = min(self.count, self.sums[0].trips - self.count)
        in_dsps = more if self.dsps == 0 else min(more, max(dsps, 0) // self.dsps)
        return replace(self, count=2 * self.count, in_dsps=self.in_dsps + in_dsps)

    @property
    def cells(self) -> tuple[int, int]:
        """The numbers of LUTs and DSPs that the hardware for all elements of a sum needs."""
        count = min(self.count, self.sums[0].trips)
        return count * self.luts + (count - self.in_dsps) * self.logic, self.in_dsps * self.dsps


def choose_lanes(
    sums: Sequence[UnrolledSum],
    operators: Operators,
    fabric: Fabric,
    taken: tuple[int, int],
    budget: Resources,
    words: Words,
    order: str,
) -> Sequence[Lanes]:
    """Choose the number of elements that each sum processes at once, a power of two, within a budget.

    taken: the LUTs and DSPs of the program without unrolling.
    words: the memories of the program.
    order: `gain` doubles, among all sums, the elements of the sums that save the most cycles in relation to the budget
        that they use; `sequential` doubles the elements of each sum in turn as far as the budget allows, as SeeDot
        does (section 6.2.2).
    """
    rows = _rows(sums, operators, fabric)
    first = _cells(rows, words)

    def resources(rows: Sequence[Lanes], words: Words) -> Resources:
        luts, dsps = (now - then + used for now, then, used in zip(_cells(rows, words), first, taken, strict=True))
        return Resources(luts, dsps, words.cells[1])

    def grown(places: Sequence[int], here: Resources) -> _Step | None:
        """The step that doubles the elements of the sums with the indices `places`. None if one of these sums cannot
        have more elements, or if the step exceeds the budget.

        here: the resources that are needed before the step.
        """
        if not all(rows[place].can_grow for place in places):
            return None
        luts, left = budget.luts - here.luts, budget.dsps - here.dsps
        for dsps in (left // len(places), 0):
            more = [row.doubled(dsps) if place in places else row for place, row in enumerate(rows)]
            wider = words
            for place in places:
                wider = wider.widened(more[place].sums, more[place].count)
            step = _Step(more, wider)
            there = resources(step.rows, step.words)
            if all(
                more <= max(most, now) for more, most, now in zip(*map(_triple, (there, budget, here)), strict=True)
            ):
                shares = (there.luts - here.luts) / max(luts, 1), (there.dsps - here.dsps) / max(left, 1)
                saved = total(rows[place].cycles - more[place].cycles for place in places)
                step.gain = saved / max(*shares, 1e-9)
                return step
        return None

    while True:
        here = resources(rows, words)
        alone = [[place] for place in range(len(rows))]
        steps = [step for places in (*alone, *_beside(rows)) if (step := grown(places, here)) is not None]
        if not steps:
            return rows
        step = max(steps, key=lambda step: step.gain) if order == GAIN else steps[0]
        rows, words = step.rows, step.words


def _beside(rows: Sequence[Lanes]) -> Iterator[Sequence[int]]:
    """Yield sets of sums, as indices into `rows`, that process equally many elements and read common memories.

    If all sums of a set are doubled together, all of them read whole words of one width.
    """
    for place, row in enumerate(rows):
        others = [other for other, each in enumerate(rows) if each.count == row.count and each.memories & row.memories]
        if len(others) > 1 and others[0] == place:
            yield others


@dataclass
class _Step:
    """The sums and memories after the elements of some sums have been doubled.

    gain: the cycles saved, divided by the largest fraction of the remaining budget that the step uses.
    """

    rows: Sequence[Lanes]
    words: Words
    gain: float = 0.0


def _triple(cells: Resources) -> tuple[int, int, int]:
    return cells.luts, cells.dsps, cells.brams


def _cells(rows: Sequence[Lanes], words: Words) -> tuple[int, int]:
    """The numbers of LUTs and of DSPs that sums and memories need. Sums with equal terms that read whole words use
    one circuit, which counts once.
    """
    circuits: dict[object, tuple[int, int]] = {}
    for row in rows:
        for sum in row.sums:
            circuits[(row.circuit, row.count, row.in_dsps) if words.are_whole(sum) else sum.reduction] = row.cells
    luts, dsps = zip((words.cells[0] + words.chosen, 0), *circuits.values(), strict=True)
    return total(luts), total(dsps)


def _rows(sums: Sequence[UnrolledSum], operators: Operators, fabric: Fabric) -> Sequence[Lanes]:
    circuits = Circuits()
    alike: dict[tuple[object, ...], list[UnrolledSum]] = {}
    for sum in sums:
        for op in sum.computing():
            circuits.add(op)
        most = next(
            lanes for lanes in (MAX_LANES >> place for place in range(MAX_LANES)) if lanes < 2 or sum.takes(lanes)
        )
        key = most, sum.trips, *(circuits.of.get(term, term) for term in sum.terms)
        alike.setdefault(key, []).append(sum)
    return [_lanes(sums, circuit, operators, fabric) for (_, *circuit), sums in alike.items()]


def _lanes(sums: Sequence[UnrolledSum], circuit: Sequence[object], operators: Operators, fabric: Fabric) -> Lanes:
    # An iteration has one address of a word of elements.
    ops = [
        op
        for op in sums[0].computing()
        if not isinstance(op, rtl.LoadOp) and not isinstance(op.results[0].type, IndexType)
    ]
    luts, dsps = cells_of(ops, operators, fabric)
    products = [op for op in ops if isinstance(op, arith.MuliOp)]
    # Each element is added to the sum by an adder of its own.
    luts += total(operators.width(term) for term in sums[0].terms)
    return Lanes(sums, tuple(circuit), luts, dsps, total(product_in_logic(op, operators) for op in products))
